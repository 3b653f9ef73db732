// A launch as a walk: so many warp instructions forwards, in the order in which blocks that run one
// after the other are run, with a state between any two of them that is a plain value.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "compute/simt/machine/executor.h"
#include "compute/simt/machine/launch_state.h"

namespace lanescope::simt {

// All of a launch but its memory. Blocks that wait for their turn are shared between states; one
// that runs belongs to one state alone.
struct WalkState {
    std::deque<std::shared_ptr<const Block>> waiting; // have begun, the next one first
    std::shared_ptr<Block> running;                   // null: between blocks
    std::uint64_t next_block = 0;                     // to begin
    std::uint64_t block_end = 0; // the running block's steps at the end of its turn
    std::uint64_t warp_end = 0;  // the running warp's instructions at the end of its turn
    int warp = 0;                // whose turn it is
    bool in_turn = false;        // it has begun
    bool ran = false;            // the warp has moved in its turn
    bool moved = false;          // a warp has moved in this round
    bool finished = false;
    std::uint64_t position = 0; // warp instructions so far
    std::uint64_t blocks_ended = 0;

    WalkState copy() const;    // with a running block of its own
    std::size_t bytes() const; // of the running block
};

class Walk {
public:
    // `launch` must outlive this. Stands before the first warp instruction; `follower` may be null.
    Walk(const LaunchState& launch, std::vector<Observer*> observers, Observer* follower);

    const WalkState& state() const { return state_; }
    void observe_with(std::vector<Observer*> observers, Observer* follower);
    void restore(const WalkState& state);
    // Has entered the path that runs next, unless finished.
    Executor& executor() { return executor_; }
    const Executor& executor() const { return executor_; }
    bool finished() const { return state_.finished; }
    std::uint64_t position() const { return state_.position; }
    // Of the path that runs next.
    const Instruction& next_instruction() const
    {
        return executor_.function->code[static_cast<std::size_t>(path().pc)];
    }
    const Path& path() const { return executor_.warp->paths[executor_.path_index]; }
    // The lanes that the next instruction runs for: those of the path that its guard leaves.
    std::uint32_t next_mask() const;

    // Executes the next warp instruction. Throws KernelFault like a launch; the position is then
    // that of the instruction that failed, but registers and memory may hold a part of what it did.
    void step();
    // Executes until so many warp instructions have run, at full speed; or to the end of the
    // launch. Throws as step() does, or Cancelled, and can go on once the device has resumed.
    void run_to(std::uint64_t position);

private:
    void settle(); // moves on to where a warp instruction is next; sets finished
    void begin_turn();
    void after(bool leaves, Warp& warp);
    void own_running();

    Executor executor_;
    WalkState state_;
    std::shared_ptr<Block> idle_; // to begin the next block in
};

} // namespace lanescope::simt
