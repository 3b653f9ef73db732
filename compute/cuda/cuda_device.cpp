// The device's memory and stream. Launches are in kernel.cpp, events in timer.cpp.
#include "compute/cuda/cuda_device.h"

#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "compute/cuda/image.h"
#include "compute/cuda/kernel.h"
#include "compute/cuda/properties.h"
#include "compute/cuda/timer.h"
#include "compute/device/checks.h"

namespace lanescope::cuda {
namespace {

void* pointer(device::Address address)
{
    return reinterpret_cast<void*>(address);
}

class CudaBuffer : public device::Buffer {
public:
    explicit CudaBuffer(std::size_t bytes)
        : owned_(make_memory(bytes)), pointer_(owned_.get()), bytes_(bytes)
    {
    }
    CudaBuffer(void* borrowed, std::size_t bytes) : pointer_(borrowed), bytes_(bytes) {}

    device::Address address() const override { return reinterpret_cast<device::Address>(pointer_); }
    std::size_t bytes() const override { return bytes_; }

private:
    Memory owned_;
    void* pointer_;
    std::size_t bytes_;
};

class Pinned : public device::HostMemory {
public:
    explicit Pinned(std::size_t bytes) : memory_(make_pinned_memory(bytes)), bytes_(bytes) {}
    std::span<std::byte> bytes() override
    {
        return {static_cast<std::byte*>(memory_.get()), bytes_};
    }

private:
    PinnedMemory memory_;
    std::size_t bytes_;
};

int existing_ordinal(int ordinal)
{
    const Availability here = availability();
    if (!here.available) throw device::DeviceError(here.reason, here.cure);
    int count = 0;
    cuda::check(cudaGetDeviceCount(&count));
    if (ordinal < 0 || ordinal >= count)
        throw device::DeviceError(
            fmt::format("There is no GPU number {}; this machine has {}.", ordinal, count),
            "GPUs are numbered from 0, as `nvidia-smi -L` lists them.");
    cuda::check(cudaSetDevice(ordinal));
    return ordinal;
}

bool is_pinned(const void* host)
{
    cudaPointerAttributes attributes{};
    const cudaError_t status = cudaPointerGetAttributes(&attributes, host);
    cudaGetLastError();
    return status == cudaSuccess && attributes.type != cudaMemoryTypeUnregistered;
}

} // namespace

CudaDevice::CudaDevice(int ordinal)
    : ordinal_(existing_ordinal(ordinal)), properties_(device_properties(ordinal)),
      stream_(make_stream())
{
}

std::unique_ptr<CudaDevice> make_device(int ordinal)
{
#ifdef __EMSCRIPTEN__ // avoids linking code for a device that never exists
    existing_ordinal(ordinal);
    return nullptr;
#else
    return std::make_unique<CudaDevice>(ordinal);
#endif
}

void CudaDevice::use() const
{
    if (lost_)
        throw device::DeviceError(
            "A kernel failed on the GPU, so this program can no longer use it.",
            "Restart the program to use the GPU again, or continue with --device simt.");
    check(cudaSetDevice(ordinal_));
}

void CudaDevice::check(cudaError_t status, std::source_location at) const
{
    if (!is_kernel_fault(status)) return cuda::check(status, at);
    lost_ = true;
    cudaGetLastError();
    trace::Fault fault;
    fault.kind = fault_kind(status).name();
    fault.kernel = last_kernel_;
    fault.message =
        fmt::format("Kernel {}, or one queued before it, failed on the GPU with {}. Run it again "
                    "with --device simt to see the source line, the thread and the address.",
                    last_kernel_, describe(status));
    throw device::KernelFault(std::move(fault));
}

template <class Make>
auto CudaDevice::attributing(Make make) const
{
    try {
        return make();
    } catch (const CudaError& error) {
        if (is_kernel_fault(error.code())) check(error.code());
        throw;
    }
}

std::unique_ptr<device::Buffer> CudaDevice::allocate(std::size_t bytes)
{
    use();
    return attributing([&] { return std::make_unique<CudaBuffer>(bytes); });
}

std::unique_ptr<device::Image> CudaDevice::allocate_image(int width, int height, int depth,
                                                          device::Format format)
{
    use();
    return allocate_shaped({width, height, depth}, format);
}

std::unique_ptr<device::Image> CudaDevice::allocate_shaped(const device::ImageShape& shape,
                                                           device::Format format)
{
    use();
    device::check_shape(shape);
    return attributing([&] { return std::make_unique<CudaImage>(shape, format); });
}

std::unique_ptr<device::Texture> CudaDevice::texture(const device::Image& image,
                                                     const device::Sampling& sampling)
{
    use();
    return attributing([&] { return std::make_unique<CudaTexture>(image, sampling); });
}

std::unique_ptr<device::Texture> CudaDevice::shaped_texture(const device::Image& image,
                                                            const device::Sampling& sampling,
                                                            device::Filter between_levels)
{
    use();
    return attributing(
        [&] { return std::make_unique<CudaTexture>(image, sampling, between_levels); });
}

std::unique_ptr<device::Buffer> CudaDevice::wrap(void* pointer, std::size_t bytes)
{
    return std::make_unique<CudaBuffer>(pointer, bytes);
}

std::unique_ptr<device::Image> CudaDevice::wrap_array(void* array, int width, int height,
                                                      device::Format format)
{
    use();
    return std::make_unique<CudaImage>(static_cast<cudaArray_t>(array),
                                       device::ImageShape{width, height}, format);
}

void CudaDevice::upload(device::Address to, std::span<const std::byte> from)
{
    use();
    check(cudaMemcpyAsync(pointer(to), from.data(), from.size(), cudaMemcpyHostToDevice,
                          current_->get()));
    // Pageable memory is staged before the call returns; pinned memory is read later, so wait.
    if (is_pinned(from.data())) check(cudaStreamSynchronize(current_->get()));
}

void CudaDevice::download(std::span<std::byte> to, device::Address from)
{
    use();
    // So that no queued copy writes into the caller's memory after a cancelled wait.
    wait_for_stream();
    check(cudaMemcpyAsync(to.data(), pointer(from), to.size(), cudaMemcpyDeviceToHost,
                          current_->get()));
    check(cudaStreamSynchronize(current_->get()));
}

void CudaDevice::upload(const device::Image& to, std::span<const std::byte> from)
{
    use();
    device::check_image_bytes(to, from.size());
    for (const cudaMemcpy3DParms& copied : linear_to_image(from.data(), to))
        check(cudaMemcpy3DAsync(&copied, current_->get()));
    if (is_pinned(from.data())) check(cudaStreamSynchronize(current_->get()));
}

void CudaDevice::download(std::span<std::byte> to, const device::Image& from)
{
    use();
    device::check_image_bytes(from, to.size());
    wait_for_stream();
    for (const cudaMemcpy3DParms& copied : image_to_linear(from, to.data()))
        check(cudaMemcpy3DAsync(&copied, current_->get()));
    check(cudaStreamSynchronize(current_->get()));
}

void CudaDevice::copy(device::Address to, device::Address from, std::size_t bytes)
{
    use();
    check(cudaMemcpyAsync(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice,
                          current_->get()));
}

void CudaDevice::copy(const device::Image& to, device::Address from)
{
    use();
    for (const cudaMemcpy3DParms& copied : linear_to_image(pointer(from), to))
        check(cudaMemcpy3DAsync(&copied, current_->get()));
}

void CudaDevice::fill(device::Address to, std::uint8_t value, std::size_t bytes)
{
    use();
    check(cudaMemsetAsync(pointer(to), value, bytes, current_->get()));
}

std::unique_ptr<device::Module> CudaDevice::load(std::string_view ptx)
{
    use();
    return attributing([&] { return std::make_unique<CudaModule>(ptx, *this); });
}

void CudaDevice::launch(const device::Kernel& kernel, const device::Launch& launch)
{
    use();
    if (abandoned()) throw device::Cancelled();
    const auto* on_gpu = dynamic_cast<const CudaKernel*>(&kernel);
    if (!on_gpu)
        throw device::LaunchError(
            fmt::format("Kernel {} was loaded by another engine, but launched on the GPU.",
                        kernel.name()),
            "Load the kernel with the device that launches it.");
    device::check_launch(kernel, launch, device::launch_limits(properties_));
    if (launch.cluster && launch.cluster->count() > 1)
        throw device::LaunchError(
            fmt::format("Kernel {} was given a cluster size at launch, which only the lockstep "
                        "machine supports.",
                        kernel.name()),
            "Compile the kernel with __cluster_dims__, or use --device simt.");
    last_kernel_ = kernel.name();
    if (launch.pending_launches > pending_launches_) {
        check(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, launch.pending_launches));
        pending_launches_ = launch.pending_launches;
    }
    attributing([&] { on_gpu->launch(*this, launch); });
}

void CudaDevice::synchronize()
{
    use();
    wait_for_stream();
}

void CudaDevice::wait_for_stream()
{
    using Clock = std::chrono::steady_clock;
    // After this time, the overhead of sleeping no longer matters.
    constexpr auto patience = std::chrono::milliseconds(20);
    const auto begin = Clock::now();
    for (;;) {
        const cudaError_t status = cudaStreamQuery(current_->get());
        if (status != cudaErrorNotReady) return check(status);
        if (abandoned()) throw device::Cancelled();
        if (Clock::now() - begin < patience)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
}

std::unique_ptr<device::HostMemory> CudaDevice::allocate_host(std::size_t bytes, bool pinned)
{
    if (!pinned) return device::pageable_memory(bytes);
    use();
    return attributing([&] { return std::make_unique<Pinned>(bytes); });
}

// The driver copies pageable memory through its own buffer, and the call waits for that.
void CudaDevice::copy_in(device::Address to, std::span<const std::byte> from)
{
    use();
    check(cudaMemcpyAsync(pointer(to), from.data(), from.size(), cudaMemcpyHostToDevice,
                          current_->get()));
}

void CudaDevice::copy_out(std::span<std::byte> to, device::Address from)
{
    use();
    check(cudaMemcpyAsync(to.data(), pointer(from), to.size(), cudaMemcpyDeviceToHost,
                          current_->get()));
}

void CudaDevice::use_stream(int number)
{
    if (number == 0) {
        current_ = &stream_;
        return;
    }
    use();
    Side& side = sides_[number];
    if (!side.stream) {
        side.stream = make_stream();
        side.done = make_event();
    }
    if (!side.used) {
        if (!forked_) forked_ = make_event();
        check(cudaEventRecord(forked_.get(), stream_.get()));
        check(cudaStreamWaitEvent(side.stream.get(), forked_.get(), 0));
        side.used = true;
    }
    current_ = &side.stream;
}

void CudaDevice::join_streams()
{
    current_ = &stream_;
    for (auto& [number, side] : sides_) {
        if (!side.used) continue;
        use();
        check(cudaEventRecord(side.done.get(), side.stream.get()));
        check(cudaStreamWaitEvent(stream_.get(), side.done.get(), 0));
        side.used = false;
    }
}

void CudaDevice::wait_for(device::Streams& other, int number)
{
    auto& there = dynamic_cast<CudaDevice&>(other);
    const Stream* awaited = &there.stream_;
    Event* done = &there.forked_;
    if (number != 0) {
        const auto found = there.sides_.find(number);
        // Work queued there before the last join has been waited for already.
        if (found == there.sides_.end() || !found->second.used) return;
        awaited = &found->second.stream;
        done = &found->second.done;
    }
    there.use();
    if (!*done) *done = make_event();
    check(cudaEventRecord(done->get(), awaited->get()));
    use();
    check(cudaStreamWaitEvent(current_->get(), done->get(), 0));
}

// Without peer access the driver copies through the host.
void CudaDevice::copy_to(device::Device& other, device::Address to, device::Address from,
                         std::size_t bytes)
{
    const auto& there = dynamic_cast<const CudaDevice&>(other);
    if (there.ordinal() == ordinal_) return copy(to, from, bytes);
    use();
    check(cudaMemcpyPeerAsync(pointer(to), there.ordinal(), pointer(from), ordinal_, bytes,
                              current_->get()));
}

namespace {

// Returns false if the driver cannot tell.
bool can_access(int from, int to)
{
    int can = 0;
    const cudaError_t status = cudaDeviceCanAccessPeer(&can, from, to);
    cudaGetLastError();
    return status == cudaSuccess && can != 0;
}

// Lets copies go directly from `from` to `to`.
void open_peer_access(int from, int to)
{
    if (!can_access(from, to)) return;
    cuda::check(cudaSetDevice(from));
    const cudaError_t status = cudaDeviceEnablePeerAccess(to, 0);
    cudaGetLastError();
    if (status != cudaErrorPeerAccessAlreadyEnabled) cuda::check(status);
}

} // namespace

int CudaDevice::sibling_ordinal(int number) const
{
    int all = 1;
    cuda::check(cudaGetDeviceCount(&all));
    return (ordinal_ + number) % all;
}

// A driver too old for the runtime (driver/runtime.cpp) is never used to copy between GPUs.
int CudaDevice::count() const
{
    int all = 1;
    int can = 0;
    const bool known = cudaGetDeviceCount(&all) == cudaSuccess && all > 1 &&
                       cudaDeviceCanAccessPeer(&can, 0, 1) == cudaSuccess;
    cudaGetLastError();
    return known ? all : 1;
}

std::unique_ptr<device::Device> CudaDevice::beside(int number)
{
    auto made = std::make_unique<CudaDevice>(sibling_ordinal(number));
    made->first_ = this;
    for (int i = 0; i < number; ++i) {
        open_peer_access(sibling_ordinal(i), made->ordinal());
        open_peer_access(made->ordinal(), sibling_ordinal(i));
    }
    use();
    return made;
}

std::string CudaDevice::words(int devices) const
{
    bool direct = true;
    for (int from = 0; from < devices; ++from)
        for (int to = 0; to < devices; ++to)
            direct &= from == to || can_access(sibling_ordinal(from), sibling_ordinal(to));
    return fmt::format("{} GPUs{}", devices,
                       direct ? "" : ", peer copies go through the host: no peer access");
}

std::unique_ptr<device::Marks> CudaDevice::marks()
{
    use();
    return std::make_unique<CudaMarks>(*this);
}

std::unique_ptr<device::Timer> CudaDevice::timer()
{
    use();
    return std::make_unique<CudaTimer>(*this);
}

} // namespace lanescope::cuda
