// The lockstep machine writes memory that OpenGL reads directly: buffers, and images as texel
// buffers. Images with more texels than a texel buffer can have are copied to textures after the
// kernels.
#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "compute/device/retires.h"
#include "compute/process/memory.h"
#include "compute/simt/simt_device.h"
#include "render/context/context_info.h"
#include "render/gl/labels.h"
#include "render/shared/backend.h"
#include "render/shared/wrapped_image.h"

namespace lanescope::render {
namespace {

constexpr GLenum external_virtual_memory = 0x9160; // GL_EXTERNAL_VIRTUAL_MEMORY_BUFFER_AMD

bool supports_external_virtual_memory()
{
    GLint count = 0;
    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    bool known = false;
    for (GLint i = 0; i < count && !known; ++i) {
        const auto* name =
            reinterpret_cast<const char*>(glGetStringi(GL_EXTENSIONS, static_cast<GLuint>(i)));
        known = name != nullptr && name == std::string_view("GL_AMD_pinned_memory");
    }
    return known && describe_context({}).software;
}

// Anonymous pages, which the OS zeroes on first touch. The simulator's threads touch them first, so
// this thread does not spend time on it.
class Pages {
public:
    explicit Pages(std::size_t bytes)
        : bytes_(std::max<std::size_t>(bytes, 1)), at_(map_pages(bytes_))
    {
        if (at_ == nullptr) throw std::bad_alloc();
    }
    ~Pages() { unmap_pages(at_, bytes_); }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;
    void* at() const { return at_; }

private:
    std::size_t bytes_;
    void* at_;
};

// Memory visible to both sides. OpenGL zeroes its own allocations on the window's thread (64 MB in
// 36 ms), so OpenGL uses our memory where the driver accepts that.
class SeenMemory {
public:
    SeenMemory(std::size_t bytes, bool ours) : bytes_(bytes)
    {
        if (!ours) {
            mapped_.emplace(bytes, gl::MappedBuffer::Access::write);
            return;
        }
        pages_ = std::make_unique<Pages>(bytes);
        GLuint id = 0;
        glCreateBuffers(1, &id);
        name_ = gl::Name<gl::BufferKind>(id);
        glBindBuffer(external_virtual_memory, id);
        glBufferData(external_virtual_memory,
                     static_cast<GLsizeiptr>(std::max<std::size_t>(bytes, 1)), pages_->at(),
                     GL_DYNAMIC_DRAW);
        glBindBuffer(external_virtual_memory, 0);
        gl::label(GL_BUFFER, id, std::to_string(bytes) + " bytes of ours");
        gl::check();
    }
    ~SeenMemory()
    {
        if (pages_) glFinish(); // OpenGL may still be reading the pages
    }
    SeenMemory(const SeenMemory&) = delete;
    SeenMemory& operator=(const SeenMemory&) = delete;

    GLuint id() const { return mapped_ ? mapped_->id() : name_.id(); }
    std::size_t bytes() const { return bytes_; }
    std::span<std::byte> memory() const
    {
        if (mapped_) return mapped_->memory();
        return {static_cast<std::byte*>(pages_->at()), bytes_};
    }

private:
    std::size_t bytes_;
    std::optional<gl::MappedBuffer> mapped_;
    std::unique_ptr<Pages> pages_;
    gl::Name<gl::BufferKind> name_; // destroyed before the pages
};

class Resource : public Backing {
public:
    virtual void show() {} // called after kernels have written
};

struct Group {
    explicit Group(simt::SimtDevice& machine) : device(machine) {}
    simt::SimtDevice& device;
    Alive<Resource> alive;
    bool uses_external_memory = supports_external_virtual_memory();
};

class SharedBuffer final : public device::Buffer, public Resource, public device::Retires {
public:
    SharedBuffer(std::shared_ptr<Group> group, std::size_t bytes)
        : group_(std::move(group)), buffer_(bytes, group_->uses_external_memory),
          adopted_(group_->device.adopt(buffer_.memory()))
    {
        group_->alive.add(this);
    }
    ~SharedBuffer() override { group_->alive.remove(this); }
    void retire() override { device::retire(*adopted_); }
    device::Address address() const override { return adopted_->address(); }
    std::size_t bytes() const override { return buffer_.bytes(); }
    GLuint gl_name() const override { return buffer_.id(); }
    std::size_t backing_bytes() const override { return bytes(); }

private:
    std::shared_ptr<Group> group_;
    SeenMemory buffer_;
    std::unique_ptr<device::Buffer> adopted_;
};

// An image's texels, which OpenGL reads in place or through a texture filled from them.
class SharedTexture final : public Resource {
public:
    SharedTexture(std::shared_ptr<Group> group, int width, int height, device::Format format)
        : group_(std::move(group)), format_(texel_format(format)),
          texels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
                      static_cast<std::size_t>(device::bytes_per_pixel(format)),
                  group_->uses_external_memory)
    {
        GLint max_texels = 0;
        glGetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &max_texels);
        if (std::int64_t{width} * height > max_texels) {
            copy_.emplace(format_.internal, width, height);
        } else {
            in_place_.emplace(format_.internal);
            in_place_->attach(texels_.id());
        }
        group_->alive.add(this);
    }
    ~SharedTexture() override { group_->alive.remove(this); }
    std::span<std::byte> memory() const { return texels_.memory(); }
    GLuint gl_name() const override { return copy_ ? copy_->id() : in_place_->id(); }
    std::size_t backing_bytes() const override { return texels_.bytes(); }
    void show() override
    {
        if (!copy_) return;
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, texels_.id());
        copy_->upload(format_.format, format_.type, nullptr);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    }

private:
    std::shared_ptr<Group> group_;
    TexelFormat format_;
    SeenMemory texels_;
    std::optional<gl::BufferTexture> in_place_;
    std::optional<gl::Texture> copy_;
};

class SimtMapped final : public Sharing::Backend {
public:
    explicit SimtMapped(simt::SimtDevice& device) : group_(std::make_shared<Group>(device)) {}

    std::unique_ptr<device::Buffer> buffer(std::size_t bytes) override
    {
        return std::make_unique<SharedBuffer>(group_, bytes);
    }
    std::unique_ptr<device::Image> image(int width, int height, device::Format format) override
    {
        auto texture = std::make_unique<SharedTexture>(group_, width, height, format);
        auto inner = group_->device.adopt_image(texture->memory(), width, height, format);
        return wrap_image(std::move(inner), std::move(texture));
    }
    ~SimtMapped() override { forget_fence(); }
    bool drawn(std::chrono::nanoseconds at_most) override
    {
        if (fence_ == nullptr) fence_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
        const GLenum state =
            glClientWaitSync(fence_, GL_SYNC_FLUSH_COMMANDS_BIT,
                             static_cast<GLuint64>(std::max<std::int64_t>(at_most.count(), 0)));
        if (state == GL_TIMEOUT_EXPIRED) return false;
        forget_fence();
        return true;
    }
    void map() override {}
    void unmap() override
    {
        for (Resource* resource : group_->alive.all()) resource->show();
    }
    std::size_t bytes() const override { return group_->alive.bytes(); }

private:
    void forget_fence()
    {
        if (fence_ != nullptr) glDeleteSync(fence_);
        fence_ = nullptr;
    }

    std::shared_ptr<Group> group_;
    GLsync fence_ = nullptr; // signalled when readers of this memory are done
};

} // namespace

std::unique_ptr<Sharing::Backend> make_simt_mapped(device::Device& device)
{
    return std::make_unique<SimtMapped>(dynamic_cast<simt::SimtDevice&>(device));
}

} // namespace lanescope::render
