// The part of the precise checks about operands of wgmma in shared memory: wgmma reads them through
// the asynchronous proxy, at any time between the instruction and the wait for it.
#include <algorithm>

#include <fmt/format.h>

#include "compute/ptx/instructions/table.h"
#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/checks/precise/access_checks.h"
#include "compute/simt/machine/state/cluster.h"
#include "compute/simt/operations/matrix/warp_group.h"

namespace lanescope::simt {

namespace {

const ptx::Instruction& source_of(const Function& function, const Instruction& instruction)
{
    return function.source->instructions[instruction.source];
}

} // namespace

void AccessChecks::operand_read(Executor& x, const AccessEvent& event)
{
    const auto step = static_cast<std::uint32_t>(x.warp->group_steps);
    std::deque<std::uint32_t>& started = products_[{x.block->linear, x.warp->index}];
    if (started.empty() || started.back() != step) started.push_back(step);
    struct Reading {
        std::uint32_t& step;
        ~Reading() { step = 0; } // also after a fault
    };
    {
        const Reading reading{product_read_ = step};
        access(x, event);
    }
    if (races_) check_proxy_of_operand(x, event);
}

int AccessChecks::reader_of(const Block& block, int warp)
{
    constexpr std::size_t copiers = 192, group_warps = 4;
    return static_cast<int>(block.warps.size() + copiers +
                            static_cast<std::size_t>(warp) / group_warps);
}

void AccessChecks::product_ends(Executor& x)
{
    std::deque<std::uint32_t>& started = products_[{x.block->linear, x.warp->index}];
    if (started.empty()) return;
    order_.learn(*x.block, x.warp->index, reader_of(*x.block, x.warp->index), started.front());
    started.pop_front();
}

// Stores by cp.async need no proxy fence: compilers omit it, and such programs are correct.
void AccessChecks::check_proxy_of_operand(Executor& x, const AccessEvent& event)
{
    const Cells& cells = shared_[x.block->linear];
    const auto width = static_cast<std::uint64_t>(event.width_bytes);
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const std::uint64_t at = event.address(lowest_lane(rest));
        const std::uint64_t begin = at % cell_bytes;
        const std::uint64_t bits = byte_bits(begin, begin + width);
        for (const GenericStore& store : cells[at / cell_bytes].generic) {
            const std::uint64_t common = store.bits & bits;
            if (common == 0 || order_.is_proxy_fenced(*x.block, store.warp, store.tick)) continue;
            const ptx::Instruction& source = source_of(*store.function, *store.instruction);
            if (ptx::form_of(source.op).effect == ptx::Effect::copies) continue;
            const std::uint64_t address =
                at - begin + static_cast<std::uint64_t>(lowest_bit(common));
            const Warp& writer = x.block->warps[static_cast<std::size_t>(store.warp)];
            x.fault(event.instruction, "race", 0, shared_window + address,
                    fmt::format("executes wgmma.mma_async, which reads shared memory at {:#x}, "
                                "which thread {} has written at {} without a fence.proxy.async "
                                "after it: it may read the old value. The writing threads need "
                                "fence.proxy.async (cutlass::arch::fence_view_async_shared) before "
                                "the barrier that precedes the product",
                                address, text(x.thread_index(writer, store.lane)),
                                place_text(*x.launch.program.module, source)));
        }
    }
}

void AccessChecks::check_pending_products(Executor& x, const AccessEvent& event) const
{
    const Block& owner = x.shared_block();
    if (std::ranges::all_of(owner.warps, [](const Warp& warp) { return warp.products.empty(); }) ||
        !pending_read(owner, event.low, event.high))
        return;
    const auto width = static_cast<std::uint64_t>(event.width_bytes);
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        const std::uint64_t at = event.address(lane);
        const auto read = pending_read(owner, at, at + width);
        if (!read) continue;
        const Function& function = *read->product->function;
        const Instruction& product = function.code[static_cast<std::size_t>(read->product->pc)];
        x.fault(
            event.instruction, "race", lane, shared_generic(x, at),
            fmt::format("writes {} of {} at {:#x}, which the wgmma.mma_async at {} of "
                        "thread {} may still be reading: wgmma.wait_group (warpgroup_wait) must "
                        "come before, and a barrier if other threads write",
                        byte_count(width), shared_name(x), at,
                        place_text(*x.launch.program.module, source_of(function, product)),
                        text(x.thread_index(owner.warps[read->warp], 0))));
    }
}

} // namespace lanescope::simt
