// A user's kernel on one device with its arguments: memory, textures, surfaces and module variables
// as described, created again for every run.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/run/kernel/value.h"
#include "compute/device/device.h"

namespace lanescope::app {

struct KernelLaunch {
    std::string ptx;
    std::string kernel; // PTX name
    Dim3 grid;
    Dim3 block;
    std::optional<Dim3> cluster{}; // blocks per cluster; empty: as the kernel was compiled for
    std::uint32_t shared_bytes = 0;
    std::vector<Value> arguments;
    std::vector<std::pair<std::string, Value>> named;     // values that @name refers to
    std::vector<std::pair<std::string, Value>> variables; // keyed by PTX name
    std::vector<std::string> parameter_names{};           // as in the source; empty: unknown
};

class KernelRun {
public:
    // Throws Error (bad_usage) for an unresolved reference, and the device's errors. `device` and
    // `launch` must outlive this.
    KernelRun(device::Device& device, const KernelLaunch& launch);
    // Same, for a launch that runs only once and whose PTX the device has loaded: on the lockstep
    // machine, the buffers then own the launch's bytes instead of copying them.
    KernelRun(device::Device& device, KernelLaunch& launch, std::unique_ptr<device::Module> module);
    ~KernelRun();

    // Queues the launch; with a trace, counts and waits.
    void launch(trace::Trace* trace);

    // Current contents of a buffer or image (index or name of an argument) or of a variable. Waits.
    Bytes contents(const std::string& name);
    Bytes variable(const std::string& name);

    // Where that memory is: an address, or the handle of an image's surface.
    struct Location {
        device::Address address = 0;
        std::uint64_t surface = 0;
    };
    Location location(const std::string& name, bool is_variable);

private:
    struct Made;
    // `taken` is the launch if its bytes may be moved out of it, else null.
    KernelRun(device::Device& device, const KernelLaunch& launch,
              std::unique_ptr<device::Module> module, KernelLaunch* taken);
    void make_buffer(Made& made, Value* taken);
    Made* find(const std::string& name);
    Made& image_owner(Made& made);
    void make_image(Made& made);
    void resolve(const Value& value, Bytes& bytes);

    device::Device& device_;
    device::ShapedImages& shaped_; // the same object as `device`
    const KernelLaunch& launch_;
    std::unique_ptr<device::Module> module_;
    std::vector<std::unique_ptr<Made>> made_; // arguments in order, then named values
    std::vector<device::Argument> arguments_;
};

} // namespace lanescope::app
