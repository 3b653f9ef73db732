// State shared by all blocks of one launch: the decoded kernel, its arguments, memory and options.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "compute/dim3.h"
#include "compute/simt/machine/memory/memory.h"
#include "compute/simt/machine/state/device_launches.h"
#include "compute/simt/machine/state/options.h"
#include "compute/simt/machine/state/program.h"
#include "compute/simt/operations/lanes/row_addresses.h"
#include "compute/simt/operations/lanes/row_shuffles.h"

namespace lanescope::caches {
struct Recording;
}

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
    Dim3 cluster{1, 1, 1};         // blocks per cluster
    bool explicit_cluster = false; // the kernel or the launch gives the cluster size
    std::size_t shared_bytes = 0;  // static plus dynamic
    std::vector<std::byte> parameters;
    std::span<const std::string> parameter_names{}; // as in the source; empty: unknown
    Rows constant_rows;    // Program::constants with the launch's values filled in
    bool parallel = false; // blocks run on several threads
    Address grid_sync = 0; // cooperative launches: address of the words that grid-wide barriers use
    std::function<void(std::string_view)> print;
    // Requests of the kernel to the device runtime; never null in a launch.
    std::shared_ptr<DeviceLaunches> launched{};
    // Called once before blocks run in order under the precise checks. Since these stop in the
    // middle of a block when they find a fault, a caller that continues must save memory here.
    std::function<void()> before_precise_checks{};
    int devices = 1;                              // number of simulated devices
    const std::atomic<bool>* cancelled = nullptr; // owned by the device; never null in a launch

    std::uint64_t grid_id = 0; // device-side launches: nonzero and unique

    double limit_s = 0;   // Options::time_limit_s if the launch runs to completion; otherwise 0
    double earlier_s = 0; // time that an earlier run of a sample of its blocks has taken

    // Linear indices of the blocks that run, in ascending order; empty: all blocks. If the fast
    // checks run these to their end, they then undo their stores.
    std::vector<std::uint64_t> chosen{};
    // Stores mark bytes as written, although reads are not checked.
    bool marks_stores = false;

    // Recording of a traced launch's accesses; null: not requested.
    caches::Recording* recording = nullptr;

    // Throws device::Cancelled if the device has been cancelled.
    void check_cancelled() const
    {
        if (cancelled->load(std::memory_order_relaxed)) throw device::Cancelled();
    }

    // True if several blocks run together as a cluster.
    bool clustered() const { return cluster.count() > 1; }
    std::uint64_t blocks_to_run() const { return chosen.empty() ? grid.count() : chosen.size(); }
    // Linear index of one of them, counted from 0.
    std::uint64_t block_to_run(std::uint64_t i) const
    {
        return chosen.empty() ? i : chosen[static_cast<std::size_t>(i)];
    }
    std::uint32_t threads() const { return static_cast<std::uint32_t>(block.count()); }
    int warps() const { return static_cast<int>((threads() + warp_lanes - 1) / warp_lanes); }
};

// Fills the constant rows that hold kernel parameters, from `parameters`.
void fill_launch_rows(LaunchState& state);

} // namespace lanescope::simt
