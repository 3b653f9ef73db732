// What a kernel asks for through the device runtime: launches of other kernels, copies and fills of
// memory, each to be done when the grid has run. They are kept in the order in which they were
// asked for, so that the order of streams holds.
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
    int function = -1; // of a kernel: its index in the module's text
    Dim3 grid{};
    Dim3 block{};
    std::uint32_t shared_bytes = 0;
    device::Address buffer = 0; // where the kernel's parameters are stored
    std::vector<std::byte> parameters;
    std::uint64_t stream = 0;         // as the device runtime names it; 0: the block's own
    device::Address to = 0, from = 0; // of a copy or fill
    std::uint64_t bytes = 0;
    std::uint8_t value = 0;
    Dim3 by_block{0, 0, 0}; // who asked
    Dim3 by_thread{0, 0, 0};
};

struct DeviceLaunches {
    // As cudaLimitDevRuntimePendingLaunchCount: launches that one grid asks for, and, as each waits
    // for what it launches in turn, grids of a chain. An H100 refuses the same link of a chain; of
    // many launches beside each other it refuses fewer, as some are done before the last is asked
    // for.
    std::size_t max_pending = 2048;

    std::map<device::Address, DeviceLaunch> prepared; // by the address of their parameters
    std::vector<DeviceLaunch> asked;
    std::uint64_t streams = 0; // made so far, and events
    std::uint32_t last_error = 0;
    // The first launch that was refused and of which nobody has asked for the error since.
    std::optional<trace::Fault> lost;
    int depth = 0; // of the grid that asks: 0 was launched by the host

    // As they are to be done: what follows the grid as its tail comes last.
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
