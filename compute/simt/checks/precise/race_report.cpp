// Threads of one warp, of one block and of two blocks lack different barriers.
#include "compute/simt/checks/precise/race_report.h"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "compute/ptx/text/lines.h"
#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/machine/state/cluster.h"
#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt::precise {

Dim3 index_of(const LaunchState& launch, std::uint64_t block)
{
    const Dim3 grid = launch.grid;
    return {static_cast<std::uint32_t>(block % grid.x),
            static_cast<std::uint32_t>(block / grid.x % grid.y),
            static_cast<std::uint32_t>(block / grid.x / grid.y)};
}

namespace {

// The two lanes that a race is reported for.
struct RacingLanes {
    int mine = 0;
    int theirs = 0;
};

RacingLanes racing_lanes(const AccessEvent& event, const Touch& mine, const Touch& theirs,
                         std::uint64_t common, std::uint64_t base)
{
    const bool same_warp = theirs.block == mine.block && theirs.warp == mine.warp;
    auto byte = static_cast<std::uint64_t>(lowest_bit(common));
    // Within one warp: the first byte that two of its lanes touched.
    for (std::uint64_t rest = common; same_warp && rest != 0; rest &= rest - 1) {
        byte = static_cast<std::uint64_t>(lowest_bit(rest));
        if (mine.lanes[byte] != theirs.lanes[byte] || (mine.lanes[byte] & several) != 0) break;
    }
    RacingLanes lanes{mine.lanes[byte] & ~several, theirs.lanes[byte] & ~several};
    for (std::uint32_t rest = event.mask; same_warp && lanes.mine == lanes.theirs && rest != 0;
         rest &= rest - 1) {
        const int one = lowest_lane(rest);
        const std::uint64_t at = event.address(one);
        if (one != lanes.theirs && at <= base + byte &&
            base + byte < at + static_cast<std::uint64_t>(event.width_bytes))
            lanes.mine = one;
    }
    if (const std::uint32_t others = theirs.lanes_at(byte) & ~(1u << lanes.mine);
        same_warp && lanes.mine == lanes.theirs && others != 0)
        lanes.theirs = lowest_lane(others);
    return lanes;
}

// If the threads are at one source line and differ only in y or z, the index probably omits that
// coordinate, and a barrier would not help.
std::string left_out(const Executor& x, const AccessEvent& event, const ptx::Instruction& theirs,
                     Dim3 one, Dim3 two)
{
    if (one.x != two.x || (one.y == two.y && one.z == two.z)) return {};
    const ptx::SourceLine here =
        ptx::source_line(*x.launch.program.module, x.source(event.instruction));
    const ptx::SourceLine there = ptx::source_line(*x.launch.program.module, theirs);
    if (here.line == 0 || here.line != there.line || here.file != there.file) return {};
    return fmt::format(". The two threads differ in {} alone, which the index may leave out",
                       one.y != two.y && one.z != two.z ? "threadIdx.y and threadIdx.z"
                       : one.y != two.y                 ? "threadIdx.y"
                                                        : "threadIdx.z");
}

std::string_view done_to(trace::Op op)
{
    return op == trace::Op::load    ? "read"
           : op == trace::Op::store ? "written"
                                    : "updated atomically";
}

// Why nothing orders the accesses of two blocks.
std::string_view cause_between_blocks(const Touch& mine, const Touch& theirs, bool is_shared)
{
    if (mine.strong && theirs.strong)
        return mine.block_scope || theirs.block_scope
                   ? "the scope of one of the two is its block, so for the other block it is not "
                     "atomic"
                   : "the scope of one of the two is its cluster, so for a block of another "
                     "cluster "
                     "it is not atomic";
    return is_shared
               ? "without a cluster.sync() between them the order of the two blocks is undefined"
               : "nothing orders the two blocks, so the result depends on which comes first";
}

} // namespace

void report_race(Executor& x, const AccessEvent& event, const Touch& mine, const Touch& theirs,
                 std::uint64_t common, std::uint64_t base)
{
    const bool is_shared = event.space == ptx::Space::shared;
    const bool same_block = theirs.block == mine.block;
    const bool same_warp = same_block && theirs.warp == mine.warp;
    const auto [lane, their_lane] = racing_lanes(event, mine, theirs, common, base);
    const std::uint64_t address = event.address(lane);
    const ptx::Instruction& source =
        theirs.function->source->instructions[theirs.instruction->source];
    const std::string place =
        place_text(*x.launch.program.module, *theirs.function, *theirs.instruction);
    const Dim3 my_index = x.thread_index(*x.warp, lane);
    const Dim3 their_index = x.thread_index(x.block->warps[theirs.named_warp()], their_lane);
    const std::string thread = text(their_index);
    const std::string_view past = done_to(theirs.op);
    const std::string what =
        is_shared ? fmt::format("{} at {:#x}", shared_name(x), address)
                  : fmt::format("{} at {:#x} in {}", byte_count(event.width_bytes), address,
                                describe(x.launch, *x.launch.memory.find(base)));
    const std::uint64_t window = is_shared ? shared_window : 0;
    const int parameter = is_shared ? -1 : parameter_of(x.launch, *x.launch.memory.find(base));
    const bool several_warps = x.block->warps.size() > 1;
    const std::string barrier = several_warps ? "__syncthreads() or, if only threads of one warp "
                                                "take part, a __syncwarp()"
                                              : "__syncwarp()";
    // One lane reads, another then updates atomically: report the read, which is the mistake.
    if (same_warp && theirs.op == trace::Op::load && is_update(mine.op) &&
        theirs.function == x.function)
        x.fault(*theirs.instruction, "race", their_lane, window + address,
                fmt::format("reads {}, which thread {} of the same warp updates atomically at {}: "
                            "without a {} between them the order is undefined",
                            what, text(my_index),
                            place_text(*x.launch.program.module, *x.function, event.instruction),
                            barrier),
                parameter);
    const auto omission = [&] { return left_out(x, event, source, my_index, their_index); };
    if (same_warp)
        x.fault(event.instruction, "race", lane, window + address,
                fmt::format("{} {}, which thread {} of the same warp has {} at {}: without a {} "
                            "between them the order is undefined{}",
                            verb(event.op), what, thread, past, place, barrier, omission()),
                parameter);
    if (same_block)
        x.fault(event.instruction, "race", lane, window + address,
                fmt::format("{} {}, which thread {} of warp {} has {} at {} since the last "
                            "barrier: without a __syncthreads() between them the order is "
                            "undefined{}",
                            verb(event.op), what, thread, theirs.named_warp(), past, place,
                            omission()),
                parameter);
    x.fault(event.instruction, "race", lane, is_shared ? shared_generic(x, address) : address,
            fmt::format("{} {}, which thread {} of block {} has {} at {}: {}", verb(event.op), what,
                        thread, text(index_of(x.launch, theirs.block)), past, place,
                        cause_between_blocks(mine, theirs, is_shared)),
            parameter);
}

} // namespace lanescope::simt::precise
