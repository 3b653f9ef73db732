// Launches, copies and fills that a kernel requests through the device runtime. They run after the
// grid has finished, in the order of the requests, which preserves stream order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "compute/device/device.h"
#include "compute/dim3.h"
#include "compute/trace/trace.h"

namespace lanescope::simt {

struct DeviceLaunch {
    enum class Work : std::uint8_t { kernel, copy, fill };
    enum class Order : std::uint8_t { stream, fire_and_forget, tail };
    Work work = Work::kernel;
    Order order = Order::stream;
    int function = -1; // kernel: index into Module::functions
    Dim3 grid{};
    Dim3 block{};
    std::uint32_t shared_bytes = 0;
    device::Address buffer = 0; // where the kernel's parameters are stored
    std::vector<std::byte> parameters;
    std::uint64_t stream = 0;         // device runtime handle; 0: the block's stream
    device::Address to = 0, from = 0; // copy or fill only
    std::uint64_t bytes = 0;
    std::uint8_t value = 0;
    Dim3 parent_block{0, 0, 0}; // the requesting block
    Dim3 parent_thread{0, 0, 0};
};

struct DeviceLaunches {
    // Like cudaLimitDevRuntimePendingLaunchCount: the maximum number of launches per grid and,
    // since each grid waits for those that it launches, also the maximum length of a chain of
    // grids. An H100 refuses chains at the same depth; it refuses fewer concurrent launches,
    // because some complete before the last one is requested.
    std::size_t max_pending = 2048;

    std::map<device::Address, DeviceLaunch> prepared; // keyed by the address of their parameters
    std::vector<DeviceLaunch> asked;
    std::uint64_t streams = 0; // streams and events created so far
    std::uint32_t last_error = 0;
    // The first refused launch whose error has not been queried since.
    std::optional<trace::Fault> lost;
    int depth = 0; // nesting depth of the requesting grid; 0: launched by the host

    // Returns the launches in execution order: tail launches come last.
    std::vector<DeviceLaunch> in_order() const
    {
        std::vector<DeviceLaunch> all;
        for (const bool tail : {false, true})
            for (const DeviceLaunch& each : asked)
                if ((each.order == DeviceLaunch::Order::tail) == tail) all.push_back(each);
        return all;
    }
};

} // namespace lanescope::simt
