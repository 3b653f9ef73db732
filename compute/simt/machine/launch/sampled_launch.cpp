// Reads by a chosen block of bytes that another block of the launch should have written are faults,
// as they are if all blocks are checked. Races between a chosen block and another go unnoticed.
#include "compute/simt/machine/launch/sampled_launch.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compute/simt/machine/launch/grid.h"
#include "compute/simt/machine/launch/sample_blocks.h"
#include "compute/trace/findings.h"
#include "compute/trace/sample.h"

namespace lanescope::simt {

namespace {

// Why all blocks must be checked; empty if a sample will do.
std::string reason_for_all(const LaunchState& state)
{
    const Checks& checks = state.options.checks;
    if (!checks.uninitialised && !checks.races) return "these checks take no time";
    if (state.grid.count() < min_sampled_grid)
        return fmt::format("the launch has fewer than {}", min_sampled_grid);
    if (state.clustered()) return "its blocks run in clusters";
    if (state.program.ordered) return "blocks of this kernel can wait for each other";
    return {};
}

bool any_unwritten(Memory& memory)
{
    return std::ranges::any_of(memory.allocations(), [&](const Allocation* allocation) {
        return !memory.is_written_whole(*allocation);
    });
}

// Restores memory as it was before the precise checks, if they have run.
class Restorer {
public:
    Restorer(LaunchState& part, const SaveMemory& save)
    {
        part.before_precise_checks = [this, &save, outer = part.before_precise_checks] {
            restore_ = save();
            if (outer) outer();
        };
    }
    Restorer(const Restorer&) = delete;
    Restorer& operator=(const Restorer&) = delete;
    void restore() const
    {
        if (restore_) restore_();
    }

private:
    std::function<void()> restore_;
};

enum class Verdict : std::uint8_t {
    fine,   // memory is restored
    faulty, // the trace has faults that did not end the launch
    waits   // a chosen block waits for another one; memory is restored
};

// Throws like run_grid().
Verdict check_chosen(const LaunchState& state, Pool& pool, trace::Trace* trace,
                     std::vector<std::uint64_t> chosen, const SaveMemory& save)
{
    LaunchState part = state;
    part.chosen = std::move(chosen);
    part.recording = nullptr;
    const Restorer memory(part, save);
    try {
        run_grid(part, pool, trace);
    } catch (const device::KernelFault& found) {
        if (found.fault().kind != trace::kind::endless) throw;
        memory.restore();
        return Verdict::waits;
    }
    if (trace != nullptr && !std::ranges::all_of(trace->faults, [](const trace::Fault& fault) {
            return trace::is_doubt(fault.kind);
        }))
        return Verdict::faulty;
    memory.restore();
    return Verdict::fine;
}

// Runs all blocks without the checks. The trace keeps the warnings of the chosen blocks.
void run_unchecked(const LaunchState& state, Pool& pool, trace::Trace* trace, double earlier_s)
{
    LaunchState plain = state;
    plain.options.checks = {};
    plain.options.keep_going = 0; // would take the blocks in order
    plain.earlier_s = earlier_s;
    plain.marks_stores = any_unwritten(state.memory);
    if (trace == nullptr) return run_grid(plain, pool, nullptr);
    const std::vector<trace::Fault> warnings = std::move(trace->faults);
    const auto keep_warnings = [&] {
        trace->faults.insert(trace->faults.begin(), warnings.begin(), warnings.end());
    };
    try {
        run_grid(plain, pool, trace);
    } catch (...) {
        keep_warnings();
        throw;
    }
    keep_warnings();
}

// Returns false, with memory restored, if the launch must be checked whole.
bool run_sampled(const LaunchState& state, Pool& pool, trace::Trace* trace, const SaveMemory& save)
{
    trace::Sample& sample = *state.options.sample;
    std::vector<std::uint64_t> chosen = sample_blocks(state.grid, sample.seed);
    const std::uint64_t count = chosen.size();
    const auto note = [&](std::uint64_t checked, bool stopped) {
        sample.checked += checked;
        sample.blocks += state.grid.count();
        sample.stopped = sample.stopped || stopped;
    };
    const auto ended = [&] { return trace == nullptr ? count : trace->blocks_ended; };
    const ThreadWatch since;
    Verdict verdict{};
    try {
        verdict = check_chosen(state, pool, trace, std::move(chosen), save);
    } catch (...) {
        note(ended(), true);
        throw;
    }
    if (verdict == Verdict::waits) return false;
    if (verdict == Verdict::faulty) {
        note(ended(), true);
        return true;
    }
    try {
        run_unchecked(state, pool, trace, since.seconds());
    } catch (...) {
        note(count, true);
        throw;
    }
    note(count, false);
    return true;
}

} // namespace

void run_launch(LaunchState& state, Pool& pool, trace::Trace* trace, const SaveMemory& save)
{
    const Options& options = state.options;
    if (options.progress != nullptr)
        options.progress->could_sample = options.sample == nullptr && reason_for_all(state).empty();
    if (options.sample == nullptr || !options.checks.any() || options.order != 0)
        return run_grid(state, pool, trace);
    std::string reason = reason_for_all(state);
    if (reason.empty()) {
        if (run_sampled(state, pool, trace, save)) return;
        reason = "its blocks wait for each other";
    }
    trace::Sample& sample = *options.sample;
    sample.checked += state.grid.count();
    sample.blocks += state.grid.count();
    sample.reason_for_all = std::move(reason);
    run_grid(state, pool, trace);
}

} // namespace lanescope::simt
