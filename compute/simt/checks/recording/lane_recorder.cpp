// One event per joint operation of a warp's lanes, with a time that orders the block's events.
#include "compute/simt/checks/recording/lane_recorder.h"

#include "compute/ptx/text/lines.h"
#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

using Kind = trace::LaneEvent::Kind;

namespace {

Kind kind_of(trace::Op op)
{
    switch (op) {
    case trace::Op::load: return Kind::load;
    case trace::Op::atomic: return Kind::atomic;
    case trace::Op::reduction: return Kind::reduction;
    default: return Kind::store;
    }
}

} // namespace

int LaneRecorder::line_of(const Executor& x, const Instruction& in)
{
    const ptx::Instruction& source = x.function->source->instructions[in.source];
    const auto [found, is_new] = lines_.try_emplace(&source, 0);
    if (is_new) found->second = ptx::source_line(*x.launch.program.module, source).line;
    return found->second;
}

// A launch that is undone and run again restarts its recording.
void LaneRecorder::block_begins(Executor& x)
{
    if (x.block->linear != recording_.block) return;
    recording_.events.clear();
    recording_.complete = true;
    recording_.threads = static_cast<int>(x.launch.block.count());
}

trace::LaneEvent* LaneRecorder::next(const Executor& x, Kind kind, std::uint32_t mask)
{
    if (x.block->linear != recording_.block) return nullptr;
    if (recording_.events.size() >= recording_.max_events) {
        recording_.complete = false;
        return nullptr;
    }
    trace::LaneEvent& event = recording_.events.emplace_back();
    event.kind = kind;
    event.warp = x.warp->index;
    event.mask = mask;
    return &event;
}

void LaneRecorder::access(Executor& x, const AccessEvent& event)
{
    if (event.space != ptx::Space::global && event.space != ptx::Space::shared) return;
    trace::LaneEvent* made = next(x, kind_of(event.op), event.mask);
    if (made == nullptr) return;
    made->shared = event.space == ptx::Space::shared;
    made->width_bytes = event.width_bytes;
    made->line = line_of(x, event.instruction);
    for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        made->of[static_cast<std::size_t>(lane)] = event.address(lane);
    }
}

void LaneRecorder::barrier_opens(Executor& x, const Barrier& barrier)
{
    std::uint32_t warps = 0;
    for (std::size_t w = 0; w < barrier.arrived.size() && w < 32; ++w)
        if (barrier.arrived[w] != 0) warps |= 1u << w;
    next(x, Kind::barrier, warps);
}

void LaneRecorder::shuffle(Executor& x, const Instruction& in, std::uint32_t mask,
                           const std::uint8_t* from)
{
    trace::LaneEvent* made = next(x, Kind::shuffle, mask);
    if (made == nullptr) return;
    made->line = line_of(x, in);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::size_t>(lowest_lane(rest));
        made->of[lane] = from[lane];
    }
}

void LaneRecorder::together(Executor& x, const Instruction& in, std::uint32_t mask)
{
    if (trace::LaneEvent* made = next(x, Kind::together, mask)) made->line = line_of(x, in);
}

} // namespace lanescope::simt
