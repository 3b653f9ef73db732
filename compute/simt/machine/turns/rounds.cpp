// When blocks run in order, no other block writes memory during a turn, so a spin loop that leaves
// registers and memory unchanged will do so until the turn is over.
#include "compute/simt/machine/turns/rounds.h"

#include <algorithm>
#include <cstring>

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

namespace {

constexpr std::uint64_t max_round = 128; // in warp instructions

// Returns true if the instruction only reads memory and writes nothing but registers.
bool is_side_effect_free(const Instruction& in)
{
    return in.kind == HandlerKind::arithmetic || in.kind == HandlerKind::wide ||
           in.kind == HandlerKind::branch || in.kind == HandlerKind::load ||
           in.kind == HandlerKind::reconvergence;
}

// Runs the loop until the path is back at its start. Returns false if it is not a loop or has side
// effects.
bool runs_one_iteration(Executor& x)
{
    const std::uint64_t begin = x.warp->warp_instructions;
    const int head = x.path().pc;
    do {
        if (!is_side_effect_free(x.function->code[static_cast<std::size_t>(x.path().pc)]))
            return false;
        if (step_path(x) == Flow::reload) return false;
    } while (x.path().pc != head && x.warp->warp_instructions < begin + max_round);
    return x.path().pc == head && x.warp->warp_instructions > begin;
}

} // namespace

void skip_spin_iterations(Executor& x, std::uint64_t end)
{
    Warp& warp = *x.warp;
    const std::uint64_t begin = warp.warp_instructions;
    if (x.launch.parallel || begin + 2 * max_round >= end) return;
    if (x.follower != nullptr && x.follower->follows(x)) return;
    for (Observer* observer : x.observers)
        if (!observer->round_begins(x)) return;
    const Rows registers = warp.rows;
    if (!runs_one_iteration(x) ||
        std::memcmp(registers.data(), warp.rows.data(), registers.size()) != 0)
        return;
    for (Observer* observer : x.observers)
        if (!observer->round_repeats(x)) return;
    const std::uint64_t round = warp.warp_instructions - begin;
    const std::uint64_t times = (end - 1 - warp.warp_instructions) / round;
    for (Observer* observer : x.observers) observer->rounds(x, times);
    warp.warp_instructions += times * round;
    warp.thread_instructions += times * round * lane_count(x.path().mask);
    x.block->steps += times * round;
}

} // namespace lanescope::simt
