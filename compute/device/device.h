// What a lab sees of a machine that runs kernels: memory, textures, launches and timing. The GPU
// (cuda/) and the lockstep machine (simt/) stand behind it; both take the same PTX text.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
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

// An address as kernels see it. On `simt` it is virtual too: the same program gets the same
// addresses on every run.
using Address = std::uint64_t;

// A failing device or driver call: carries the CUDA error name and text, or what `simt` could not
// do. Exit status 4.
class DeviceError : public Error {
public:
    DeviceError(std::string cause, std::string cure = {})
        : Error(ExitStatus::device_unavailable, std::move(cause), std::move(cure))
    {
    }
};

// A kernel did something that it must not. Exit status 5.
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

// A PTX text or launch that this device refuses: what was not understood, by name and line. Exit
// status 2.
class LaunchError : public Error {
public:
    LaunchError(std::string cause, std::string cure = {})
        : Error(ExitStatus::bad_usage, std::move(cause), std::move(cure))
    {
    }
};

// The work was given up because somebody asked for it with Device::cancel(). Not an Error: nothing
// went wrong, and nobody needs to be told.
class Cancelled : public std::exception {
public:
    const char* what() const noexcept override { return "The work on this device was cancelled."; }
};

// A range of device memory. Memory shared with OpenGL has an address only while it is mapped.
class Buffer {
public:
    virtual ~Buffer() = default;
    virtual Address address() const = 0;
    virtual std::size_t bytes() const = 0;
};

enum class Format : std::uint8_t { r8, rgba8, r32f, rg32f, rgba32f };
int channels(Format format);
int bytes_per_pixel(Format format);

// An array of texels (1-D when height is 0, 2-D when depth is 0): kernels read it as a texture and
// write it as a surface.
class Image {
public:
    virtual ~Image() = default;
    virtual int width() const = 0;
    virtual int height() const = 0;
    virtual int depth() const = 0;
    virtual Format format() const = 0;
    virtual std::uint64_t surface() const = 0; // the handle that suld/sust take; valid while mapped
};

enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };
enum class Filter : std::uint8_t { point, linear };

struct Sampling {
    std::array<AddressMode, 3> address{AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
    Filter filter = Filter::point;
    bool normalized_coordinates = false;
    bool normalized_reads = false; // 8-bit texels read as [0, 1]
};

// An image as kernels read it through `tex`.
class Texture {
public:
    virtual ~Texture() = default;
    virtual std::uint64_t handle() const = 0;
};

// Where memory that will be drawn comes from: plain device memory, or memory shared with OpenGL
// (render/shared).
class Allocator {
public:
    virtual ~Allocator() = default;
    virtual std::unique_ptr<Buffer> buffer(std::size_t bytes) = 0;
    virtual std::unique_ptr<Image> image(int width, int height, Format format) = 0;
};

// A value for one kernel parameter, by its bytes; checked against the PTX parameter's size at
// launch.
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
        nullptr; // when set, the launch counts and fills it (and waits until it is filled)
    // As the source calls the kernel's parameters, for the sentences of faults; empty: not known.
    // Must outlive the launch.
    std::span<const std::string> parameter_names{};
    // How many launches from the device may be pending, of this grid's and those that these launch,
    // as the host sets cudaLimitDevRuntimePendingLaunchCount; a GPU's limit is raised to it, never
    // lowered.
    std::size_t pending_launches = 2048;
};

// What the compiled kernel needs; on `simt` registers are those that the PTX declares (said so
// where shown).
struct KernelAttributes {
    int registers = 0;
    std::size_t static_shared_bytes = 0;
    std::size_t local_bytes = 0;
    int max_threads_per_block = 1024;
};

class Kernel {
public:
    virtual ~Kernel() = default;
    virtual std::string_view name() const = 0;
    virtual std::span<const std::size_t>
    parameter_sizes() const = 0; // bytes, in order, from the PTX
    virtual KernelAttributes attributes() const = 0;
};

// A module's own variable (`__device__` or `__constant__`): where the host reads and writes it.
struct Variable {
    Address address = 0;
    std::size_t bytes = 0;
};

// One PTX text, loaded. Kernels live as long as their module.
class Module {
public:
    virtual ~Module() = default;
    // Throws Error (no_such_thing) that lists the names there are.
    virtual const Kernel& kernel(std::string_view name) const = 0;
    virtual std::vector<std::string> kernel_names() const = 0;
    // By its name in the PTX. What the host stores there is seen by every kernel of the module,
    // counted or not. Throws Error (no_such_thing).
    virtual Variable variable(std::string_view name) const = 0;
};

// Times stretches of the device's stream without ever blocking: results arrive some frames later.
class Timer {
public:
    virtual ~Timer() = default;
    virtual void begin() = 0;
    virtual void end() = 0;
    // The stretches that have finished since the last call, oldest first, in milliseconds.
    virtual std::vector<double> poll_ms() = 0;
};

struct Properties {
    std::string name;   // "NVIDIA H100 80GB HBM3", "simt on 2 cores"
    std::string driver; // "580.159.04", empty on simt
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
    allocate(std::size_t bytes) = 0; // 256-byte aligned, contents undefined
    virtual std::unique_ptr<Image> allocate_image(int width, int height, int depth,
                                                  Format format) = 0;
    virtual std::unique_ptr<Texture> texture(const Image& image, const Sampling& sampling) = 0;

    virtual void upload(Address to,
                        std::span<const std::byte> from) = 0; // returns when `from` may be reused
    virtual void download(std::span<std::byte> to, Address from) = 0; // waits for the queued work
    virtual void upload(const Image& to,
                        std::span<const std::byte> from) = 0; // tightly packed rows
    virtual void download(std::span<std::byte> to, const Image& from) = 0;
    virtual void copy(Address to, Address from, std::size_t bytes) = 0;
    virtual void copy(const Image& to, Address from) = 0; // linear, tightly packed → image
    virtual void fill(Address to, std::uint8_t value, std::size_t bytes) = 0;

    virtual std::unique_ptr<Module> load(std::string_view ptx) = 0;
    // Arguments are checked against the kernel's parameter list, grid and block against the
    // device's limits.
    virtual void launch(const Kernel& kernel, const Launch& launch) = 0;
    virtual void synchronize() = 0;

    // Null where the engine has no clock worth showing (`simt`).
    virtual std::unique_ptr<Timer> timer() = 0;

    // From any thread: what runs on this device ends soon. Until resume(), launches that are under
    // way and later ones throw Cancelled (`cuda`: those not yet begun, and waits for those that
    // are; a kernel that runs on the GPU cannot be stopped). What they have written stays; memory,
    // modules and the device itself stay usable. A device that stands before another one passes
    // both calls on.
    virtual void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
    virtual void resume() noexcept { cancelled_.store(false, std::memory_order_relaxed); }

    // For long work on the host that a cancel is to end, too.
    const std::atomic<bool>& cancelled() const noexcept { return cancelled_; }

private:
    std::atomic<bool> cancelled_{false};
};

// Plain memory of the device as an Allocator, for runs without graphics.
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
