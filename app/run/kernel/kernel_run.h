// A kernel of the user's own on one device, with all that it is given: memory, textures, surfaces
// and module variables as they were described, made anew for every run.
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
    std::string kernel; // as in the PTX
    Dim3 grid;
    Dim3 block;
    std::uint32_t shared_bytes = 0;
    std::vector<Value> arguments;
    std::vector<std::pair<std::string, Value>> named;     // what @name means
    std::vector<std::pair<std::string, Value>> variables; // by their names in the PTX
};

class KernelRun {
public:
    // Throws Error (bad_usage) for a reference to what is not there, and what the device throws.
    // `device` and `launch` must outlive this.
    KernelRun(device::Device& device, const KernelLaunch& launch);
    // The same for the only run of a launch, whose PTX the device has loaded: on the lockstep
    // machine its buffers are the launch's own bytes, which are taken.
    KernelRun(device::Device& device, KernelLaunch& launch, std::unique_ptr<device::Module> module);
    ~KernelRun();

    // Queues the launch; with a trace, counts and waits.
    void launch(trace::Trace* trace);

    // What a buffer or image (an argument's index, or a name) or a variable holds now. Waits.
    Bytes contents(const std::string& name);
    Bytes variable(const std::string& name);

private:
    struct Made;
    // `taken`: the launch again, where its bytes may be taken.
    KernelRun(device::Device& device, const KernelLaunch& launch,
              std::unique_ptr<device::Module> module, KernelLaunch* taken);
    void make_buffer(Made& made, Value* taken);
    Made* find(const std::string& name);
    Made& image_behind(Made& made);
    void make_image(Made& made);
    void resolve(const Value& value, Bytes& bytes);

    device::Device& device_;
    device::ShapedImages& shaped_; // the same
    const KernelLaunch& launch_;
    std::unique_ptr<device::Module> module_;
    std::vector<std::unique_ptr<Made>> made_; // of arguments, in order, then of names
    std::vector<device::Argument> arguments_;
};

} // namespace lanescope::app
