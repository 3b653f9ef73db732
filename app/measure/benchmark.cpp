// Sets up every variant and peer on the same input, checks each, then measures them interleaved.
#include "app/measure/benchmark.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/measure/per_step.h"

namespace lanescope::app {
namespace {

labs::Values values_of(const labs::Lab& lab, const std::map<std::string, std::string>& sized,
                       const std::vector<std::string>& assignments)
{
    labs::Values values(lab);
    for (const auto& [id, text] : sized) values.set(id, text);
    for (const std::string& assignment : assignments) {
        const auto equals = assignment.find('=');
        values.set(std::string_view(assignment).substr(0, equals),
                   equals == std::string::npos ? ""
                                               : std::string_view(assignment).substr(equals + 1));
    }
    return values;
}

// A peer's task on an experiment's buffers, named as in the record.
cuda::Task task_of(const labs::Experiment& experiment, const labs::Peer& peer)
{
    const auto given = [&peer](std::string_view name) {
        const auto found = peer.takes.find(std::string(name));
        return found == peer.takes.end() ? nullptr : &found->second;
    };
    return {[&experiment, given](std::string_view name) {
                const std::string* buffer = given(name);
                return buffer ? experiment.buffer(*buffer) : nullptr;
            },
            [&experiment, given](std::string_view name) {
                const std::string* expression = given(name);
                if (!expression) throw std::out_of_range(std::string(name));
                return experiment.number(*expression);
            }};
}

// Checks a peer's result, after filling its memory with garbage.
labs::Check check_of(device::Device& device, cuda::Peer& peer, labs::Experiment& experiment)
{
    const device::Buffer& made = peer.result();
    constexpr std::uint8_t nonsense = 0xA5;
    device.fill(made.address(), nonsense, made.bytes());
    peer.queue();
    return experiment.check(device::download<std::byte>(device, made.address(), made.bytes()));
}

std::map<std::string, std::string> texts_of(const labs::Lab& lab, const labs::Values& values)
{
    std::map<std::string, std::string> texts;
    for (const labs::Parameter& parameter : lab.parameters)
        texts[parameter.id] = values.text(parameter.id);
    return texts;
}

// Everything measured in one run, in the order of Benchmark::results.
struct Candidates {
    Candidates(device::Device& device, labs::Values chosen)
        : values(std::move(chosen)), plain(device)
    {
    }

    labs::Values values;
    device::PlainAllocator plain;
    std::map<std::string, std::unique_ptr<labs::Experiment>> experiments; // keyed by variant
    std::vector<std::unique_ptr<cuda::Peer>> peers;
    std::vector<cuda::Work> work;
};

// Names of the devices that an experiment uses, for one with a timeline over several; empty for a
// single device.
std::string device_names_of(const labs::Lab& lab, const labs::Variant& variant,
                            labs::Experiment& experiment)
{
    const std::string_view view = lab.view_of_kind(variant, labs::ViewKind::timeline);
    if (view.empty()) return {};
    const labs::Picture picture = experiment.picture(view);
    const auto* const shown = std::get_if<labs::TimelinePicture>(&picture);
    return shown ? shown->timeline->device_names : std::string();
}

void add_variants(device::Device& device, const labs::Lab& lab, std::uint64_t seed,
                  Candidates& candidates, Benchmark& all)
{
    for (const labs::Variant& variant : lab.variants) {
        if (!variant.fault.empty() || variant.wrong || !variant.runs_on(device.engine())) continue;
        auto& started = candidates.experiments[variant.id];
        started = lab.start({device, candidates.plain, lab, variant, candidates.values, seed, {}});
        labs::Experiment& experiment = *started;
        experiment.step(); // uploads its input
        BenchResult result;
        result.lab = lab.id;
        result.variant = variant.id;
        result.check = experiment.check();
        result.work = per_step(experiment.work_per_launch(), variant.steps);
        result.steps = variant.steps;
        result.device_names = device_names_of(lab, variant, experiment);
        candidates.work.emplace_back([&experiment] { experiment.step(); });
        all.results.push_back(std::move(result));
    }
}

// Why the peer is not measured; empty if it can be. `experiment` belongs to its variant, or is
// null.
std::string reason_against(const labs::Peer& wanted, const labs::Experiment* experiment)
{
    if (!experiment)
        return fmt::format("It uses the input of {}, which does not run here.", wanted.variant);
    if (!wanted.when.empty() && experiment->number(wanted.when) == 0)
        return fmt::format("It computes something other than the lab unless {}.", wanted.when);
    return {};
}

void add_peers(device::Device& device, const labs::Lab& lab, const BenchTools& tools,
               Candidates& candidates, Benchmark& all)
{
    for (const labs::Peer& wanted : lab.peers) {
        const auto found = candidates.experiments.find(wanted.variant);
        labs::Experiment* const experiment =
            found == candidates.experiments.end() ? nullptr : found->second.get();
        if (std::string reason = reason_against(wanted, experiment); !reason.empty()) {
            all.left_out.push_back({lab.id, wanted.name, std::move(reason)});
            continue;
        }
        const cuda::Task task = task_of(*experiment, wanted);
        try {
            candidates.peers.push_back(tools.peer(wanted.name, task));
        } catch (const device::DeviceError& error) {
            all.left_out.push_back({lab.id, wanted.name, error.what()});
            continue;
        }
        cuda::Peer& peer = *candidates.peers.back();
        const labs::Variant& compared = labs::find_variant(lab, wanted.variant);
        BenchResult result;
        result.lab = lab.id;
        result.variant = peer.title();
        result.is_peer = true;
        result.check = check_of(device, peer, *experiment);
        result.work = per_step(experiment->work_per_launch(), compared.steps);
        result.library = peer.library();
        result.note = wanted.note;
        result.steps = compared.steps;
        for (const auto& [name, text] : wanted.takes) {
            if (!task.asked().contains(name))
                throw Error(
                    ExitStatus::bad_usage,
                    fmt::format("{}: {} does not accept \"{}\".", lab.id, wanted.name, name),
                    fmt::format("It accepts: {}.", fmt::join(task.asked(), ", ")));
            if (!experiment->buffer(text)) result.shape[name] = experiment->number(text);
        }
        candidates.work.emplace_back([&peer] { peer.queue(); });
        all.results.push_back(std::move(result));
    }
}

// Settings at which timelines are recorded: the chosen values, and the points of each sweep over a
// parameter that does not restart the experiment.
std::vector<labs::Values> settings_of(const labs::Lab& lab, const labs::Values& chosen)
{
    std::vector<labs::Values> settings{chosen};
    for (const labs::Sweep& sweep : lab.sweeps) {
        if (lab.find_parameter(sweep.parameter)->restarts) continue;
        labs::Values values = chosen;
        for (const auto& [id, text] : sweep.on_gpu)
            if (!lab.find_parameter(id)->restarts) values.set(id, text);
        for (const std::string& text : sweep.values) {
            values.set(sweep.parameter, text);
            if (std::ranges::find(settings, values) == settings.end()) settings.push_back(values);
        }
    }
    return settings;
}

// The timeline with the median total of a few steps.
std::optional<labs::Timeline> typical_timeline(labs::Experiment& experiment, std::string_view view)
{
    constexpr int steps = 9;
    std::vector<labs::Timeline> all;
    for (int i = 0; i < steps; ++i) {
        experiment.step();
        const labs::Picture picture = experiment.picture(view);
        const auto* const shown = std::get_if<labs::TimelinePicture>(&picture);
        if (!shown || !shown->timeline->timed) return {};
        all.push_back(*shown->timeline);
        if (all.front().frames == 0) return all.front();
    }
    std::ranges::sort(all, {}, &labs::Timeline::total_ms);
    return all[steps / 2];
}

// Timelines of frames that OpenGL draws, at every size of the sweeps: calls do not grow with the
// size, and copies do.
void add_frame_timelines(device::Device& device, const labs::Lab& lab, const Candidates& candidates,
                         std::uint64_t seed, Benchmark& all)
{
    device::PlainAllocator plain(device);
    for (const auto& [id, measured] : candidates.experiments) {
        const labs::Variant& variant = labs::find_variant(lab, id);
        const std::string_view view = lab.view_of_kind(variant, labs::ViewKind::timeline);
        if (view.empty()) continue;
        const auto first = typical_timeline(*measured, view);
        if (!first || first->frames == 0) continue;
        for (const labs::Sweep& sweep : lab.sweeps)
            for (const std::string& text : sweep.values) {
                labs::Values values = candidates.values;
                if (values.text(sweep.parameter) == text) continue;
                values.set(sweep.parameter, text);
                const auto experiment = lab.start({device, plain, lab, variant, values, seed, {}});
                if (auto timeline = typical_timeline(*experiment, view))
                    all.timelines.push_back(std::move(*timeline));
            }
    }
}

// Records timelines of variants that overlap copies and kernels, if the device has a clock.
void add_timelines(const labs::Lab& lab, const Candidates& candidates, Benchmark& all)
{
    for (const auto& [id, experiment] : candidates.experiments) {
        const std::string_view view =
            lab.view_of_kind(labs::find_variant(lab, id), labs::ViewKind::timeline);
        if (view.empty()) continue;
        for (const labs::Values& values : settings_of(lab, candidates.values)) {
            experiment->set(values);
            if (auto timeline = typical_timeline(*experiment, view))
                all.timelines.push_back(std::move(*timeline));
        }
    }
}

} // namespace

BenchTools gpu_tools(cuda::CudaDevice& device, int samples)
{
    return {[&device](std::string_view name, const cuda::Task& task) {
                return cuda::make_peer(name, device, task);
            },
            [&device, samples](std::span<const cuda::Work> candidates) {
                return cuda::measure(device, candidates, {.samples = samples});
            }};
}

Benchmark benchmark(device::Device& device, const labs::Lab& lab, const std::string& size,
                    const BenchOptions& options, const BenchTools& tools)
{
    const auto& sized = size == "l2" ? lab.l2_sized : lab.dram_sized;
    Candidates candidates(device, values_of(lab, sized, options.assignments));
    Benchmark all;
    add_variants(device, lab, options.seed, candidates, all);
    add_peers(device, lab, tools, candidates, all);
    if (candidates.work.empty()) return all;
    const auto times = tools.measure(candidates.work);
    // At the smaller size API calls take longer than the work they start.
    if (size == "dram") {
        add_timelines(lab, candidates, all);
        add_frame_timelines(device, lab, candidates, options.seed, all);
    }
    const auto texts = texts_of(lab, candidates.values);
    for (std::size_t i = 0; i < all.results.size(); ++i) {
        BenchResult& result = all.results[i];
        result.size = size;
        result.values = texts;
        result.time = times[i];
        result.time.ms = per_step(result.time.ms, result.steps);
        result.rate = lab.rate;
    }
    return all;
}

ExitStatus status_of(const Benchmark& all)
{
    const bool correct =
        std::ranges::all_of(all.results, [](const BenchResult& one) { return one.check.correct; });
    return correct ? ExitStatus::done : ExitStatus::result_wrong;
}

} // namespace lanescope::app
