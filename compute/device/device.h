// A machine that runs kernels, as labs see it: memory, textures, launches and timing. Implemented
// by the GPU (cuda/) and the lockstep machine (simt/), which take the same PTX text.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "compute/dim3.h"
#include "compute/error.h"
#include "compute/trace/trace.h"

namespace lanescope::device {

enum class Engine { cuda, simt };
std::string_view name(Engine engine);

// An address as kernels see it. On `simt` it is virtual too, and identical on every run of a
// program.
using Address = std::uint64_t;

// A failed device or driver call, with the CUDA error name and text, or something that `simt` can't
// do. Exit status 4.
class DeviceError : public Error {
public:
    DeviceError(std::string cause, std::string cure = {})
        : Error(ExitStatus::device_unavailable, std::move(cause), std::move(cure))
    {
    }
};

// An error in a kernel. Exit status 5.
class KernelFault : public Error {
public:
    explicit KernelFault(trace::Fault fault)
        : Error(ExitStatus::kernel_fault, fault.message), fault_(std::move(fault))
    {
    }
    const trace::Fault& fault() const noexcept { return fault_; }

private:
    trace::Fault fault_;
};

// A PTX text or launch that this device refuses. The message names the rejected
// part and its line. Exit status 2.
class LaunchError : public Error {
public:
    LaunchError(std::string cause, std::string cure = {})
        : Error(ExitStatus::bad_usage, std::move(cause), std::move(cure))
    {
    }
};

// Thrown when work was cancelled by Device::cancel(). Not an Error: nothing went wrong, and there
// is nothing to report.
class Cancelled : public std::exception {
public:
    const char* what() const noexcept override { return "The work on this device was cancelled."; }
};

// A range of device memory. Memory shared with OpenGL only has an address while it is mapped.
class Buffer {
public:
    virtual ~Buffer() = default;
    virtual Address address() const = 0;
    virtual std::size_t bytes() const = 0;
};

// Channels and bits per channel of a texel: unsigned integers, signed ones (s) or floats (f).
// 32-bit integers are stored as floats, bit for bit. compute/device/formats.h has the table.
enum class Format : std::uint8_t {
    r8,
    rg8,
    rgba8,
    r8s,
    rg8s,
    rgba8s,
    r16,
    rg16,
    rgba16,
    r16s,
    rg16s,
    rgba16s,
    r16f,
    rg16f,
    rgba16f,
    r32f,
    rg32f,
    rgba32f
};
int channels(Format format);
int bytes_per_pixel(Format format);

// An array of texels (1-D if height is 0, 2-D if depth is 0), which kernels read as a texture and
// write as a surface.
class Image {
public:
    virtual ~Image() = default;
    virtual int width() const = 0;
    virtual int height() const = 0;
    virtual int depth() const = 0;
    virtual Format format() const = 0;
    virtual std::uint64_t surface() const = 0; // handle for suld/sust; valid while mapped
};

enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };
enum class Filter : std::uint8_t { point, linear };

struct Sampling {
    std::array<AddressMode, 3> address{AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
    Filter filter = Filter::point;
    bool normalized_coordinates = false;
    // Integers of 8 and 16 bits are read as [0, 1], signed ones as [-1, 1].
    bool normalized_reads = false;
    // Value read outside the image in border mode: bits of floats, or integers if texels are read
    // as integers.
    std::array<std::uint32_t, 4> border{};
    // Added to a mip level, and the range that it is clamped to.
    float level_bias = 0;
    float lowest_level = 0;
    float highest_level = 1000;
};

// An image as kernels read it through `tex`.
class Texture {
public:
    virtual ~Texture() = default;
    virtual std::uint64_t handle() const = 0;
};

// Source of memory that will be drawn: plain device memory, or memory shared with OpenGL
// (render/shared).
class Allocator {
public:
    virtual ~Allocator() = default;
    virtual std::unique_ptr<Buffer> buffer(std::size_t bytes) = 0;
    virtual std::unique_ptr<Image> image(int width, int height, Format format) = 0;
};

// Value of one kernel parameter, as bytes; checked against the PTX parameter's size at launch.
class Argument {
public:
    template <class T>
    requires std::is_trivially_copyable_v<T> &&(!std::is_pointer_v<T>)Argument(const T& value)
        : bytes_(sizeof(T))
    {
        std::memcpy(bytes_.data(), &value, sizeof(T));
    }
    Argument(const Buffer& buffer) : Argument(buffer.address()) {}
    explicit Argument(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

    std::span<const std::byte> bytes() const { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

struct Launch {
    Dim3 grid{};
    Dim3 block{};
    std::uint32_t dynamic_shared_bytes = 0;
    std::vector<Argument> arguments{};
    trace::Trace* trace =
        nullptr; // if set, the launch fills it with counts (and waits until they are complete)
    // Source names of the kernel's parameters, for fault messages; empty: unknown. Must outlive the
    // launch.
    std::span<const std::string> parameter_names{};
    // Maximum number of pending device-side launches (of this grid and its descendants), as set by
    // the host through cudaLimitDevRuntimePendingLaunchCount. A GPU's limit is raised to it, never
    // lowered.
    std::size_t pending_launches = 2048;
    // True if grid-wide barriers work; always, for kernels that run without a host program.
    bool cooperative = true;
    // Blocks per cluster; empty: as the kernel was compiled for, else 1.
    std::optional<Dim3> cluster{};
};

// Resources of the compiled kernel. On `simt`, `registers` is the number declared in the
// PTX, and is displayed as such.
struct KernelAttributes {
    int registers = 0;
    std::size_t static_shared_bytes = 0;
    std::size_t local_bytes = 0;
    int max_threads_per_block = 1024;
    int ptx_target = 0; // 75: its PTX is for sm_75; 0: unknown
    // Clusters: blocks per cluster if the kernel was compiled for a size (__cluster_dims__),
    // whether a launch must give one, and the maximum number of blocks (0: that of the device).
    std::optional<Dim3> cluster{};
    bool needs_cluster = false;
    std::uint32_t max_cluster_blocks = 0;
};

class Kernel {
public:
    virtual ~Kernel() = default;
    virtual std::string_view name() const = 0;
    virtual std::span<const std::size_t>
    parameter_sizes() const = 0; // in bytes, in order, from the PTX
    virtual KernelAttributes attributes() const = 0;
};

// A module variable (`__device__` or `__constant__`), for host access.
struct Variable {
    Address address = 0;
    std::size_t bytes = 0;
};

// A loaded PTX text. Kernels live as long as their module.
class Module {
public:
    virtual ~Module() = default;
    // Throws Error (no_such_thing) that lists the available names.
    virtual const Kernel& kernel(std::string_view name) const = 0;
    virtual std::vector<std::string> kernel_names() const = 0;
    // Looks up a variable by its PTX name. Values stored by the host are visible to every kernel of
    // the module, with and without counting. Throws Error (no_such_thing).
    virtual Variable variable(std::string_view name) const = 0;
};

// Times sections of the device's stream without blocking; results arrive a few frames later.
class Timer {
public:
    virtual ~Timer() = default;
    virtual void begin() = 0;
    virtual void end() = 0;
    // Sections completed since the last call, oldest first, in milliseconds.
    virtual std::vector<double> poll_ms() = 0;
};

struct Properties {
    std::string name;   // "NVIDIA H100 80GB HBM3", "simt on 2 cores"
    std::string driver; // "580.159.04"; empty on simt
    int compute_major = 0;
    int compute_minor = 0;
    int multiprocessors = 0;
    std::size_t memory_bytes = 0;
    std::size_t l2_bytes = 0;
    int warps_per_multiprocessor = 0;
    int registers_per_multiprocessor = 0;
    std::size_t shared_per_multiprocessor = 0;
    std::size_t shared_per_block_optin = 0;
};

// All work is queued on one stream, in order. Methods throw DeviceError, LaunchError or
// KernelFault.
class Device {
public:
    virtual ~Device() = default;
    virtual Engine engine() const = 0;
    virtual const Properties& properties() const = 0;

    virtual std::unique_ptr<Buffer>
    allocate(std::size_t bytes) = 0; // 256-byte aligned, uninitialised
    virtual std::unique_ptr<Image> allocate_image(int width, int height, int depth,
                                                  Format format) = 0;
    virtual std::unique_ptr<Texture> texture(const Image& image, const Sampling& sampling) = 0;

    virtual void upload(Address to,
                        std::span<const std::byte> from) = 0; // returns once `from` may be reused
    virtual void download(std::span<std::byte> to, Address from) = 0; // waits for queued work
    virtual void upload(const Image& to,
                        std::span<const std::byte> from) = 0; // tightly packed rows
    virtual void download(std::span<std::byte> to, const Image& from) = 0;
    virtual void copy(Address to, Address from, std::size_t bytes) = 0;
    virtual void copy(const Image& to, Address from) = 0; // from linear, tightly packed memory
    virtual void fill(Address to, std::uint8_t value, std::size_t bytes) = 0;

    virtual std::unique_ptr<Module> load(std::string_view ptx) = 0;
    // Checks arguments against the kernel's parameter list, and grid and block against the device's
    // limits.
    virtual void launch(const Kernel& kernel, const Launch& launch) = 0;
    virtual void synchronize() = 0;

    // Null if the engine has no meaningful clock (`simt`).
    virtual std::unique_ptr<Timer> timer() = 0;

    // Thread-safe: stops work on this device soon. Until resume(), running and later launches throw
    // Cancelled; on `cuda`, launches not yet started and waits for running ones do, because a
    // running kernel can't be stopped on a GPU. Memory that was written stays written; memory,
    // modules and the device remain usable. Wrappers of a device forward both calls.
    virtual void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
    virtual void resume() noexcept { cancelled_.store(false, std::memory_order_relaxed); }

    // The flag that cancel() sets, for long work on the host to check.
    const std::atomic<bool>& cancelled() const noexcept { return cancelled_; }

private:
    std::atomic<bool> cancelled_{false};
};

// Allocates plain device memory, for runs without graphics.
class PlainAllocator : public Allocator {
public:
    explicit PlainAllocator(Device& device) : device_(device) {}
    std::unique_ptr<Buffer> buffer(std::size_t bytes) override { return device_.allocate(bytes); }
    std::unique_ptr<Image> image(int width, int height, Format format) override
    {
        return device_.allocate_image(width, height, 0, format);
    }

private:
    Device& device_;
};

template <class T>
void upload(Device& device, Address to, std::span<const T> from)
{
    device.upload(to, std::as_bytes(from));
}
template <class T>
std::vector<T> download(Device& device, Address from, std::size_t count)
{
    std::vector<T> values(count);
    device.download(std::as_writable_bytes(std::span(values)), from);
    return values;
}

} // namespace lanescope::device
