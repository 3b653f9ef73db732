// The launch as a whole has one time in the stream's order. Its instructions tell which of its
// accesses may come before the wait.
#include "compute/runtime/launches/dependents.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "compute/ptx/sites/dependents.h"
#include "compute/ptx/text/lines.h"
#include "compute/ptx/uses/uses.h"

namespace lanescope::runtime {

namespace {

// Parameters whose arguments point into the memory, one bit each.
std::uint64_t parameters_into(const Memory& memory, const device::Launch& launch)
{
    std::uint64_t parameters = 0;
    for (std::size_t i = 0; i < launch.arguments.size() && i < 64; ++i) {
        std::uint64_t address = 0;
        if (launch.arguments[i].bytes().size() != sizeof address) continue;
        std::memcpy(&address, launch.arguments[i].bytes().data(), sizeof address);
        if (address >= memory.address && address < memory.address + memory.bytes)
            parameters |= std::uint64_t{1} << i;
    }
    return parameters;
}

} // namespace

std::optional<Finding> early_access(const Memory& memory, const MemoryUse& use,
                                    const LaunchOrder& order, const simt::Program& program,
                                    const LaunchRecord& record)
{
    const auto other = memory.history.conflict(use, *order.early);
    const bool is_ahead = other && other->timeline == use.timeline; // in the same stream
    if (!is_ahead || !other->ordered_before(order.clock)) return {};
    const ptx::Function& kernel = *program.entry().source;
    const std::vector<bool> early = ptx::early_instructions(*program.module, kernel);
    const bool never_waits = std::ranges::all_of(early, [](bool one) { return one; });
    const std::uint64_t parameters = parameters_into(memory, order.launch);
    const ptx::Instruction* access = nullptr;
    for (const ptx::ParameterAccess& each : ptx::parameter_accesses(*program.module, kernel)) {
        const bool matches = use.touch == Touch::read ? each.reads : each.writes;
        if (access != nullptr || !matches || (each.parameters & parameters) == 0 ||
            !early[static_cast<std::size_t>(each.instruction)])
            continue;
        access = &kernel.instructions[static_cast<std::size_t>(each.instruction)];
    }
    // The early instruction may access only the part that the other launch leaves alone.
    const bool is_inside = use.begin >= other->begin && use.end <= other->end;
    if (!never_waits && (access == nullptr || !is_inside)) return {};
    Finding finding{.kind = "unordered"};
    finding.call = order.call == nullptr ? "" : order.call;
    finding.kernel = record.kernel;
    finding.launch = record.index;
    finding.site = record.site;
    finding.other_site = other->site;
    if (access != nullptr) {
        const ptx::SourceLine line = ptx::source_line(*program.module, *access);
        finding.file = line.file;
        finding.line = line.line;
    }
    finding.message = fmt::format(
        "Kernel {} is a dependent launch and may start before {} has ended, which {} the memory "
        "({} bytes allocated by {}) that it {} {}. Call cudaGridDependencySynchronize() first, in "
        "every thread.",
        record.kernel, other->what, other->touch == Touch::read ? "reads" : "writes", memory.bytes,
        memory.call, use.touch == Touch::read ? "reads" : "writes",
        never_waits ? "without waiting for it" : "before it waits");
    return finding;
}

} // namespace lanescope::runtime
