// Counts executed memory accesses, which are an upper bound on the blocks that do any work.
#include "compute/trace/idle_blocks.h"

#include <algorithm>

#include <fmt/format.h>

#include "compute/trace/findings.h"

namespace lanescope::trace {

std::optional<IdleBlocks> idle_blocks(const Trace& trace)
{
    constexpr std::uint64_t min_blocks = 64; // a smaller grid costs next to nothing
    constexpr std::uint64_t min_times_larger = 8;
    const std::uint64_t blocks = trace.grid.count();
    const bool completed =
        std::ranges::all_of(trace.faults, [](const Fault& fault) { return is_doubt(fault.kind); });
    if (blocks < min_blocks || trace.device_launches > 0 || !completed || trace.sites.empty())
        return {};
    std::uint64_t accesses = 0;
    for (std::size_t i = 0; i < trace.sites.size() && i < trace.counts.size(); ++i)
        if (trace.sites[i].op != Op::branch) accesses += trace.counts[i].executions;
    if (accesses == 0 || accesses > blocks / min_times_larger) return {};
    IdleBlocks found{.idle = blocks - accesses, .blocks = blocks};
    found.sentence = fmt::format(
        "At least {} of the {} blocks of {} access no memory: the grid is many times larger than "
        "its work. Check the brackets where the number of blocks is computed: (n + threads - 1) / "
        "threads.",
        found.idle, blocks, trace.kernel);
    return found;
}

} // namespace lanescope::trace
