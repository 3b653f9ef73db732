// call and ret: arguments and results are copied between the parameter areas of the two frames.
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/machine/memory/symbols.h"
#include "compute/simt/machine/state/executor.h"
#include "compute/simt/operations/calls/device_runtime.h"
#include "compute/simt/operations/calls/heap.h"
#include "compute/simt/operations/calls/printing.h"
#include "compute/simt/operations/handlers.h"

namespace lanescope::simt {

namespace {

// Points to the first lane's bytes, with `stride` bytes per lane. Pushing a frame may move all
// rows, so obtain it afterwards.
struct Values {
    std::byte* first = nullptr;
    std::uint32_t stride = 0;
};
Values values_of(const Executor& x, const Frame& frame, const ParamSlot& slot)
{
    std::byte* const rows = x.warp->rows.data() + frame.rows_begin;
    if (slot.row == no_row)
        return {rows + frame.function->row_bytes + slot.offset, frame.function->param_stride};
    const bool in_frame = (slot.row & 3u) == static_cast<RowRef>(RowBase::frame);
    return {in_frame ? rows + slot.row : x.row<std::byte>(slot.row), slot.bytes};
}

void copy_slots(const Executor& x, const Frame& from, const std::vector<ParamSlot>& sources,
                const Frame& to, const std::vector<ParamSlot>& targets, std::uint32_t mask)
{
    const std::size_t count = std::min(sources.size(), targets.size());
    for (std::size_t i = 0; i < count; ++i) {
        const Values source = values_of(x, from, sources[i]);
        const Values target = values_of(x, to, targets[i]);
        const std::uint32_t bytes = std::min(sources[i].bytes, targets[i].bytes);
        if (bytes == 0 && sources[i].bytes == targets[i].bytes) { // predicates: one bit per lane
            const std::uint32_t flip = sources[i].inverted ? full_mask : 0;
            const std::uint32_t bits = *reinterpret_cast<std::uint32_t*>(source.first) ^ flip;
            auto& word = *reinterpret_cast<std::uint32_t*>(target.first);
            word = (word & ~mask) | (bits & mask);
            continue;
        }
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<std::uint32_t>(lowest_lane(rest));
            std::memcpy(target.first + lane * target.stride, source.first + lane * source.stride,
                        bytes);
        }
    }
}

// Indirect calls: lanes with different targets diverge here, and each side then executes the
// instruction again to make its own call.
bool split_by_target(Executor& x, const Instruction& in, const Call& call,
                     const std::uint64_t* targets)
{
    std::vector<Side> sides;
    std::vector<std::uint64_t> functions;
    for (std::uint32_t rest = x.path().mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        std::size_t i = 0;
        while (i < functions.size() && functions[i] != targets[lane]) ++i;
        if (i == functions.size()) {
            functions.push_back(targets[lane]);
            sides.push_back({x.pc_of(in), 0, true});
        }
        sides[i].lanes |= rest & (~rest + 1);
    }
    if (sides.size() == 1) return false;
    diverge(*x.warp, x.path_index, sides, call.return_to);
    return true;
}

int callee_of(const Executor& x, const Instruction& in, std::uint64_t target, int lane)
{
    const Program& program = x.launch.program;
    const int index = function_at(target, program.module->functions.size());
    const auto found = program.by_module_index.find(index);
    if (index < 0 || found == program.by_module_index.end() || found->second == 0)
        x.fault(
            in, "bad_call", lane, target,
            fmt::format(
                "calls through the pointer {:#x}, which is not the address of a device function",
                target));
    return found->second;
}

// Minimum stack of each call besides the function's local variables: the return address.
constexpr std::uint32_t call_bytes = 8;

// Adds up the stack of the frame and of its callers. A GPU needs more, because its code also saves
// registers.
void count_stack(Executor& x, const Instruction& in, int frame, int caller_frame, int lane)
{
    std::vector<Frame>& frames = x.warp->frames;
    Frame& made = frames[static_cast<std::size_t>(frame)];
    const Frame& caller = frames[static_cast<std::size_t>(caller_frame)];
    made.caller = caller_frame;
    made.stack_bytes = caller.stack_bytes +
                       static_cast<std::uint32_t>(aligned(caller.max_grown, call_bytes)) +
                       aligned(made.function->local_bytes, call_bytes) + call_bytes;
    made.recursive = caller.recursive;
    made.bytes_at_recursion = caller.bytes_at_recursion;
    for (int at = caller_frame; !made.recursive && at >= 0;
         at = frames[static_cast<std::size_t>(at)].caller) {
        if (frames[static_cast<std::size_t>(at)].function != made.function) continue;
        made.recursive = true;
        made.bytes_at_recursion = caller.stack_bytes;
    }
    const std::size_t limit =
        std::max<std::size_t>(x.launch.options.stack_bytes, made.bytes_at_recursion);
    if (x.launch.options.stack_bytes == 0 || !made.recursive || made.stack_bytes <= limit) return;
    int depth = 0;
    for (int at = caller_frame; at >= 0; at = frames[static_cast<std::size_t>(at)].caller) ++depth;
    x.fault(
        in, "stack_overflow", lane, 0,
        fmt::format("calls {} at a depth of {} calls, which need at least {} bytes of stack, and "
                    "there are {}: raise the limit with cudaDeviceSetLimit(cudaLimitStackSize, "
                    "...), or recurse less deeply",
                    made.function->name, depth, made.stack_bytes, limit));
}

Flow call(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const Call& made = x.function->calls[in.extra];
    const std::uint32_t skipping = x.path().mask & ~mask;
    if (skipping != 0) {
        const std::array<Side, 2> sides{Side{made.return_to, skipping},
                                        Side{x.pc_of(in), mask, true}};
        diverge(*x.warp, x.path_index, sides, made.return_to);
        return Flow::reload;
    }
    if (made.builtin != Builtin::none) {
        switch (made.builtin) {
        case Builtin::assertfail: throw_assertion(x, in, made, lowest_lane(mask));
        case Builtin::malloc: allocate_on_heap(x, made, mask); break;
        case Builtin::free: free_on_heap(x, in, made, mask); break;
        case Builtin::device_runtime: call_device_runtime(x, in, made, mask); break;
        default: print(x, in, made, mask); break;
        }
        return Flow::next;
    }
    int callee = made.function;
    if (callee < 0) {
        const auto* targets = x.row<const std::uint64_t>(made.target);
        if (split_by_target(x, in, made, targets)) return Flow::reload;
        callee = callee_of(x, in, targets[lowest_lane(mask)], lowest_lane(mask));
    }
    Warp& warp = *x.warp;
    const Function& function = x.launch.program.functions[static_cast<std::size_t>(callee)];
    const int caller_frame = x.path().frame;
    int frame = 0;
    try {
        frame = push_frame(warp, function);
    } catch (const std::length_error&) {
        x.fault(in, "stack_overflow", lowest_lane(mask), 0,
                fmt::format("calls {} at a depth of {} calls, for which there is no memory left",
                            function.name, warp.frames.size()));
    }
    count_stack(x, in, frame, caller_frame, lowest_lane(mask));
    copy_slots(x, warp.frames[static_cast<std::size_t>(caller_frame)], made.arguments,
               warp.frames[static_cast<std::size_t>(frame)], function.parameters, mask);
    enter_call(warp, x.path_index, frame, made.return_to, static_cast<int>(in.extra));
    return Flow::reload;
}

Flow return_to_caller(Executor& x, const Instruction& in, std::uint32_t mask)
{
    Warp& warp = *x.warp;
    x.path().pc = x.pc_of(in) + 1; // lanes that don't return continue here
    const int caller = call_node(warp, x.path_index);
    const Path& node = warp.paths[static_cast<std::size_t>(caller)];
    const Frame& frame = warp.frames[static_cast<std::size_t>(node.frame)];
    const Call& made = frame.function->calls[static_cast<std::size_t>(node.call)];
    copy_slots(x, *x.frame, x.function->results, frame, made.results, mask);
    return_from_call(warp, x.path_index, mask);
    return Flow::reload;
}

} // namespace

Handlers call_handlers()
{
    return same<call>();
}
Handlers return_handlers()
{
    return same<return_to_caller>();
}

} // namespace lanescope::simt
