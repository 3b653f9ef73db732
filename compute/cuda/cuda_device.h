// The GPU behind the device interface: memory, images, launches and events on one stream of the
// CUDA runtime.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "compute/cuda/availability.h"
#include "compute/cuda/handles.h"
#include "compute/device/group.h"
#include "compute/device/shaped_image.h"
#include "compute/device/streams.h"

namespace lanescope::cuda {

// Whether each of the launches since the log was begun has a trace.
using LaunchLog = std::vector<bool>;

// After a kernel fault the GPU's context is lost: every later call throws DeviceError and says so;
// the process itself goes on, and `simt` with it.
class CudaDevice : public device::Device,
                   public device::ShapedImages,
                   public device::Streams,
                   public device::Several {
public:
    // Throws DeviceError with availability()'s reason and cure, or if there is no such ordinal.
    explicit CudaDevice(int ordinal = 0);

    device::Engine engine() const override { return device::Engine::cuda; }
    const device::Properties& properties() const override { return properties_; }

    std::unique_ptr<device::Buffer> allocate(std::size_t bytes) override;
    std::unique_ptr<device::Image> allocate_image(int width, int height, int depth,
                                                  device::Format format) override;
    std::unique_ptr<device::Image> allocate_shaped(const device::ImageShape& shape,
                                                   device::Format format) override;
    std::unique_ptr<device::Texture> texture(const device::Image& image,
                                             const device::Sampling& sampling) override;
    std::unique_ptr<device::Texture> shaped_texture(const device::Image& image,
                                                    const device::Sampling& sampling,
                                                    device::Filter between_levels) override;

    void upload(device::Address to, std::span<const std::byte> from) override;
    void download(std::span<std::byte> to, device::Address from) override;
    void upload(const device::Image& to, std::span<const std::byte> from) override;
    void download(std::span<std::byte> to, const device::Image& from) override;
    void copy(device::Address to, device::Address from, std::size_t bytes) override;
    void copy(const device::Image& to, device::Address from) override;
    void fill(device::Address to, std::uint8_t value, std::size_t bytes) override;

    std::unique_ptr<device::Module> load(std::string_view ptx) override;
    void launch(const device::Kernel& kernel, const device::Launch& launch) override;
    void synchronize() override;
    std::unique_ptr<device::Timer> timer() override;
    std::unique_ptr<device::Marks> marks() override;

    std::unique_ptr<device::HostMemory> allocate_host(std::size_t bytes, bool pinned) override;
    void copy_in(device::Address to, std::span<const std::byte> from) override;
    void copy_out(std::span<std::byte> to, device::Address from) override;
    void use_stream(int number) override;
    void join_streams() override;
    void wait_for(device::Streams& other, int number) override;
    void copy_to(device::Device& other, device::Address to, device::Address from,
                 std::size_t bytes) override;

    // GPUs of this machine: the others follow in the order of their ordinals, round to 0.
    int count() const override;
    std::unique_ptr<device::Device> beside(int number) override;
    std::string words(int devices) const override;

    // For memory that someone else owns (mapped OpenGL memory): valid while its owner keeps it
    // mapped.
    std::unique_ptr<device::Buffer> wrap(void* pointer, std::size_t bytes);
    std::unique_ptr<device::Image> wrap_array(void* array, int width, int height,
                                              device::Format format);

    void* stream() const { return current_->get(); } // a cudaStream_t
    int ordinal() const { return ordinal_; }
    bool lost() const { return lost_; }

    // While there is a log, launches from here and from devices beside this one are written down,
    // and those that have a trace run without probes and leave it as it is: something else counts
    // them. Null: none.
    void log_launches(LaunchLog* log) { log_ = log; }
    LaunchLog* launch_log() const { return first_ ? first_->launch_log() : log_; }

    // Makes this device the calling thread's current one. Throws DeviceError once the device is
    // lost.
    void use() const;
    // As cuda::check, but an error that a kernel caused becomes a KernelFault and loses the device.
    void check(cudaError_t status, std::source_location at = std::source_location::current()) const;

private:
    // Runs something that reports by CudaError, and tells the errors that a kernel caused from the
    // others.
    template <class Make>
    auto attributing(Make make) const;
    // Waits for the queued work. Throws Cancelled when somebody cancels the device before it ends.
    void wait_for_stream();
    int ordinal_beside(int number) const;
    // Whether somebody has cancelled this device, or the one that it stands beside.
    bool given_up() const { return cancelled() || (first_ && first_->cancelled()); }

    int ordinal_;
    const CudaDevice* first_ = nullptr; // which beside() was asked of, if this came from there
    LaunchLog* log_ = nullptr;
    device::Properties properties_;
    Stream stream_;
    struct Side {
        Stream stream;
        Event done;
        bool used = false; // since the last join
    };
    std::map<int, Side> sides_; // by number, from 1
    Event forked_;
    const Stream* current_ = &stream_;
    std::string last_kernel_;
    std::size_t pending_launches_ =
        device::Launch{}.pending_launches;   // what the driver begins with
    mutable std::atomic<bool> lost_ = false; // told by whichever thread meets the failure
};

std::unique_ptr<CudaDevice> make_device(int ordinal = 0);

} // namespace lanescope::cuda
