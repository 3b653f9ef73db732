// Instructions are compared before faults are built, since a warning may recur in every block.
#include "compute/simt/checks/faults/line_warnings.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "compute/simt/machine/state/options.h"
#include "compute/trace/findings.h"

namespace lanescope::simt {

bool LineWarnings::is_known(const Instruction* instruction, std::uint64_t block) const
{
    return std::ranges::any_of(warnings_, [&](const Warning& one) {
        return one.block <= block &&
               std::ranges::find(one.instructions, instruction) != one.instructions.end();
    });
}

void LineWarnings::add(const Instruction* instruction, std::uint64_t block, trace::Fault fault)
{
    for (Warning& known : warnings_)
        if (fault.line != 0 && known.fault.line == fault.line && known.fault.file == fault.file) {
            known.instructions.push_back(instruction);
            if (block < known.block) {
                known.block = block;
                known.fault = std::move(fault);
            }
            return;
        }
    warnings_.push_back({{instruction}, block, std::move(fault)});
}

void LineWarnings::merge_into(std::vector<trace::Fault>& faults) const
{
    const auto order = [](const trace::Fault& fault) {
        return std::tuple(fault.block.z, fault.block.y, fault.block.x);
    };
    for (const Warning& mine : warnings_) {
        const auto same = std::ranges::find_if(faults, [&](const trace::Fault& theirs) {
            return theirs.kind == mine.fault.kind && theirs.line == mine.fault.line &&
                   theirs.file == mine.fault.file;
        });
        if (same == faults.end())
            faults.push_back(mine.fault);
        else if (order(mine.fault) < order(*same))
            *same = mine.fault;
    }
    // Sorts the faults, so that their order doesn't depend on which core ran which block.
    std::ranges::stable_sort(faults, {}, [](const trace::Fault& fault) {
        return fault.kind == partial_barrier || fault.kind == zero_division ||
                       fault.kind == trace::kind::wrapped_index
                   ? std::tuple(fault.kind, fault.file, fault.line)
                   : std::tuple(std::string(), std::string(), 0);
    });
}

} // namespace lanescope::simt
