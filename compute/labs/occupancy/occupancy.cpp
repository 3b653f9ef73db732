// Numbers and references for the occupancy record: the limits of the selected
// architecture, and the correct results.
#include "compute/counting/occupancy.h"

#include <fmt/format.h>

#include "compute/experiment/record/named.h"

namespace lanescope::labs::occupancy {
namespace {

using counting::MultiprocessorLimits;

constexpr int max_of_block = 4096; // threads of a block, or registers of a thread
constexpr int max_shared = 1 << 20;

const MultiprocessorLimits& chosen(const Scope& scope)
{
    const std::string title = scope.text("architecture");
    for (const MultiprocessorLimits& limits : counting::multiprocessors())
        if (limits.title == title) return limits;
    throw Error(ExitStatus::bad_usage,
                fmt::format("There is no multiprocessor called '{}'.", title),
                "compute/counting/multiprocessors.def lists those that are known.");
}

std::vector<double> resources(const Scope& scope)
{
    const MultiprocessorLimits& sm = chosen(scope);
    const int threads = scope.whole("threads", 1, max_of_block);
    const int registers = scope.whole("registers", 1, max_of_block);
    const int shared = scope.whole("shared", 0, max_shared);
    const counting::Occupancy fits = counting::occupancy(sm, threads, registers, shared);
    const int numbers[] = {sm.warps,
                           fits.warps_per_block,
                           fits.warps_per_block,
                           fits.warp_limit,
                           sm.blocks,
                           1,
                           1,
                           fits.block_limit,
                           sm.registers,
                           fits.registers_per_block,
                           threads * registers,
                           fits.register_limit,
                           sm.shared_bytes,
                           fits.shared_bytes_per_block,
                           shared,
                           fits.shared_memory_limit};
    return {std::begin(numbers), std::end(numbers)};
}

std::vector<double> resident(const Scope& scope)
{
    const MultiprocessorLimits& sm = chosen(scope);
    const int shared = scope.whole("shared", 0, max_shared);
    const int rows = scope.whole("rows", 0, max_of_block);
    const int columns = scope.whole("columns", 0, max_of_block);
    std::vector<double> warps;
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
            warps.push_back(counting::occupancy(sm, 8 * (column + 1), 2 * (row + 1), shared).warps);
    return warps;
}

// A limit of the multiprocessor, by the limit's name in the record.
Computed chosen_limit(int MultiprocessorLimits::*which)
{
    return {[which](const Scope& scope) { return chosen(scope).*which; }};
}

const Named<Computed> threads_per_block{"occupancy_threads_per_block",
                                        chosen_limit(&MultiprocessorLimits::threads_per_block)};
const Named<Computed> warps{"occupancy_warps", chosen_limit(&MultiprocessorLimits::warps)};
const Named<Computed> blocks{"occupancy_blocks", chosen_limit(&MultiprocessorLimits::blocks)};
const Named<Computed> registers{"occupancy_registers",
                                chosen_limit(&MultiprocessorLimits::registers)};
const Named<Computed> registers_per_thread{
    "occupancy_registers_per_thread", chosen_limit(&MultiprocessorLimits::registers_per_thread)};
const Named<Computed> register_unit{"occupancy_register_unit",
                                    chosen_limit(&MultiprocessorLimits::register_unit)};
const Named<Computed> partitions{"occupancy_partitions",
                                 chosen_limit(&MultiprocessorLimits::partitions)};
const Named<Computed> launch_partitions{"occupancy_launch_partitions",
                                        chosen_limit(&MultiprocessorLimits::launch_partitions)};
const Named<Computed> registers_by_block{"occupancy_registers_by_block", {[](const Scope& scope) {
                                             return chosen(scope).registers_by_block ? 1 : 0;
                                         }}};
const Named<Computed> shared{"occupancy_shared", chosen_limit(&MultiprocessorLimits::shared_bytes)};
const Named<Computed> shared_per_block{"occupancy_shared_per_block",
                                       chosen_limit(&MultiprocessorLimits::shared_bytes_per_block)};
const Named<Computed> shared_reserved{"occupancy_shared_reserved",
                                      chosen_limit(&MultiprocessorLimits::reserved_shared_bytes)};
const Named<Computed> shared_unit{"occupancy_shared_unit",
                                  chosen_limit(&MultiprocessorLimits::shared_unit)};

const Named<Computed> resident_blocks{
    "occupancy_resident_blocks", {[](const Scope& scope) {
        return counting::occupancy(chosen(scope), scope.whole("threads", 1, max_of_block),
                                   scope.whole("registers", 1, max_of_block),
                                   scope.whole("shared", 0, max_shared))
            .blocks;
    }}};

const Named<Reference> resources_reference{"occupancy_resources", {.result = resources}};
const Named<Reference> resident_reference{"occupancy_resident", {.result = resident}};

} // namespace
} // namespace lanescope::labs::occupancy
