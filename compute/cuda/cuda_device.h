// The GPU behind the device interface: memory, images, launches and events on one CUDA stream.
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
#include "compute/device/graphs.h"
#include "compute/device/group.h"
#include "compute/device/shaped_image.h"
#include "compute/device/streams.h"
#include "compute/device/tensor_maps.h"

namespace lanescope::cuda {

// For each launch since the log started, whether it has a trace.
using LaunchLog = std::vector<bool>;

// After a kernel fault the context is lost: every later call throws a DeviceError that says so. The
// process and its `simt` devices keep working.
class CudaDevice : public device::Device,
                   public device::ShapedImages,
                   public device::Streams,
                   public device::TensorMaps,
                   public device::Graphs,
                   public device::Several {
public:
    // Throws DeviceError with availability()'s reason and fix, or if the ordinal does not exist.
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

    device::TensorMapBytes tensor_map(const device::TensorBox& box) override;
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

    bool has_graphs() const override;
    std::unique_ptr<device::Graph> capture(const std::function<void()>& work) override;

    // GPUs of this machine, starting from this one and wrapping around in ordinal order.
    int count() const override;
    std::unique_ptr<device::Device> beside(int number) override;
    std::string words(int devices) const override;

    // Wraps memory owned elsewhere (mapped OpenGL memory); valid while the owner keeps it mapped.
    std::unique_ptr<device::Buffer> wrap(void* pointer, std::size_t bytes);
    std::unique_ptr<device::Image> wrap_array(void* array, int width, int height,
                                              device::Format format);

    void* stream() const { return current_->get(); } // a cudaStream_t
    int ordinal() const { return ordinal_; }
    bool lost() const { return lost_; }

    // With a log, launches on this device and on those created by beside() are recorded. Launches
    // with a trace run without probes and leave the trace unchanged: the GPU's own counters count
    // them instead. Null turns logging off.
    void log_launches(LaunchLog* log) { log_ = log; }
    LaunchLog* launch_log() const { return first_ ? first_->launch_log() : log_; }

    // Makes this device current on the calling thread. Throws DeviceError once the device is lost.
    void use() const;
    // Like cuda::check, but an error caused by a kernel becomes a KernelFault and loses the device.
    void check(cudaError_t status, std::source_location at = std::source_location::current()) const;

private:
    // Runs a function that throws CudaError and turns errors caused by a kernel into KernelFault.
    template <class Make>
    auto attributing(Make make) const;
    // Waits for queued work. Throws Cancelled if the device is cancelled first.
    void wait_for_stream();
    int sibling_ordinal(int number) const;
    // True if this device, or the device whose beside() created it, has been cancelled.
    bool abandoned() const { return cancelled() || (first_ && first_->cancelled()); }

    int ordinal_;
    const CudaDevice* first_ = nullptr; // the device whose beside() created this one
    LaunchLog* log_ = nullptr;
    device::Properties properties_;
    Stream stream_;
    struct Side {
        Stream stream;
        Event done;
        bool used = false; // since the last join
    };
    std::map<int, Side> sides_; // keyed by number, from 1
    Event forked_;
    const Stream* current_ = &stream_;
    std::string last_kernel_;
    std::size_t pending_launches_ = device::Launch{}.pending_launches; // the driver's initial value
    mutable std::atomic<bool> lost_ = false; // set by whichever thread sees the failure
};

std::unique_ptr<CudaDevice> make_device(int ordinal = 0);

} // namespace lanescope::cuda
