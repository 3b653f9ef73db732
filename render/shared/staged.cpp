// Sharing by copies: kernels use the device's own memory, which is then copied through pinned
// memory to OpenGL. The copies of all resources are queued, then waited for once.
#include <glad/gl.h>

#include <cuda_runtime_api.h>

#include <atomic>
#include <span>
#include <utility>

#include "compute/cuda/check.h"
#include "compute/cuda/cuda_device.h"
#include "compute/cuda/image.h"
#include "compute/device/retires.h"
#include "render/shared/backend.h"
#include "render/shared/wrapped_image.h"

namespace lanescope::render {
namespace {

// Host memory that a GPU copies to at full speed; ordinary memory for other devices.
class Stage {
public:
    Stage(device::Device& device, std::size_t bytes) : bytes_(bytes)
    {
        if (device.engine() == device::Engine::cuda)
            cuda::check(cudaMallocHost(&pinned_, std::max<std::size_t>(bytes, 1)));
        else
            plain_.resize(bytes);
    }
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;
    ~Stage()
    {
        if (pinned_ != nullptr) cudaFreeHost(pinned_);
    }
    std::span<std::byte> memory()
    {
        return pinned_ != nullptr ? std::span(static_cast<std::byte*>(pinned_), bytes_)
                                  : std::span(plain_);
    }

private:
    std::size_t bytes_;
    void* pinned_ = nullptr;
    std::vector<std::byte> plain_;
};

// Copies into pinned memory; a GPU only queues the copy, other devices have finished on return.
void queue_download(device::Device& device, std::span<std::byte> to, device::Address from)
{
    const auto* gpu = dynamic_cast<const cuda::CudaDevice*>(&device);
    if (!gpu) return device.download(to, from);
    gpu->use();
    gpu->check(cudaMemcpyAsync(to.data(), reinterpret_cast<const void*>(from), to.size(),
                               cudaMemcpyDeviceToHost, static_cast<cudaStream_t>(gpu->stream())));
}

void queue_download(device::Device& device, std::span<std::byte> to, const device::Image& from)
{
    const auto* gpu = dynamic_cast<const cuda::CudaDevice*>(&device);
    if (!gpu) return device.download(to, from);
    gpu->use();
    for (const cudaMemcpy3DParms& copied : cuda::image_to_linear(from, to.data()))
        gpu->check(cudaMemcpy3DAsync(&copied, static_cast<cudaStream_t>(gpu->stream())));
}

class Resource : public Backing {
public:
    virtual void copy_to_host() = 0; // asynchronous on devices that support it
    virtual void copy_to_gl() = 0;
};

struct Group {
    explicit Group(device::Device& copied) : device(copied) {}
    device::Device& device;
    Alive<Resource> alive;
};

class StagedBuffer final : public device::Buffer, public Resource, public device::Retires {
public:
    StagedBuffer(std::shared_ptr<Group> group, std::size_t bytes)
        : group_(std::move(group)), memory_(group_->device.allocate(bytes)),
          stage_(group_->device, bytes), buffer_(bytes)
    {
        group_->alive.add(this);
    }
    ~StagedBuffer() override { group_->alive.remove(this); }
    void retire() override
    {
        retired_ = true;
        device::retire(*memory_);
    }
    device::Address address() const override { return memory_->address(); }
    std::size_t bytes() const override { return memory_->bytes(); }
    GLuint gl_name() const override { return buffer_.id(); }
    std::size_t backing_bytes() const override { return bytes(); }
    void copy_to_host() override
    {
        if (!retired_) queue_download(group_->device, stage_.memory(), memory_->address());
    }
    void copy_to_gl() override { buffer_.upload(stage_.memory()); }

private:
    std::shared_ptr<Group> group_;
    std::unique_ptr<device::Buffer> memory_;
    std::atomic<bool> retired_ = false; // read on the OpenGL thread
    Stage stage_;
    gl::Buffer buffer_;
};

// The OpenGL side of a wrapped image.
class StagedTexture final : public Resource, public device::Retires {
public:
    StagedTexture(std::shared_ptr<Group> group, const device::Image& image)
        : group_(std::move(group)), image_(image), format_(texel_format(image.format())),
          texture_(format_.internal, image.width(), image.height()),
          stage_(group_->device, image_bytes(image))
    {
        group_->alive.add(this);
    }
    ~StagedTexture() override { group_->alive.remove(this); }
    void retire() override { retired_ = true; }
    GLuint gl_name() const override { return texture_.id(); }
    std::size_t backing_bytes() const override { return image_bytes(image_); }
    void copy_to_host() override
    {
        if (!retired_) queue_download(group_->device, stage_.memory(), image_);
    }
    void copy_to_gl() override
    {
        texture_.upload(format_.format, format_.type, stage_.memory().data());
    }

private:
    std::shared_ptr<Group> group_;
    const device::Image& image_; // owned by the wrapper that also owns this object
    TexelFormat format_;
    gl::Texture texture_;
    std::atomic<bool> retired_ = false; // read on the OpenGL thread
    Stage stage_;
};

class Staged final : public Sharing::Backend {
public:
    explicit Staged(device::Device& device) : group_(std::make_shared<Group>(device)) {}

    std::unique_ptr<device::Buffer> buffer(std::size_t bytes) override
    {
        return std::make_unique<StagedBuffer>(group_, bytes);
    }
    std::unique_ptr<device::Image> image(int width, int height, device::Format format) override
    {
        auto inner = group_->device.allocate_image(width, height, 0, format);
        auto texture = std::make_unique<StagedTexture>(group_, *inner);
        return wrap_image(std::move(inner), std::move(texture));
    }
    void map() override {}
    void finish() override
    {
        for (Resource* resource : group_->alive.all()) resource->copy_to_host();
        group_->device.synchronize();
    }
    void unmap() override
    {
        for (Resource* resource : group_->alive.all()) resource->copy_to_gl();
    }
    std::size_t bytes() const override { return group_->alive.bytes(); }

private:
    std::shared_ptr<Group> group_;
};

} // namespace

std::unique_ptr<Sharing::Backend> make_staged(device::Device& device)
{
    return std::make_unique<Staged>(device);
}

} // namespace lanescope::render
