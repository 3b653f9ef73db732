// The lockstep machine writes OpenGL's memory itself: buffers stay mapped for ever, images are kept
// in such a buffer and become textures after the kernels.
#include <span>
#include <utility>

#include "compute/simt/simt_device.h"
#include "render/shared/backend.h"
#include "render/shared/wrapped_image.h"

namespace lanescope::render {
namespace {

class Resource : public Backing {
public:
    virtual void show() {} // after kernels have written
};

struct Group {
    explicit Group(simt::SimtDevice& machine) : device(machine) {}
    simt::SimtDevice& device;
    Alive<Resource> alive;
};

class SharedBuffer final : public device::Buffer, public Resource {
public:
    SharedBuffer(std::shared_ptr<Group> group, std::size_t bytes)
        : group_(std::move(group)), buffer_(bytes, gl::MappedBuffer::Access::write),
          adopted_(group_->device.adopt(buffer_.memory()))
    {
        group_->alive.add(this);
    }
    ~SharedBuffer() override { group_->alive.remove(this); }
    device::Address address() const override { return adopted_->address(); }
    std::size_t bytes() const override { return buffer_.memory().size(); }
    GLuint gl_name() const override { return buffer_.id(); }
    std::size_t backing_bytes() const override { return bytes(); }

private:
    std::shared_ptr<Group> group_;
    gl::MappedBuffer buffer_;
    std::unique_ptr<device::Buffer> adopted_;
};

// An image's texels in mapped memory and the texture that is filled from them.
class SharedTexture final : public Resource {
public:
    SharedTexture(std::shared_ptr<Group> group, int width, int height, device::Format format)
        : group_(std::move(group)), format_(texel_format(format)),
          texture_(format_.internal, width, height),
          texels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
                      static_cast<std::size_t>(device::bytes_per_pixel(format)),
                  gl::MappedBuffer::Access::write)
    {
        group_->alive.add(this);
    }
    ~SharedTexture() override { group_->alive.remove(this); }
    std::span<std::byte> memory() const { return texels_.memory(); }
    GLuint gl_name() const override { return texture_.id(); }
    std::size_t backing_bytes() const override { return texels_.memory().size(); }
    void show() override
    {
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, texels_.id());
        texture_.upload(format_.format, format_.type, nullptr);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    }

private:
    std::shared_ptr<Group> group_;
    TexelFormat format_;
    gl::Texture texture_;
    gl::MappedBuffer texels_;
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
    GLsync fence_ = nullptr; // after what reads this memory
};

} // namespace

std::unique_ptr<Sharing::Backend> make_simt_mapped(device::Device& device)
{
    return std::make_unique<SimtMapped>(dynamic_cast<simt::SimtDevice&>(device));
}

} // namespace lanescope::render
