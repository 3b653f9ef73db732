// Units work at the same time, but not perfectly: their times are combined by a norm between their
// maximum and their sum.
#include "compute/predicted/prediction.h"

#include <algorithm>
#include <cmath>

namespace lanescope::predicted {

namespace {

// Sources: [M] measured on an H100 or H200; [F] chosen so that the launches of
// assets/manual/time.md fit. Per cycle, so that they scale to other GPUs.
constexpr double launch_us = 2.25;            // [M] the shortest kernels
constexpr double clock_share = 0.985;         // [M] of the boost clock
constexpr double dram_share = 0.895;          // [M] copies: 3.0 TB/s of the H100's 3.35
constexpr double l2_bytes = 17.5;             // [F] per multiprocessor; reads reach 25 [M]
constexpr double l2_to_multiprocessor = 64;   // bytes: whitepaper
constexpr double l2_store_lines = 0.25;       // [F] per multiprocessor; column-wise stores
constexpr double l2_atomic_sectors = 0.35;    // [M] per multiprocessor; spread atomics
constexpr double updates_in_one_place = 0.87; // [M] atomics at one address
constexpr double blocks_started = 0.836;      // [M] by the whole GPU
constexpr double latency_factor = 1.15;       // [F] of the chain: instruction fetches and others
constexpr double norm = 2.5;                  // [F]
constexpr double partitions = 4;              // of a multiprocessor

double at(const std::array<double, unit_count>& all, Unit unit)
{
    return all[static_cast<std::size_t>(unit)];
}

struct Pace {
    double blocks = 1; // of the busiest multiprocessor
    double waves = 1;
    double chains = 1; // one after another
    double partitions_used = partitions;
};

Pace pace_of(const Work& work, const counting::Gpu& gpu)
{
    const double share = work.blocks / gpu.multiprocessors;
    const int places = std::max(work.resident_blocks, 1);
    Pace pace;
    // With many waves, multiprocessors that finish early take blocks from others.
    const bool many = share > 2 * places;
    pace.blocks = many ? share : std::ceil(share);
    pace.waves = pace.blocks / places;
    pace.chains = pace.waves < 4 ? std::max(1.0, std::ceil(pace.waves)) : pace.waves + 0.5;
    const double warps = std::min<double>(places, pace.blocks) * work.warps_per_block;
    pace.partitions_used = std::clamp(warps, 1.0, partitions);
    return pace;
}

struct Pipes {
    double cycles = 0; // of the busiest pipe
    std::string_view busiest;
};

Pipes pipes_of(const Work& work)
{
    constexpr std::array<std::string_view, pipe_count> names{
        "", "FMA pipe", "integer pipe", "FP64 pipe", "special-function pipe", "tensor cores", ""};
    Pipes pipes{work.issue, "issue slots"};
    for (std::size_t i = 0; i < pipe_count; ++i)
        if (!names[i].empty() && work.pipes[i] > pipes.cycles) pipes = {work.pipes[i], names[i]};
    return pipes;
}

double l2_cycles(const Work& work, const counting::Gpu& gpu)
{
    const double all = gpu.multiprocessors;
    const double used = std::min(work.blocks, all);
    return std::max({(work.l2_read_bytes + work.l2_written_bytes) / (all * l2_bytes),
                     work.l2_read_bytes / (used * l2_to_multiprocessor),
                     work.l2_store_lines / (all * l2_store_lines),
                     work.l2_atomic_sectors / (all * l2_atomic_sectors),
                     work.l2_busiest_updates / updates_in_one_place});
}

double combined(const std::array<double, unit_count>& us)
{
    // Data from DRAM passes through L2 at the same time.
    const double memory = std::max(at(us, Unit::l2), at(us, Unit::dram));
    double sum = 0;
    for (const double part : {at(us, Unit::block_starts), at(us, Unit::instructions),
                              at(us, Unit::data), memory, at(us, Unit::latency)})
        sum += std::pow(part, norm);
    return std::pow(sum, 1 / norm);
}

// Errors of the launches in assets/manual/time.md.
Error error_of(const Prediction& prediction)
{
    if (prediction.by_launch) return {0.06, 0.16, 74};
    switch (prediction.limit) {
    case Unit::block_starts: return {0.04, 0.22, 29};
    case Unit::instructions: return {0.17, 0.41, 40};
    case Unit::data: return {0.14, 0.31, 24};
    case Unit::l2: return {0.05, 0.19, 25};
    case Unit::dram: return {0.06, 0.20, 29};
    case Unit::latency: break;
    }
    return {0.08, 0.28, 58};
}

Prediction combine(const std::array<double, unit_count>& us, const Pace& pace,
                   const counting::Gpu& gpu, std::string_view pipe)
{
    Prediction prediction{.launch_us = launch_us, .unit_us = us, .pipe = pipe, .waves = pace.waves};
    const double work_us = combined(us);
    prediction.us = launch_us + work_us;
    prediction.by_launch = launch_us > work_us;
    for (const Unit unit : all_units)
        if (prediction.of(unit) > prediction.of(prediction.limit)) prediction.limit = unit;
    prediction.validated = gpu.name == "H100" || gpu.name == "H200";
    prediction.error = error_of(prediction);
    return prediction;
}

Prediction predicted(const Work& work, const counting::Gpu& gpu, double started)
{
    const Pace pace = pace_of(work, gpu);
    const Pipes pipes = pipes_of(work);
    const double us_per_cycle = 1e3 / (gpu.clock_khz * clock_share);
    const double blocks = std::max(work.blocks, 1.0);
    const double on_busiest = pace.blocks / blocks; // of the launch's work
    std::array<double, unit_count> us{};
    const auto set = [&](Unit unit, double value) { us[static_cast<std::size_t>(unit)] = value; };
    set(Unit::block_starts, started / blocks_started * us_per_cycle);
    set(Unit::instructions,
        pipes.cycles * on_busiest * partitions / pace.partitions_used * us_per_cycle);
    set(Unit::data, work.data * on_busiest * us_per_cycle);
    set(Unit::l2, l2_cycles(work, gpu) * us_per_cycle);
    set(Unit::dram, work.dram_bytes / (gpu.memory_gb_per_s * dram_share * 1e3));
    set(Unit::latency, work.chain.cycles * latency_factor * pace.chains * us_per_cycle);
    return combine(us, pace, gpu, pipes.busiest);
}

} // namespace

std::string_view name(Unit unit)
{
    switch (unit) {
    case Unit::block_starts: return "block starts";
    case Unit::instructions: return "instructions";
    case Unit::data: return "L1 and shared memory";
    case Unit::l2: return "L2";
    case Unit::dram: return "DRAM";
    case Unit::latency: break;
    }
    return "latency";
}

std::string_view key(Unit unit)
{
    switch (unit) {
    case Unit::block_starts: return "block_starts";
    case Unit::instructions: return "instructions";
    case Unit::data: return "l1_and_shared";
    case Unit::l2: return "l2";
    case Unit::dram: return "dram";
    case Unit::latency: break;
    }
    return "latency";
}

std::string_view name(Wait wait)
{
    switch (wait) {
    case Wait::issue: return "issuing instructions";
    case Wait::arithmetic: return "results of arithmetic";
    case Wait::shared: return "results from shared memory and slow pipes";
    case Wait::global: return "results from global memory";
    case Wait::barrier: return "barriers";
    case Wait::branch: break;
    }
    return "branches";
}

std::string_view key(Wait wait)
{
    switch (wait) {
    case Wait::issue: return "issue";
    case Wait::arithmetic: return "arithmetic";
    case Wait::shared: return "shared";
    case Wait::global: return "global";
    case Wait::barrier: return "barrier";
    case Wait::branch: break;
    }
    return "branch";
}

double Prediction::use(Unit unit) const
{
    const double work_us = us - launch_us;
    return work_us > 0 ? std::min(1.0, of(unit) / work_us) : 0.0;
}

Prediction predict(const Work& work, const counting::Gpu& gpu)
{
    return predicted(work, gpu, work.blocks);
}

Prediction sum_of(std::span<const Prediction> launches)
{
    if (launches.size() == 1) return launches.front();
    Prediction sum;
    sum.validated = true;
    double max_us = 0;
    for (const Prediction& one : launches) {
        sum.us += one.us;
        sum.launch_us += one.launch_us;
        for (std::size_t i = 0; i < unit_count; ++i) sum.unit_us[i] += one.unit_us[i];
        sum.validated = sum.validated && one.validated;
        if (one.us <= max_us) continue;
        max_us = one.us;
        sum.pipe = one.pipe;
        sum.waves = one.waves;
    }
    sum.by_launch = 2 * sum.launch_us > sum.us;
    for (const Unit unit : all_units)
        if (sum.of(unit) > sum.of(sum.limit)) sum.limit = unit;
    sum.error = error_of(sum);
    return sum;
}

Prediction predict_in_fewer_blocks(const Work& work, const counting::Gpu& gpu)
{
    return predicted(work, gpu, work.blocks / 4);
}

} // namespace lanescope::predicted
