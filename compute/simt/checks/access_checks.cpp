// A shadow byte for each byte of shared memory; global memory keeps its own in Allocation::written.
#include "compute/simt/checks/access_checks.h"

#include <atomic>

#include <fmt/format.h>

#include "compute/simt/checks/faults.h"
#include "compute/simt/machine/executor.h"

namespace lanescope::simt {

AccessChecks::AccessChecks(const LaunchState& launch)
    : uninitialised_(launch.options.checks.uninitialised), races_(launch.options.checks.races)
{
}

void AccessChecks::block_begins(Executor& x)
{
    Shadow& shadow = shadows_[x.block];
    shadow.bytes.assign(x.launch.shared_bytes, Byte{});
    shadow.round = 0;
}

void AccessChecks::block_ends(Executor& x)
{
    shadows_.erase(x.block);
}

void AccessChecks::access(Executor& x, const AccessEvent& event)
{
    if (event.space == ptx::Space::shared)
        check_shared(x, event);
    else if (event.space == ptx::Space::global && uninitialised_)
        check_global(x, event);
}

void AccessChecks::check_shared(Executor& x, const AccessEvent& event)
{
    Shadow& shadow = shadows_[x.block];
    if (shadow.round != x.block->barrier_rounds) {
        shadow.round = x.block->barrier_rounds;
        for (Byte& byte : shadow.bytes) byte.readers = byte.writers = byte.updaters = 0;
    }
    const std::uint32_t me = 1u << x.warp->index;
    const bool loads = event.op == trace::Op::load;
    const bool stores = event.op == trace::Op::store;
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        const std::uint64_t address = event.addresses[lane];
        for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(event.width_bytes); ++i) {
            Byte& byte = shadow.bytes[address + i];
            if (uninitialised_ && !stores && byte.written == 0)
                x.fault(event.instruction, "uninitialised", lane, shared_window + address,
                        fmt::format("reads {} bytes of shared memory at {:#x}, which nothing has "
                                    "written in this block",
                                    event.width_bytes, address));
            if (!loads) byte.written = 1;
            if (!races_) continue;
            const std::uint32_t writers =
                (byte.writers | (loads || stores ? byte.updaters : 0)) & ~me;
            const std::uint32_t readers = loads ? 0 : byte.readers & ~me;
            if (writers != 0) report_race(x, event, lane, writers, true);
            if (readers != 0) report_race(x, event, lane, readers, false);
            if (loads)
                byte.readers |= me;
            else if (stores)
                byte.writers |= me;
            else
                byte.updaters |= me;
        }
    }
}

void AccessChecks::report_race(Executor& x, const AccessEvent& event, int lane,
                               std::uint32_t others, bool other_wrote)
{
    x.fault(event.instruction, "race", lane, shared_window + event.addresses[lane],
            fmt::format(
                "{} shared memory at {:#x}, which warp {} has {} since the last barrier: without a "
                "__syncthreads() between them the order is not defined",
                verb(event.op), event.addresses[lane], lowest_lane(others),
                other_wrote ? "written" : "read"));
}

void AccessChecks::check_global(Executor& x, const AccessEvent& event)
{
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        const std::uint64_t address = event.addresses[lane];
        const Allocation* allocation =
            event.allocation != nullptr ? event.allocation : x.launch.memory.find(address);
        if (allocation->written.empty()) continue;
        auto* written =
            const_cast<std::uint8_t*>(allocation->written.data()) + (address - allocation->begin);
        for (int i = 0; i < event.width_bytes; ++i) {
            std::atomic_ref<std::uint8_t> byte(written[i]);
            if (event.op != trace::Op::store && byte.load(std::memory_order_relaxed) == 0)
                x.fault(event.instruction, "uninitialised", lane, address,
                        fmt::format("reads {} bytes at {:#x} in {}, which nothing has written",
                                    event.width_bytes, address, describe(x.launch, *allocation)));
            if (event.op != trace::Op::load) byte.store(1, std::memory_order_relaxed);
        }
    }
}

} // namespace lanescope::simt
