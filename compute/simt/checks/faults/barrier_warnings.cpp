// Examines the lanes that wait at a barrier when it opens.
#include "compute/simt/checks/faults/barrier_warnings.h"

#include <fmt/format.h>

#include "compute/ptx/text/lines.h"
#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

namespace {

// Lanes that wait at barrier 0.
struct Waiting {
    const Warp* warp = nullptr;
    const Function* function = nullptr;
    const Instruction* instruction = nullptr; // the barrier
    std::uint32_t lanes = 0;
};

const ptx::Instruction& source_of(const Waiting& one)
{
    return one.function->source->instructions[one.instruction->source];
}

bool at_different_lines(const Executor& x, const Waiting& a, const Waiting& b)
{
    const ptx::SourceLine first = ptx::source_line(*x.launch.program.module, source_of(a));
    const ptx::SourceLine second = ptx::source_line(*x.launch.program.module, source_of(b));
    return first.line != 0 && second.line != 0 &&
           (first.line != second.line || first.file != second.file);
}

} // namespace

void BarrierWarnings::opens(const Executor& x)
{
    std::uint32_t ended = 0, threads = 0;
    Waiting first;
    Waiting other; // waits at a different instruction than the barrier that opens
    for (const Warp& warp : x.block->warps) {
        threads += lane_count(warp.lanes);
        ended += lane_count(warp.exited & warp.lanes);
        for (const Path& path : warp.paths) {
            if (!path.live || path.wait != Wait::barrier || path.barrier != 0) continue;
            const Function* function = warp.frames[static_cast<std::size_t>(path.frame)].function;
            const Waiting one{&warp, function,
                              &function->code[static_cast<std::size_t>(path.pc - 1)], path.mask};
            if (first.instruction == nullptr)
                first = one;
            else if (other.instruction == nullptr && one.instruction != first.instruction)
                other = one;
        }
    }
    if (first.instruction == nullptr || (ended == 0 && other.instruction == nullptr)) return;
    if (warnings_.is_known(first.instruction, x.block->linear)) return;
    const bool mixed = other.instruction != nullptr && at_different_lines(x, first, other);
    if (ended == 0 && !mixed) return;
    const std::string what =
        mixed ? fmt::format("waits at a __syncthreads() while thread {} waits at a different "
                            "one, at {}. All threads of a block must reach the same one",
                            text(x.thread_index(*other.warp, lowest_lane(other.lanes))),
                            place_text(*x.launch.program.module, source_of(other)))
              : fmt::format("waits at a __syncthreads() that only {} of the block's {} threads "
                            "reach: {} already ended. All threads of a block must reach it, even "
                            "those that have nothing to do",
                            threads - ended, threads,
                            ended == 1 ? "one has" : fmt::format("{} have", ended));
    const trace::Fault fault = x.fault_at(*first.function, *first.instruction, *first.warp,
                                          lowest_lane(first.lanes), partial_barrier, what);
    warnings_.add(first.instruction, x.block->linear, fault);
}

} // namespace lanescope::simt
