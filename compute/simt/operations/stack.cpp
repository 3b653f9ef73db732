// alloca, stacksave and stackrestore: local memory that a function requests while it runs. It
// follows the function's variables and is released when the function returns. Addresses are offsets
// in the lane's local memory.
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "compute/ptx/instructions/table.h"
#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/machine/state/aligned.h"
#include "compute/simt/machine/state/executor.h"
#include "compute/simt/operations/handlers.h"

namespace lanescope::simt {

namespace {

Frame& frame_of(Executor& x)
{
    return x.warp->frames[static_cast<std::size_t>(x.path().frame)];
}
// Where the memory that alloca adds begins.
std::uint64_t base_of(const Frame& frame)
{
    return std::uint64_t{frame.local_begin} + frame.function->local_bytes;
}

void throw_overflow(const Executor& x, const Instruction& in, int lane, std::uint64_t size,
                    std::uint64_t needed, std::uint64_t limit)
{
    x.fault(in, "stack_overflow", lane, 0,
            fmt::format("allocates {} bytes with alloca, for which it needs at least {} bytes of "
                        "stack, and there are {}: raise the limit with "
                        "cudaDeviceSetLimit(cudaLimitStackSize, ...), or allocate less",
                        size, needed, limit));
}

void throw_out_of_memory(const Executor& x, const Instruction& in, int lane, std::uint64_t size)
{
    x.fault(in, "stack_overflow", lane, 0,
            fmt::format("allocates {} bytes with alloca, after which the threads that run at the "
                        "same time would take more than a quarter of this machine's memory: "
                        "allocate less, or launch smaller blocks",
                        size));
}

Flow allocate(Executor& x, const Instruction& in, std::uint32_t mask)
{
    // Growing a warp's local memory takes milliseconds.
    stop_when_due(x, in, lowest_lane(mask));
    constexpr std::uint64_t default_alignment = 8;
    const auto* sizes = x.row<const std::uint64_t>(in.a);
    const auto* alignments = x.row<const std::uint32_t>(in.b);
    auto* d = x.row<std::uint64_t>(in.d);
    Frame& frame = frame_of(x);
    const std::uint64_t base = base_of(frame);
    const std::uint64_t before = frame.stack_bytes;
    const std::uint64_t limit = x.launch.options.stack_bytes == 0
                                    ? std::uint64_t{max_local_bytes}
                                    : std::max<std::uint64_t>(x.launch.options.stack_bytes, before);
    for (; mask != 0; mask &= mask - 1) {
        const int lane = lowest_lane(mask);
        const std::uint64_t size = sizes[lane];
        const std::uint64_t alignment =
            alignments == nullptr ? default_alignment : std::uint64_t{alignments[lane]};
        const std::uint64_t used = base + frame.grown[static_cast<std::size_t>(lane)];
        const std::uint64_t begin = (used + alignment - 1) / alignment * alignment;
        const std::uint64_t needed = before + (begin - base) + std::min(size, limit + 1);
        if (needed > limit || begin > max_local_bytes || size > max_local_bytes - begin)
            throw_overflow(x, in, lane, size, needed, limit);
        try {
            grow_frame(*x.warp, frame, lane, static_cast<std::uint32_t>(begin + size - base));
        } catch (const std::length_error&) {
            throw_out_of_memory(x, in, lane, size);
        }
        d[lane] = begin;
    }
    return Flow::next;
}

Flow save(Executor& x, const Instruction& in, std::uint32_t mask)
{
    auto* d = x.row<std::uint64_t>(in.d);
    const Frame& frame = frame_of(x);
    for (; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<std::size_t>(lowest_lane(mask));
        d[lane] = base_of(frame) + frame.grown[lane];
    }
    return Flow::next;
}

Flow restore(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const auto* saved = x.row<const std::uint64_t>(in.a);
    Frame& frame = frame_of(x);
    const std::uint64_t base = base_of(frame);
    for (; mask != 0; mask &= mask - 1) {
        const int lane = lowest_lane(mask);
        auto& grown = frame.grown[static_cast<std::size_t>(lane)];
        if (saved[lane] < base || saved[lane] - base > grown)
            x.fault(in, "bad_address", lane, saved[lane],
                    "restores its stack to an address that stacksave did not return in this call");
        grown = static_cast<std::uint32_t>(saved[lane] - base);
    }
    return Flow::next;
}

} // namespace

Handlers stack_handlers(ptx::Op op)
{
    switch (op) {
    case ptx::Op::alloca: return same<allocate>();
    case ptx::Op::stacksave: return same<save>();
    default: return same<restore>();
    }
}

} // namespace lanescope::simt
