// Runs the same work on each available engine, and sets the counts side by side.
#include "app/measure/comparison.h"

#include <fmt/format.h>

#include "app/measure/assembled_counts.h"
#include "app/run/engine/engine.h"
#include "compute/cuda/counters/counters.h"
#include "compute/simt/machine/state/options.h"
#include "compute/trace/ncu_csv.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

// A lab on a device, run up to the step to be counted.
class CountedLab : public Counted {
public:
    CountedLab(device::Device& device, const CountedStep& step)
        : plain_(device), experiment_(step.lab->start({device, plain_, *step.lab, *step.variant,
                                                       step.values, step.seed, step.image}))
    {
        for (std::int64_t launch = 0; launch < step.launches_before; ++launch) experiment_->step();
    }

    trace::Trace count(std::string_view architecture) override
    {
        trace::Trace trace;
        trace.per_warp = false;
        if (!architecture.empty()) trace.assembler = assembler_for(std::string(architecture));
        experiment_->step(&trace);
        return trace;
    }
    void step() override { experiment_->step(); }

private:
    device::PlainAllocator plain_;
    std::unique_ptr<labs::Experiment> experiment_;
};

trace::HardwareCounts counts_from_ncu(const std::filesystem::path& file,
                                      const trace::Trace& counted)
{
    const auto launches = trace::read_ncu_csv(render::read_file(file, std::size_t{1} << 28));
    const trace::HardwareCounts* found =
        trace::find_launch(launches, counted.kernel, counted.grid, counted.block);
    if (!found)
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("{} contains no launch of {} with this grid and block.",
                                file.string(), counted.kernel),
                    "Profile the same variant with the same parameters.");
    return *found;
}

// Notes the metrics that the profiler left out, if any.
void note_missing(const trace::HardwareCounts& hardware, std::vector<std::string>& notes)
{
    std::string missing;
    for (const trace::ComparedCount& count : trace::compared_counts())
        for (std::string_view metric : count.metrics)
            if (hardware.metrics.find(metric) == hardware.metrics.end())
                missing += fmt::format("{}{}", missing.empty() ? "" : ", ", metric);
    if (!missing.empty()) notes.push_back("Not among the hardware counters: " + missing + ".");
}

// The GPU's own counters; a note if they are unavailable.
std::optional<trace::HardwareCounts> counts_from_gpu(cuda::CudaDevice& gpu,
                                                     const StartCounted& start,
                                                     const std::string& ncu_command,
                                                     std::vector<std::string>& notes)
{
    try {
        const std::unique_ptr<Counted> counted = start(gpu);
        return cuda::count_hardware(gpu, [&] { counted->count(); });
    } catch (const device::DeviceError& error) {
        notes.push_back(fmt::format("No hardware counters: {} Or let Nsight Compute read them, and "
                                    "pass its file with --ncu:\n{}",
                                    error.what(), ncu_command));
        return {};
    }
}

std::size_t differing_bytes(const std::vector<std::byte>& a, const std::vector<std::byte>& b)
{
    std::size_t count = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) count += a[i] != b[i];
    return count;
}

void compare_results(Comparison& comparison, Counted& simt, Counted& gpu,
                     std::optional<std::size_t> ComparedResult::*where)
{
    const auto ours = simt.results();
    const auto theirs = gpu.results();
    for (std::size_t i = 0; i < ours.size(); ++i)
        comparison.results[i].*where = differing_bytes(ours[i].second, theirs.at(i).second);
}

bool same_sites(const trace::Trace& a, const trace::Trace& b)
{
    return std::ranges::equal(a.counts, b.counts, [](trace::Counts one, trace::Counts other) {
        one.modelled_sectors = other.modelled_sectors = 0; // counted by simt only
        return one == other;
    });
}

} // namespace

bool Comparison::agrees() const
{
    for (const trace::Comparison& line : lines) {
        if (!line.engines_agree()) return false;
        if (line.hardware && *line.hardware != line.expected() && line.reason.empty()) return false;
    }
    for (const ComparedResult& result : results)
        if (result.probed.value_or(0) + result.plain.value_or(0) != 0) return false;
    return sites_equal;
}

Comparison compare_sources(const StartCounted& start, const std::filesystem::path& ncu_csv,
                           const std::string& ncu_command, const simt::Options& simt_options)
{
    const std::string architecture = sass_architecture();
    simt::Options machine_options = simt_options;
    machine_options.meetings = meetings_of_sass(architecture);
    const OpenedEngine machine = open_engine("simt", machine_options);
    const std::unique_ptr<Counted> reference = start(*machine.device);
    const trace::Trace simt = reference->count(architecture);
    Comparison comparison;
    std::optional<trace::Totals> assembled;
    const std::string unknown = why_not_assembled(simt, device::Engine::simt);
    if (!unknown.empty()) {
        comparison.notes.push_back("Counts of the assembled code are unavailable: " + unknown);
    } else if (simt.assembled != nullptr) { // null without a launch
        assembled = simt.assembled_totals();
        comparison.assembled_for = simt.assembled->architecture;
    }
    comparison.kernel = simt.kernel;
    for (const auto& [name, bytes] : reference->results())
        comparison.results.push_back({name, bytes.size(), {}, {}});

    std::optional<trace::Totals> probes;
    std::optional<trace::HardwareCounts> hardware;
    const cuda::Availability gpu = cuda::availability();
    if (gpu.available) {
        const auto device = cuda::make_device();
        {
            const std::unique_ptr<Counted> counted = start(*device);
            const trace::Trace probed = counted->count();
            probes = probed.totals();
            comparison.sites_equal = same_sites(simt, probed);
            compare_results(comparison, *reference, *counted, &ComparedResult::probed);
        }
        if (!comparison.results.empty()) {
            const std::unique_ptr<Counted> plain = start(*device);
            plain->step();
            compare_results(comparison, *reference, *plain, &ComparedResult::plain);
        }
        if (ncu_csv.empty())
            hardware = counts_from_gpu(*device, start, ncu_command, comparison.notes);
    } else {
        comparison.notes.push_back("No probes and no hardware counters: " + gpu.reason + " " +
                                   gpu.cure);
    }
    if (!ncu_csv.empty()) hardware = counts_from_ncu(ncu_csv, simt);
    if (hardware) note_missing(*hardware, comparison.notes);

    comparison.lines = trace::compare(simt.totals(), probes, hardware, assembled);
    return comparison;
}

StartCounted start_counted(CountedStep step)
{
    return [step = std::move(step)](device::Device& device) -> std::unique_ptr<Counted> {
        return std::make_unique<CountedLab>(device, step);
    };
}

} // namespace lanescope::app
