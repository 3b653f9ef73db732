// A launch that is advanced by hand: one warp instruction, one source line or to a barrier at a
// time, with everything that the lanes hold to look at, and with states to come back to.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compute/simt/checks/access_checks.h"
#include "compute/simt/machine/executor.h"
#include "compute/simt/simt_device.h"

namespace lanescope::simt {

// What the chosen warp executes next, and with which lanes.
struct StepPosition {
    Dim3 block;
    int warp = 0;
    std::uint32_t active = 0; // lanes of the running path
    std::uint32_t exited = 0;
    std::string function;
    std::vector<std::string> callers; // innermost first
    std::string file;                 // empty when the PTX has no line info
    int line = 0;
    int ptx_line = 0;
    std::string ptx;
};

// A register that is still needed; inactive lanes keep what they have.
struct RegisterView {
    std::string name;
    ptx::Type type = ptx::Type::none;
    std::array<std::uint64_t, warp_lanes> lanes{}; // bits; 0 or 1 for predicates
};

// The addresses that the next instruction will touch.
struct AddressView {
    trace::Op op = trace::Op::load;
    ptx::Space space = ptx::Space::none; // none: generic
    int width_bytes = 0;
    std::uint32_t mask = 0;
    std::array<std::uint64_t, warp_lanes> lanes{}; // only those of `mask` mean something
};

class Stepper {
public:
    // `device` and `kernel` must outlive this; Launch::trace is not filled. Throws LaunchError like
    // Device::launch().
    Stepper(SimtDevice& device, const device::Kernel& kernel, const device::Launch& launch);
    Stepper(const Stepper&) = delete;
    Stepper& operator=(const Stepper&) = delete;

    bool finished() const { return finished_; }
    std::uint64_t steps() const { return steps_; } // warp instructions so far
    // All of these ask finished() first; positions are those of the warp that runs next.
    StepPosition position();
    std::vector<RegisterView> registers();
    std::optional<AddressView> addresses();
    std::span<const std::byte> shared() const { return block_.shared; }

    // They throw KernelFault like a launch, the state is then that of the fault; or Cancelled, and
    // can go on once the device has resumed.
    void step_instruction();
    void step_line();       // until the same warp comes to another source line, or stops
    void step_to_barrier(); // until the warp waits or has finished
    // Prefers this warp of the block from now on. Throws LaunchError when there is no such warp.
    void choose_warp(int warp);

    struct State;
    // Memory that has not changed since the last state is shared with it.
    std::shared_ptr<const State> save();
    void restore(const State& state);

private:
    bool enter_next(); // enters the path to run; false when the block has ended and so has the grid
    void step_entered();

    SimtDevice& device_;
    LaunchState launch_;
    Executor executor_;
    AccessChecks checks_;
    Block block_;
    std::uint64_t next_block_ = 0;
    int warp_ = 0;
    std::uint64_t slice_begin_ = 0;
    std::uint64_t steps_ = 0;
    bool finished_ = false;
    std::shared_ptr<const State> last_;
};

struct Stepper::State {
    Block block;
    AccessChecks checks;
    std::uint64_t next_block = 0;
    int warp = 0;
    std::uint64_t steps = 0;
    bool finished = false;
    Memory::Heap heap;
    using Bytes = std::shared_ptr<const std::vector<std::byte>>;
    std::map<Address, Bytes> memory;
    std::map<Address, std::vector<std::uint64_t>> written;
    std::vector<Bytes> images;
};

} // namespace lanescope::simt
