// A launch as a walk: executes a number of warp instructions in the machine's ordered block
// schedule, with the state in between available as a plain value.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "compute/simt/machine/state/executor.h"
#include "compute/simt/machine/state/launch_state.h"

namespace lanescope::simt {

// State of a launch except memory. Waiting blocks are shared between states; a running block
// belongs to a single state.
struct WalkState {
    // Blocks that have begun; the next one to run is first.
    std::deque<std::shared_ptr<const Block>> waiting;
    std::shared_ptr<Block> running; // null: between blocks
    std::uint64_t next_block = 0;   // next block to begin
    std::uint64_t block_end = 0;    // value of the running block's steps at the end of its turn
    std::uint64_t warp_end = 0;     // instruction count of the running warp at the end of its turn
    int warp = 0;                   // index of the warp whose turn it is
    bool in_turn = false;           // the turn of `warp` has started
    bool ran = false;               // the warp has progressed in its turn
    bool moved = false;             // some warp has progressed in this round
    bool finished = false;
    std::uint64_t position = 0; // executed warp instructions
    std::uint64_t blocks_ended = 0;

    WalkState copy() const;    // copies the running block, too
    std::size_t bytes() const; // size of the running block
};

class Walk {
public:
    // `launch` must outlive this. Starts before the first warp instruction; `follower` may be null.
    Walk(const LaunchState& launch, std::vector<Observer*> observers, Observer* follower);

    const WalkState& state() const { return state_; }
    void observe_with(std::vector<Observer*> observers, Observer* follower);
    void restore(const WalkState& state);
    // The executor; it is on the path that runs next unless the launch is finished.
    Executor& executor() { return executor_; }
    const Executor& executor() const { return executor_; }
    bool finished() const { return state_.finished; }
    std::uint64_t position() const { return state_.position; }
    // Next instruction of the executor's current path.
    const Instruction& next_instruction() const
    {
        return executor_.function->code[static_cast<std::size_t>(path().pc)];
    }
    const Path& path() const { return executor_.warp->paths[executor_.path_index]; }
    // Lanes that the next instruction runs for: the path's mask, reduced by its guard.
    std::uint32_t next_mask() const;

    // Executes the next warp instruction. Throws KernelFault like a launch; the position is then
    // that of the faulting instruction, but registers and memory may contain partial results.
    void step();
    // Executes at full speed up to a position, or to the end of the launch. Throws like step(), or
    // Cancelled; it can be called again once the device has resumed.
    void run_to(std::uint64_t position);

private:
    void settle(); // advances to the next warp instruction; sets `finished`
    void begin_turn();
    void after(bool leaves, Warp& warp);

    Executor executor_;
    WalkState state_;
    std::shared_ptr<Block> idle_; // reused for the next block
};

} // namespace lanescope::simt
