// One activation serves all warps of a core: only the address of their special registers differs.
#include "compute/simt/native/straight.h"

#include "compute/simt/checks/faults/division_warnings.h"
#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt::native {

Straight::Straight(Executor& x, const FunctionCode& code)
    : code_(code), enter_(code.enter()), entry_(code.entry(0)),
      rows_(x.launch.program.entry().frame_bytes())
{
    activation_.executor = &x;
    activation_.frame = rows_.data();
    activation_.constants = const_cast<std::byte*>(x.launch.constant_rows.data());
    activation_.slice_steps = &x.slice_steps;
    activation_.fault = &fault_;
    activation_.hits = x.hits.data();
    activation_.groups = x.groups.data();
    activation_.shared_bytes = x.launch.shared_bytes;
    activation_.active = full_mask;
    activation_.straight = true;
}

void Straight::begin_block(Executor& x)
{
    x.function = &x.launch.program.entry();
    x.frame = nullptr;
    misses_of(x, code_); // allocates the counters
    activation_.shared = x.block->shared.data();
}

bool Straight::run(Executor& x, Warp& warp)
{
    if (warp.lanes != full_mask) return false;
    if (x.launch.options.native == NativeCode::sometimes && interpret_this_time(x, 0)) return false;
    ++x.entered;
    x.warp = &warp;
    activation_.specials = warp.specials.data();
    activation_.affine_threads = warp.affine_threads;
    activation_.zero_divisor_lanes = zero_divisor_lanes_of(x, *x.function);
    activation_.divided_by_zero = false;
    activation_.steps = 0;
    activation_.misses = x.octet_failures.data(); // compiling other code may have moved them
    const auto leave = static_cast<Leave>(enter_(&activation_, entry_));
    x.slice_steps = 0;
    if (activation_.divided_by_zero)
        take_zero_divisors(x, x.launch.program.entry(), x.zero_divisor_lanes);
    if (leave == Leave::fault) std::rethrow_exception(std::exchange(fault_, nullptr));
    x.straight_failed = leave != Leave::ended;
    if (x.straight_failed) return false;
    const std::uint64_t steps = code_.straight_steps();
    warp.paths.clear();
    warp.frames.clear();
    warp.exited = full_mask;
    warp.warp_instructions = steps;
    warp.thread_instructions = steps * warp_lanes;
    x.block->steps += steps;
    return true;
}

} // namespace lanescope::simt::native
