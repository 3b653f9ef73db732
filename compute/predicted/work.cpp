// Sums the work of a launch per unit, from its counts and its SASS.
#include "compute/predicted/work.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "compute/counting/counting.h"
#include "compute/counting/occupancy.h"
#include "compute/predicted/operands.h"

namespace lanescope::predicted {

using assembled::SassFunction;
using assembled::SassInstruction;

namespace {

double number(std::uint64_t count)
{
    return static_cast<double>(count);
}

bool is_atomic(const trace::Site& site)
{
    return site.op == trace::Op::atomic || site.op == trace::Op::reduction;
}

// Counts as they would be with better addresses.
void improve(trace::Counts& counts, const WhatIf& what_if)
{
    if (what_if.no_bank_conflicts && counts.ideal_wavefronts != 0)
        counts.wavefronts = std::min(counts.wavefronts, counts.ideal_wavefronts);
    if (what_if.contiguous && counts.ideal_sectors != 0 && counts.ideal_sectors < counts.sectors) {
        counts.sectors = counts.ideal_sectors;
        counts.lines = std::clamp((counts.sectors + 3) / 4, std::min(counts.requests, counts.lines),
                                  counts.lines);
    }
}

// Atomics are executed one after another where they meet: sums the updates of each 512 bytes.
double busiest_updates(const Launch& launch)
{
    constexpr int lines_together = 4;
    const caches::Recording& recording = launch.recording;
    std::vector<double> recorded(recording.sites.size());
    const auto each_atomic = [&](auto&& use) {
        for (const caches::RecordedBlock& block : recording.blocks)
            for (const caches::Word& word : block.words)
                if (!word.is_barrier() && recording.uses[word.site()] == caches::Access::atomic)
                    use(word);
    };
    if (std::ranges::find(recording.uses, caches::Access::atomic) == recording.uses.end()) return 0;
    each_atomic([&](const caches::Word& word) {
        recorded[word.site()] += std::popcount(static_cast<unsigned>(word.sectors()));
    });
    std::unordered_map<std::uint64_t, double> regions;
    double most = 0;
    each_atomic([&](const caches::Word& word) {
        const std::uint32_t site = word.site();
        const bool counted = site < launch.trace.counts.size() && recorded[site] > 0;
        // Lanes at one address count several times.
        const double weight =
            counted ? number(launch.trace.counts[site].sectors) / recorded[site] : 1;
        double& sum = regions[word.line() / lines_together];
        sum += weight * std::popcount(static_cast<unsigned>(word.sectors()));
        most = std::max(most, sum);
    });
    return most;
}

void add_instructions(Work& work, const SassFunction& function, const std::vector<Block>& blocks,
                      const Accesses& accesses)
{
    constexpr double partitions = 4; // of a multiprocessor; each issues an instruction per cycle
    for (const Block& block : blocks) {
        if (block.executions <= 0) continue;
        for (int i = block.begin; i < block.end; ++i) {
            const SassInstruction& in = function.instructions[static_cast<std::size_t>(i)];
            if (is_padding(in)) continue;
            const auto found = accesses.find(in.ptx_line);
            const Access* const access = found == accesses.end() ? nullptr : &found->second;
            work.issue += block.executions / partitions;
            work.pipes[static_cast<std::size_t>(pipe_of(in))] +=
                block.executions * pipe_cycles(in) / partitions;
            const double data = block.executions * data_cycles(in, access);
            work.data += data;
            if (access != nullptr) work.data_lines[in.ptx_line] += data;
            work.calls_functions =
                work.calls_functions || (in.name() == "CALL" && in.targets.empty());
            work.indexed_constants =
                work.indexed_constants ||
                (in.name() == "LDC" && in.operands.find("c[0x3][R") != std::string::npos);
        }
    }
}

void add_traffic(Work& work, const Accesses& accesses, const caches::Traffic& traffic,
                 double kept_sectors)
{
    const double sector = counting::sector_bytes;
    work.l2_read_bytes = number(traffic.l2_reads) * sector * kept_sectors;
    work.l2_written_bytes = number(traffic.l2_writes) * sector * kept_sectors;
    work.dram_bytes = number(traffic.dram_reads + traffic.dram_writes) * sector;
    for (const auto& [line, access] : accesses) {
        const bool global =
            access.site.space == trace::Space::global || access.site.space == trace::Space::generic;
        if (!global || access.site.op == trace::Op::branch) continue;
        const caches::Served& served = access.served;
        work.l2_lines[line] += number(served.l2 + served.dram + served.written);
        work.dram_lines[line] += number(served.dram + served.written);
        if (is_atomic(access.site))
            work.l2_atomic_sectors += number(access.counts.sectors);
        else if (access.site.op == trace::Op::store)
            work.l2_store_lines += number(access.counts.lines);
    }
}

int resident_blocks(const Launch& launch, int registers, const counting::Gpu& gpu)
{
    const counting::Occupancy fits =
        counting::occupancy(gpu.limits(), static_cast<int>(launch.recording.block.count()),
                            std::min(registers, gpu.limits().registers_per_thread),
                            launch.recording.shared_bytes_per_block);
    return std::max(fits.blocks, 1);
}

} // namespace

Work work_of(const SassFunction& function, const Launch& launch, const counting::Gpu& gpu,
             const WhatIf& what_if)
{
    constexpr std::uint64_t lanes = 32;
    Work work;
    work.blocks = number(launch.recording.grid.count());
    work.warps_per_block = static_cast<int>((launch.recording.block.count() + lanes - 1) / lanes);
    work.registers = registers_of(function);
    work.resident_blocks = resident_blocks(launch, work.registers, gpu);

    Accesses accesses = accesses_of(launch.trace, launch.served);
    std::uint64_t sectors = 0, kept = 0;
    for (auto& [line, access] : accesses) {
        sectors += access.counts.sectors;
        improve(access.counts, what_if);
        kept += access.counts.sectors;
    }
    std::vector<Block> blocks = blocks_of(function);
    count_executions(blocks, function, accesses, work.blocks * work.warps_per_block);
    add_instructions(work, function, blocks, accesses);
    add_traffic(work, accesses, launch.traffic,
                sectors == 0 ? 1.0 : number(kept) / number(sectors));
    work.l2_busiest_updates = busiest_updates(launch);
    work.chain = chain_of(function, blocks, accesses, {work.blocks, work.warps_per_block});
    return work;
}

} // namespace lanescope::predicted
