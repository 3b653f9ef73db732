// Variant of the interpreter's loop with a limit at any instruction: it is checked before each one,
// which would slow down the main loop.
#include "compute/simt/machine/turns/exact.h"

#include <algorithm>

#include "compute/counting/gpus.h"

namespace lanescope::simt {

std::uint64_t turn_of_block(const LaunchState& launch, std::size_t waiting)
{
    if (launch.program.cooperative) return cooperative_slice;
    return waiting < many_waiting ? block_slice : waiting_slice;
}

std::size_t blocks_at_once(const LaunchState& launch)
{
    const counting::Gpu& gpu = *launch.options.gpu;
    const int per_multiprocessor =
        counting::occupancy(gpu.limits(), static_cast<int>(launch.threads()), 1,
                            static_cast<int>(launch.shared_bytes))
            .blocks;
    return static_cast<std::size_t>(std::max(per_multiprocessor, 1)) *
           static_cast<std::size_t>(gpu.multiprocessors);
}

namespace {

template <bool Observed>
bool run(Executor& x, std::uint64_t slice, std::uint64_t limit)
{
    const std::uint32_t active = x.path().mask;
    const Instruction* const code = x.function->code.data();
    const Instruction* in = code + x.path().pc;
    Warp& warp = *x.warp;
    RowOperands operands;
    std::uint64_t steps = 0;
    bool limited = false;
    for (;;) {
        if (steps == limit) {
            x.path().pc = x.pc_of(*in);
            limited = true;
            break;
        }
        if (in->straight != 0) {
            const auto straight = std::min<std::uint64_t>(in->straight, limit - steps);
            const Instruction* const end = in + straight;
            steps += straight;
            do {
                operands.d = x.row<void>(in->d);
                operands.a = x.row<void>(in->a);
                operands.b = x.row<void>(in->b);
                operands.c = x.row<void>(in->c);
                in->run(operands, active);
            } while (++in != end);
            continue;
        }
        std::uint32_t mask = active;
        if (in->guarded) {
            const std::uint32_t guard = *x.row<std::uint32_t>(in->guard);
            mask &= in->guard_negated ? ~guard : guard;
            if (mask == 0 && !in->always) {
                steps += in->counted;
                ++in;
                continue;
            }
        }
        steps += in->counted;
        x.slice_steps = steps;
        const Flow flow = in->handler[Observed](x, *in, mask);
        if constexpr (Observed) {
            if (x.follower_just_started) {
                x.follower_just_started = false;
                if (flow == Flow::next) x.path().pc = x.pc_of(*in) + 1;
                break;
            }
        }
        if (flow == Flow::next) {
            ++in;
            continue;
        }
        if (flow == Flow::reload) break;
        in = code + x.path().pc;
        if (steps >= slice) break;
    }
    warp.warp_instructions += steps;
    warp.thread_instructions += steps * std::uint64_t{lane_count(active)};
    x.block->steps += steps;
    x.slice_steps = 0;
    return limited;
}

} // namespace

bool run_path_exactly(Executor& x, std::uint64_t slice, std::uint64_t limit)
{
    return x.observers.empty() ? run<false>(x, slice, limit) : run<true>(x, slice, limit);
}

} // namespace lanescope::simt
