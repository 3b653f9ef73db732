// The inner loop: runs of plain arithmetic execute without any checks; everything else goes through
// its handler.
#include "compute/simt/machine/state/executor.h"

#include <algorithm>

#include "compute/simt/checks/faults/division_warnings.h"
#include "compute/simt/native/native.h"
#include "compute/simt/native/straight.h"
#include "compute/simt/operations/lanes/zero_divisors.h"

namespace lanescope::simt {

Executor::Executor(const LaunchState& state) : launch(state), hits(state.program.cache_slots + 1)
{
    std::uint32_t max_groups = 0;
    for (const Function& each : state.program.functions)
        max_groups = std::max(max_groups, each.address_groups);
    groups.resize(max_groups);
}

Executor::~Executor() = default;

void Executor::enter(Warp& running, int index)
{
    warp = &running;
    path_index = index;
    ++entered;
    frame = &running.frames[running.paths[index].frame];
    function = frame->function;
    const auto address = [](const std::byte* rows, RowBase which) {
        return reinterpret_cast<std::uintptr_t>(rows) - static_cast<std::uintptr_t>(which);
    };
    base[0] = address(running.rows.data() + frame->rows_begin, RowBase::frame);
    base[1] = address(launch.constant_rows.data(), RowBase::constants);
    base[2] = address(running.specials.data(), RowBase::specials);
    base[3] = address(nullptr, RowBase::nothing);
}

namespace {

RowOperands operands_of(const Executor& x, const Instruction& in)
{
    RowOperands operands;
    operands.d = x.row<void>(in.d);
    operands.a = x.row<const void>(in.a);
    operands.b = x.row<const void>(in.b);
    operands.c = x.row<const void>(in.c);
    return operands;
}

// Bindings of the running frame; null in device functions.
Bound* bindings_of(Executor& x)
{
    Warp& warp = *x.warp;
    if (x.function->bound_instructions == 0 || x.frame != warp.frames.data()) return nullptr;
    Bindings& mine = warp.bindings;
    if (mine.rows != warp.rows.data() || mine.specials != warp.specials.data()) {
        mine.rows = warp.rows.data();
        mine.specials = warp.specials.data();
        mine.instructions.assign(x.function->bound_instructions, Bound{});
    }
    return mine.instructions.data();
}

void bind(const Executor& x, const Instruction* in, const Instruction* end, Bound* bound)
{
    for (; in != end; ++in, ++bound) *bound = {in->run, operands_of(x, *in)};
}

template <bool Observed>
const native::FunctionCode* native_of(Executor& x, bool masked)
{
    Executor::NativeOf& known = x.native_of[(Observed ? 2 : 0) + (masked ? 1 : 0)];
    if (known.function == x.function) return known.code;
    const native::FunctionCode* const code = native::code_of(x, *x.function, Observed, masked);
    if (code != nullptr) known = {x.function, code};
    return code;
}

template <bool Observed>
Outcome run(Executor& x, std::uint64_t slice)
{
    const Path& path = x.path();
    const std::uint32_t active = path.mask;
    const Function& function = *x.function;
    const Instruction* const code = function.code.data();
    zero_divisors.count = 0;
    const Instruction* in = code + path.pc;
    const std::uint64_t threads = std::uint64_t{lane_count(active)};
    Warp& warp = *x.warp;
    RowOperands operands;
    // Starts at -1 if the first instruction has already been counted; that
    // instruction runs before `steps` is read.
    std::uint64_t steps = std::uint64_t{0} - x.take_counted();
    Outcome outcome = Outcome::blocked;
    const native::FunctionCode* const made = native_of<Observed>(x, active != full_mask);
    bool may_be_native = made != nullptr;
    // Native code doesn't use bindings.
    Bound* const bindings = made == nullptr ? bindings_of(x) : nullptr;

    for (;;) {
        if (may_be_native) {
            // Retried at each branch target, since native code has few entry points.
            may_be_native = false;
            const int pc = static_cast<int>(in - code);
            const void* const entry =
                std::exchange(x.straight_failed, false) ? made->generic_entry() : made->entry(pc);
            if (entry != nullptr && !native::interpret_this_time(x, steps)) {
                const native::Leave leave = native::run(x, *made, entry, slice, steps);
                if (leave == native::Leave::blocked) break;
                in = code + x.path().pc;
                if (steps >= slice) {
                    outcome = Outcome::slice_over;
                    break;
                }
                may_be_native = true;
                continue;
            }
        }
        if (in->straight != 0) {
            const Instruction* const end = in + in->straight;
            steps += in->straight;
            if (bindings != nullptr && in->extra != no_index) {
                Bound* bound = bindings + in->extra;
                const Bound* const last = bound + in->straight;
                if (bound->run == nullptr) bind(x, in, end, bound);
                do bound->run(bound->operands, active);
                while (++bound != last);
                in = end;
                continue;
            }
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
        if (steps >= slice) {
            outcome = Outcome::slice_over;
            break;
        }
        may_be_native = made != nullptr;
    }
    if (zero_divisors.count != 0) take_zero_divisors(x, function);
    if (made == nullptr && x.launch.program.native != nullptr)
        x.launch.program.native->ran(x.launch.program, *x.function, Observed, active != full_mask,
                                     steps);
    warp.warp_instructions += steps;
    warp.thread_instructions += steps * threads;
    x.block->steps += steps;
    x.slice_steps = 0;
    return outcome;
}

} // namespace

Flow step_path(Executor& x)
{
    Warp& warp = *x.warp;
    const std::uint32_t active = x.path().mask;
    const Instruction& in = x.function->code[static_cast<std::size_t>(x.path().pc)];
    std::uint32_t mask = active;
    if (in.guarded) {
        const std::uint32_t guard = *x.row<std::uint32_t>(in.guard);
        mask &= in.guard_negated ? ~guard : guard;
    }
    const std::uint64_t counted = in.counted - x.take_counted();
    x.slice_steps = counted;
    const int pc = x.pc_of(in);
    if (x.follower != nullptr && x.follower->follows(x)) x.follower->before(x, in, mask);
    const Function& function = *x.function;
    zero_divisors.count = 0;
    const Flow flow =
        mask != 0 || in.always ? in.handler[x.observers.empty() ? 0 : 1](x, in, mask) : Flow::next;
    if (zero_divisors.count != 0) take_zero_divisors(x, function);
    if (flow == Flow::next) x.path().pc = pc + 1;
    warp.warp_instructions += counted;
    warp.thread_instructions += counted * lane_count(active);
    x.block->steps += counted;
    x.slice_steps = 0;
    x.follower_just_started = false;
    return flow;
}

Outcome run_path(Executor& x, std::uint64_t slice)
{
    try {
        if (x.follower != nullptr && x.follower->follows(x)) {
            const std::uint64_t end = x.warp->warp_instructions + slice;
            while (x.warp->warp_instructions < end)
                if (step_path(x) == Flow::reload) return Outcome::blocked;
            return Outcome::slice_over;
        }
        return x.observers.empty() ? run<false>(x, slice) : run<true>(x, slice);
    } catch (...) {
        take_zero_divisors(x, *x.function); // a division by zero may have caused the fault
        throw;
    }
}

} // namespace lanescope::simt
