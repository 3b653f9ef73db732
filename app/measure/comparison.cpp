// See comparison.h.
#include "app/measure/comparison.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/export/table.h"
#include "app/measure/per_step.h"
#include "app/run/engine.h"
#include "compute/cuda/counters/counters.h"
#include "compute/simt/machine/options.h"
#include "compute/trace/ncu_csv.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

// A lab started on a device, after the steps that come before the counted one.
class CountedLab : public Counted {
public:
    CountedLab(device::Device& device, const Target& target, const CommonOptions& options)
        : plain_(device),
          experiment_(target.lab->start({device, plain_, *target.lab, *target.variant,
                                         values_from(*target.lab, options.assignments),
                                         options.seed, options.image}))
    {
        const std::int64_t before = launches_for(*target.variant, options.steps.value_or(0));
        for (std::int64_t launch = 0; launch < before; ++launch) experiment_->step();
    }

    trace::Trace count() override
    {
        trace::Trace trace;
        trace.per_warp = false;
        experiment_->step(&trace);
        return trace;
    }
    void step() override { experiment_->step(); }

private:
    device::PlainAllocator plain_;
    std::unique_ptr<labs::Experiment> experiment_;
};

trace::HardwareCounts from_ncu(const std::filesystem::path& file, const trace::Trace& counted)
{
    const auto launches = trace::read_ncu_csv(render::read_file(file));
    const trace::HardwareCounts* found =
        trace::find_launch(launches, counted.kernel, counted.grid, counted.block);
    if (!found)
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("{} holds no launch of {} with this grid and block.", file.string(),
                                counted.kernel),
                    "Profile the same variant with the same parameters.");
    return *found;
}

// What makes a file for --ncu: the counted launch of the same variant.
std::string ncu_command(const Target& target, const CommonOptions& options)
{
    std::string command = fmt::format(
        "ncu --csv --log-file counters.csv --metrics {} lanescope run {}/{} --device cuda",
        trace::metric_list(), target.lab->id, target.variant->id);
    for (const std::string& assignment : options.assignments)
        command += fmt::format(" --set '{}'", assignment);
    const std::int64_t before = launches_for(*target.variant, options.steps.value_or(0));
    return command + fmt::format(" --steps {}", (before + 1) * target.variant->steps);
}

// The metrics that a profiler left out, if there are any.
void note_missing(const trace::HardwareCounts& hardware, std::vector<std::string>& notes)
{
    std::string missing;
    for (const trace::ComparedCount& count : trace::compared_counts())
        for (std::string_view metric : count.metrics)
            if (hardware.metrics.find(metric) == hardware.metrics.end())
                missing += fmt::format("{}{}", missing.empty() ? "" : ", ", metric);
    if (!missing.empty()) notes.push_back("Not among the hardware counters: " + missing + ".");
}

// The GPU's own counters; a note where they are not available.
std::optional<trace::HardwareCounts> from_gpu(cuda::CudaDevice& gpu, const StartCounted& start,
                                              const std::string& ncu_command,
                                              std::vector<std::string>& notes)
{
    try {
        const std::unique_ptr<Counted> counted = start(gpu);
        return cuda::count_hardware(gpu, [&] { counted->step(); });
    } catch (const device::DeviceError& error) {
        notes.push_back(fmt::format("No hardware counters: {} Or let Nsight Compute read them, and "
                                    "give its file with --ncu:\n{}",
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
    if (a.counts.size() != b.counts.size()) return false;
    return a.counts == b.counts;
}

} // namespace

bool Comparison::agrees() const
{
    for (const trace::Comparison& line : lines) {
        if (!line.engines_agree()) return false;
        if (line.hardware && *line.hardware != line.simt && line.reason.empty()) return false;
    }
    for (const ComparedResult& result : results)
        if (result.probed.value_or(0) + result.plain.value_or(0) != 0) return false;
    return sites_equal;
}

Comparison compare_sources(const StartCounted& start, const std::filesystem::path& ncu_csv,
                           const std::string& ncu_command, const simt::Options& simt_options)
{
    const OpenedEngine machine = open_engine("simt", simt_options);
    const std::unique_ptr<Counted> reference = start(*machine.device);
    const trace::Trace simt = reference->count();
    Comparison comparison;
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
        if (ncu_csv.empty()) hardware = from_gpu(*device, start, ncu_command, comparison.notes);
    } else {
        comparison.notes.push_back("No probes and no hardware counters: " + gpu.reason + " " +
                                   gpu.cure);
    }
    if (!ncu_csv.empty()) hardware = from_ncu(ncu_csv, simt);
    if (hardware) note_missing(*hardware, comparison.notes);

    comparison.lines = trace::compare(simt.totals(), probes, hardware);
    return comparison;
}

Comparison compare_sources(const Target& target, const CommonOptions& options,
                           const std::filesystem::path& ncu_csv)
{
    const auto start = [&](device::Device& device) -> std::unique_ptr<Counted> {
        return std::make_unique<CountedLab>(device, target, options);
    };
    return compare_sources(start, ncu_csv, ncu_command(target, options));
}

std::string comparison_text(const Comparison& comparison)
{
    const auto number = [](const std::optional<std::uint64_t>& value) {
        return value ? grouped(*value) : std::string("-");
    };
    Table table({{"count"},
                 {"simt", true},
                 {"probes", true},
                 {"hardware", true},
                 {"difference", true},
                 {"known reason"}});
    for (const trace::Comparison& line : comparison.lines) {
        const auto difference = line.hardware ? static_cast<std::int64_t>(*line.hardware) -
                                                    static_cast<std::int64_t>(line.simt)
                                              : 0;
        table.add({std::string(line.title), grouped(line.simt), number(line.probes),
                   number(line.hardware), difference ? fmt::format("{:+}", difference) : "",
                   std::string(line.reason)});
    }
    std::string text = comparison.kernel + "\n\n" + table.text();
    if (!comparison.sites_equal) text += "simt and probes differ in single sites.\n";
    for (const ComparedResult& result : comparison.results) {
        const auto verdict = [&](const std::optional<std::size_t>& differing) {
            if (!differing) return std::string("not launched");
            return *differing == 0 ? std::string("equal")
                                   : fmt::format("{} of {} bytes differ", *differing, result.bytes);
        };
        text += fmt::format("result {}: probed {}, plain {}\n", result.name, verdict(result.probed),
                            verdict(result.plain));
    }
    for (const std::string& note : comparison.notes) text += note + "\n";
    return text;
}

nlohmann::ordered_json comparison_json(const Comparison& comparison)
{
    using nlohmann::ordered_json;
    const auto number = [](const std::optional<std::uint64_t>& value) {
        return value ? ordered_json(*value) : ordered_json(nullptr);
    };
    ordered_json lines = ordered_json::array();
    for (const trace::Comparison& line : comparison.lines)
        lines.push_back({{"count", line.title},
                         {"simt", line.simt},
                         {"probes", number(line.probes)},
                         {"hardware", number(line.hardware)},
                         {"reason", line.reason}});
    ordered_json results = ordered_json::array();
    const auto differing = [](const std::optional<std::size_t>& bytes) {
        return bytes ? ordered_json(*bytes) : ordered_json(nullptr);
    };
    for (const ComparedResult& result : comparison.results)
        results.push_back({{"of", result.name},
                           {"bytes", result.bytes},
                           {"probed_differ", differing(result.probed)},
                           {"plain_differ", differing(result.plain)}});
    return {{"kernel", comparison.kernel},           {"agrees", comparison.agrees()},
            {"sites_equal", comparison.sites_equal}, {"counts", std::move(lines)},
            {"results", std::move(results)},         {"notes", comparison.notes}};
}

} // namespace lanescope::app
