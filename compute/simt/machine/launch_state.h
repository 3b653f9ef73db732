// What all blocks of one launch share: the decoded kernel, its arguments, the memory and who
// listens.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "compute/dim3.h"
#include "compute/simt/machine/device_launches.h"
#include "compute/simt/machine/memory.h"
#include "compute/simt/machine/options.h"
#include "compute/simt/machine/program.h"
#include "compute/simt/operations/memory/row_addresses.h"
#include "compute/simt/operations/row_shuffles.h"

namespace lanescope::simt {

class Images;

struct LaunchState {
    const Program& program;
    Memory& memory;
    std::span<std::byte> constants; // the module's constant bank
    const Images& images;
    Options options;
    AddressFunctions addresses;
    WholeWarpShuffle shuffle;
    Dim3 grid;
    Dim3 block;
    std::size_t shared_bytes = 0; // static and dynamic
    std::vector<std::byte> parameters;
    std::span<const std::string> parameter_names{}; // in the source; empty: not known
    Rows constant_rows;    // Program::constants with the launch's values filled in
    bool parallel = false; // blocks run on several threads
    Address grid_sync = 0; // cooperative launches: words by which all blocks wait for each other
    std::function<void(std::string_view)> print;
    // What the kernel asks for through the device runtime; never null in a launch.
    std::shared_ptr<DeviceLaunches> launched{};
    // Called once before blocks run in order under the precise checks, which leave a block where a
    // fault was found: for whoever wants to go on from the memory before.
    std::function<void()> before_precise_checks{};
    int devices = 1;                              // that are played beside each other
    const std::atomic<bool>* cancelled = nullptr; // the device's; never null in a launch

    std::uint64_t grid_id = 0; // of a launch from the device: not 0, and no other's

    double limit_s = 0; // Options::time_limit_s, where the launch runs to its end; else 0

    // Throws device::Cancelled once somebody has cancelled the device.
    void check_cancelled() const
    {
        if (cancelled->load(std::memory_order_relaxed)) throw device::Cancelled();
    }

    std::uint32_t threads() const { return static_cast<std::uint32_t>(block.count()); }
    int warps() const { return static_cast<int>((threads() + warp_lanes - 1) / warp_lanes); }
};

// Fills the constant rows that hold kernel parameters, from `parameters`.
void fill_launch_rows(LaunchState& state);

} // namespace lanescope::simt
