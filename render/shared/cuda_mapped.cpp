// OpenGL memory mapped by CUDA: registered once, mapped per frame in one call, never copied.
#include <glad/gl.h>

#include <cuda_runtime_api.h>

#include <cuda_gl_interop.h>

#include <stdexcept>
#include <utility>

#include "compute/cuda/check.h"
#include "compute/cuda/cuda_device.h"
#include "compute/cuda/image.h"
#include "render/shared/backend.h"

namespace lanescope::render {
namespace {

[[noreturn]] void fail_unmapped()
{
    throw std::logic_error("Memory shared with OpenGL was used while it was not mapped.");
}

class Resource;

struct Group {
    explicit Group(cuda::CudaDevice& gpu) : device(gpu) {}
    cudaStream_t stream() const { return static_cast<cudaStream_t>(device.stream()); }
    cuda::CudaDevice& device;
    Alive<Resource> alive;
};

// One registration of one OpenGL object.
class Resource : public Backing {
public:
    explicit Resource(std::shared_ptr<Group> group) : group_(std::move(group)) {}
    Resource(const Resource&) = delete;
    Resource& operator=(const Resource&) = delete;
    cudaGraphicsResource_t handle() const { return handle_; }
    virtual void after_map() = 0;
    virtual void before_unmap() = 0;

protected:
    // Called by derived constructors once the OpenGL object exists.
    void enter(cudaGraphicsResource_t handle)
    {
        handle_ = handle;
        group_->alive.add(this);
    }
    void map_if_others_mapped()
    {
        if (!group_->alive.mapped) return;
        cuda::check(cudaGraphicsMapResources(1, &handle_, group_->stream()));
        after_map();
    }
    // Called by derived destructors while the OpenGL object still exists.
    void leave()
    {
        group_->alive.remove(this);
        if (group_->alive.mapped) cudaGraphicsUnmapResources(1, &handle_, group_->stream());
        cudaGraphicsUnregisterResource(handle_);
        cudaGetLastError(); // after a lost device nothing is left to free
    }
    Group& group() const { return *group_; }

private:
    std::shared_ptr<Group> group_;
    cudaGraphicsResource_t handle_ = nullptr;
};

class SharedBuffer final : public device::Buffer, public Resource {
public:
    SharedBuffer(std::shared_ptr<Group> group, std::size_t bytes)
        : Resource(std::move(group)), buffer_(bytes, 0)
    {
        cudaGraphicsResource_t handle = nullptr;
        cuda::check(
            cudaGraphicsGLRegisterBuffer(&handle, buffer_.id(), cudaGraphicsRegisterFlagsNone));
        enter(handle);
        map_if_others_mapped();
    }
    ~SharedBuffer() override { leave(); }

    device::Address address() const override
    {
        if (pointer_ == nullptr) fail_unmapped();
        return reinterpret_cast<device::Address>(pointer_);
    }
    std::size_t bytes() const override { return buffer_.bytes(); }
    GLuint gl_name() const override { return buffer_.id(); }
    std::size_t backing_bytes() const override { return bytes(); }

    void after_map() override
    {
        std::size_t size = 0;
        cuda::check(cudaGraphicsResourceGetMappedPointer(&pointer_, &size, handle()));
    }
    void before_unmap() override { pointer_ = nullptr; }

private:
    gl::Buffer buffer_;
    void* pointer_ = nullptr;
};

class SharedImage final : public cuda::ArrayImage, public Resource {
public:
    SharedImage(std::shared_ptr<Group> group, int width, int height, device::Format format)
        : Resource(std::move(group)), format_(format),
          texture_(texel_format(format).internal, width, height)
    {
        cudaGraphicsResource_t handle = nullptr;
        cuda::check(cudaGraphicsGLRegisterImage(&handle, texture_.id(), GL_TEXTURE_2D,
                                                cudaGraphicsRegisterFlagsSurfaceLoadStore));
        enter(handle);
        map_if_others_mapped();
    }
    ~SharedImage() override
    {
        wrapped_.reset();
        leave();
    }

    int width() const override { return texture_.width(); }
    int height() const override { return texture_.height(); }
    int depth() const override { return 0; }
    device::Format format() const override { return format_; }
    std::uint64_t surface() const override
    {
        if (!mapped_) fail_unmapped();
        return wrapped_->surface();
    }
    void* array() const override { return mapped_ ? array_ : nullptr; }
    GLuint gl_name() const override { return texture_.id(); }
    std::size_t backing_bytes() const override
    {
        return static_cast<std::size_t>(width()) * static_cast<std::size_t>(height()) *
               static_cast<std::size_t>(device::bytes_per_pixel(format_));
    }

    void after_map() override
    {
        cudaArray_t array = nullptr;
        cuda::check(cudaGraphicsSubResourceGetMappedArray(&array, handle(), 0, 0));
        if (array != array_) {
            wrapped_ = group().device.wrap_array(array, width(), height(), format_);
            array_ = array;
        }
        mapped_ = true;
    }
    void before_unmap() override { mapped_ = false; }

private:
    device::Format format_;
    gl::Texture texture_;
    std::unique_ptr<device::Image> wrapped_; // surface object of array_, reused across frames
    cudaArray_t array_ = nullptr;
    bool mapped_ = false;
};

class CudaMapped final : public Sharing::Backend {
public:
    explicit CudaMapped(cuda::CudaDevice& device) : group_(std::make_shared<Group>(device)) {}

    std::unique_ptr<device::Buffer> buffer(std::size_t bytes) override
    {
        group_->device.use();
        return std::make_unique<SharedBuffer>(group_, bytes);
    }
    std::unique_ptr<device::Image> image(int width, int height, device::Format format) override
    {
        group_->device.use();
        return std::make_unique<SharedImage>(group_, width, height, format);
    }
    void map() override
    {
        group_->device.use();
        gather();
        if (!handles_.empty())
            group_->device.check(cudaGraphicsMapResources(static_cast<int>(handles_.size()),
                                                          handles_.data(), group_->stream()));
        group_->alive.mapped = true;
        for (Resource* resource : group_->alive.all()) resource->after_map();
    }
    void unmap() override
    {
        group_->alive.mapped = false;
        for (Resource* resource : group_->alive.all()) resource->before_unmap();
        gather();
        if (!handles_.empty())
            group_->device.check(cudaGraphicsUnmapResources(static_cast<int>(handles_.size()),
                                                            handles_.data(), group_->stream()));
    }
    std::size_t bytes() const override { return group_->alive.bytes(); }

private:
    void gather()
    {
        handles_.clear();
        for (const Resource* resource : group_->alive.all()) handles_.push_back(resource->handle());
    }

    std::shared_ptr<Group> group_;
    std::vector<cudaGraphicsResource_t> handles_;
};

} // namespace

std::unique_ptr<Sharing::Backend> make_cuda_mapped(device::Device& device)
{
    return std::make_unique<CudaMapped>(dynamic_cast<cuda::CudaDevice&>(device));
}

} // namespace lanescope::render
