// BlocksInOrder, run_block() and run_warp() as a state machine: WalkState holds the variables that
// these loops keep on the stack. Tests compare the resulting order with that of a launch.
#include "compute/simt/debug/walk.h"

#include <algorithm>

#include "compute/simt/machine/turns/exact.h"
#include "compute/simt/machine/turns/stuck.h"
#include "compute/threads.h"

namespace lanescope::simt {

WalkState WalkState::copy() const
{
    WalkState copied = *this;
    if (!running) return copied;
    copied.running = std::make_shared<Block>(*running);
    // Bindings refer to the original's rows.
    for (Warp& warp : copied.running->warps) warp.bindings = {};
    return copied;
}

std::size_t WalkState::bytes() const
{
    if (!running) return sizeof(WalkState);
    std::size_t bytes = sizeof(Block) + running->shared.size();
    for (const Warp& warp : running->warps)
        bytes += sizeof(Warp) + warp.rows.size() + warp.specials.size() + warp.local.size() +
                 warp.paths.size() * sizeof(Path);
    return bytes;
}

Walk::Walk(const LaunchState& launch, std::vector<Observer*> observers, Observer* follower)
    : executor_(launch)
{
    observe_with(std::move(observers), follower);
    settle();
}

void Walk::observe_with(std::vector<Observer*> observers, Observer* follower)
{
    executor_.observers = std::move(observers);
    executor_.follower = follower;
}

void Walk::restore(const WalkState& state)
{
    state_ = state.copy();
    executor_.hits.assign(executor_.hits.size(), Region{});
    executor_.slice_steps = 0;
    executor_.block = state_.running.get();
    if (!state_.finished) settle(); // settle() enters the next path
}

std::uint32_t Walk::next_mask() const
{
    const Instruction& in = next_instruction();
    std::uint32_t mask = path().mask;
    if (in.guarded) {
        const std::uint32_t guard = *executor_.row<std::uint32_t>(in.guard);
        mask &= in.guard_negated ? ~guard : guard;
    }
    return mask;
}

void Walk::begin_turn()
{
    const LaunchState& launch = executor_.launch;
    if (state_.waiting.empty()) {
        std::shared_ptr<Block> block = idle_ ? std::move(idle_) : std::make_shared<Block>();
        idle_.reset();
        begin_block(executor_, *block, state_.next_block++);
        state_.running = std::move(block);
    } else {
        // Copies the waiting block, since other states may share it.
        state_.running = std::make_shared<Block>(*state_.waiting.front());
        state_.waiting.pop_front();
    }
    executor_.block = state_.running.get();
    state_.block_end = state_.running->steps + turn_of_block(launch, state_.waiting.size());
    state_.warp = 0;
    state_.in_turn = false;
    state_.moved = false;
}

void Walk::after(bool leaves, Warp& warp)
{
    if (warp.object_wait.parked) {
        park(executor_, warp);
    } else {
        if (!leaves || warp.warp_instructions < state_.warp_end) return;
        end_slice(executor_, warp);
    }
    state_.moved = true;
    state_.in_turn = false;
    ++state_.warp;
}

void Walk::settle()
{
    const LaunchState& launch = executor_.launch;
    const bool cooperative = launch.program.cooperative;
    const std::uint64_t slice = cooperative ? cooperative_warp_slice : warp_slice;
    for (;;) {
        if (!state_.running) {
            if (state_.waiting.empty() && state_.next_block == launch.grid.count()) {
                state_.finished = true;
                return;
            }
            begin_turn();
        }
        Block& block = *state_.running;
        if (state_.warp == static_cast<int>(block.warps.size())) { // end of a round
            if (block.finished()) {
                end_block(executor_);
                idle_ = std::move(state_.running);
                state_.running.reset();
                ++state_.blocks_ended;
                continue;
            }
            if (!state_.moved) resume_stuck_block(executor_);
            state_.moved = false;
            state_.warp = 0;
            if (block.steps < state_.block_end) continue;
            state_.waiting.push_back(std::move(state_.running));
            state_.running.reset();
            if (state_.next_block < launch.grid.count() &&
                (cooperative || state_.waiting.size() < blocks_at_once(launch))) {
                auto fresh = std::make_shared<Block>();
                begin_block(executor_, *fresh, state_.next_block++);
                state_.waiting.push_front(std::move(fresh));
            }
            continue;
        }
        Warp& warp = block.warps[static_cast<std::size_t>(state_.warp)];
        if (!state_.in_turn) {
            if (warp.finished()) {
                ++state_.warp;
                continue;
            }
            state_.in_turn = true;
            state_.ran = false;
            state_.warp_end = warp.warp_instructions + slice;
        }
        const int path = choose_path(warp);
        if (path < 0) {
            if (!warp.finished() && resolve_lanes(executor_, warp)) {
                state_.ran = true;
                continue;
            }
            state_.moved = state_.moved || state_.ran;
            state_.in_turn = false;
            ++state_.warp;
            continue;
        }
        state_.ran = true;
        executor_.enter(warp, path);
        if (next_instruction().counted != 0 && !executor_.path().counted) return;
        // Not counted: a reconvergence mark, or an instruction that was
        // already counted when it diverged.
        after(step_path(executor_) != Flow::next, warp);
    }
}

void Walk::step()
{
    if (state_.finished) return;
    executor_.launch.check_cancelled();
    Warp& warp = *executor_.warp;
    const Flow flow = step_path(executor_);
    ++state_.position;
    after(flow != Flow::next, warp);
    settle();
}

void Walk::run_to(std::uint64_t position)
{
    while (!state_.finished && state_.position < position) {
        yield_to_page();
        executor_.launch.check_cancelled();
        if (executor_.follower != nullptr && executor_.follower->follows(executor_)) {
            step();
            continue;
        }
        Warp& warp = *executor_.warp;
        const std::uint64_t before = warp.warp_instructions;
        const std::uint64_t left = state_.warp_end > before ? state_.warp_end - before : 0;
        const std::uint64_t limit = position - state_.position;
        bool limited = false;
        try {
            // A path that has used up its turn continues to its next jump.
            limited = run_path_exactly(executor_, std::min(left, cancel_interval), limit);
        } catch (const device::KernelFault&) {
            // Instructions before the faulting one are not yet included in the warp's count.
            const std::uint64_t steps = executor_.slice_steps;
            if (steps > 1) state_.position += steps - 1;
            throw;
        }
        state_.position += warp.warp_instructions - before;
        after(!limited, warp);
        settle();
    }
}

} // namespace lanescope::simt
