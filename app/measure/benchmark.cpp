// Setting up every variant and peer on the same input, checking each, then measuring in turns.
#include "app/measure/benchmark.h"

#include <algorithm>
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

// A peer on an experiment's memory, under the names of the record.
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

// What the peer makes of the input, on memory that held nonsense.
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
    const labs::Values values = values_of(lab, sized, options.assignments);
    const auto texts = texts_of(lab, values);
    device::PlainAllocator plain(device);
    std::map<std::string, std::unique_ptr<labs::Experiment>> experiments; // of each variant
    std::vector<std::unique_ptr<cuda::Peer>> peers;
    std::vector<cuda::Work> candidates;
    Benchmark all;
    for (const labs::Variant& variant : lab.variants) {
        if (!variant.fault.empty() || variant.wrong || !variant.runs_on(device.engine())) continue;
        auto& started = experiments[variant.id];
        started = lab.start({device, plain, lab, variant, values, options.seed, {}});
        labs::Experiment& experiment = *started;
        experiment.step(); // uploads its input
        const labs::Check check = experiment.check();
        candidates.emplace_back([&experiment] { experiment.step(); });
        all.results.push_back({lab.id,
                               variant.id,
                               false,
                               check,
                               size,
                               texts,
                               {},
                               per_step(experiment.work_per_launch(), variant.steps)});
        all.results.back().steps = variant.steps;
    }
    for (const labs::Peer& wanted : lab.peers) {
        const auto found = experiments.find(wanted.variant);
        if (found == experiments.end()) {
            all.left_out.push_back(
                {lab.id, wanted.name,
                 fmt::format("It works on the input of {}, which does not run here.",
                             wanted.variant)});
            continue;
        }
        labs::Experiment& experiment = *found->second;
        if (!wanted.when.empty() && experiment.number(wanted.when) == 0) {
            all.left_out.push_back(
                {lab.id, wanted.name,
                 fmt::format("It computes something other than the lab unless {}.", wanted.when)});
            continue;
        }
        const cuda::Task task = task_of(experiment, wanted);
        try {
            peers.push_back(tools.peer(wanted.name, task));
        } catch (const device::DeviceError& error) {
            all.left_out.push_back({lab.id, wanted.name, error.what()});
            continue;
        }
        cuda::Peer& peer = *peers.back();
        const labs::Variant& compared = labs::find_variant(lab, wanted.variant);
        BenchResult result{lab.id,
                           peer.title(),
                           true,
                           check_of(device, peer, experiment),
                           size,
                           texts,
                           {},
                           per_step(experiment.work_per_launch(), compared.steps),
                           peer.library(),
                           wanted.note};
        result.steps = compared.steps;
        for (const auto& [name, text] : wanted.takes) {
            if (!task.asked().contains(name))
                throw Error(ExitStatus::bad_usage,
                            fmt::format("{}: {} does not take \"{}\".", lab.id, wanted.name, name),
                            fmt::format("It takes: {}.", fmt::join(task.asked(), ", ")));
            if (!experiment.buffer(text)) result.shape[name] = experiment.number(text);
        }
        candidates.emplace_back([&peer] { peer.queue(); });
        all.results.push_back(std::move(result));
    }
    if (candidates.empty()) return all;
    const auto times = tools.measure(candidates);
    for (const auto& [id, experiment] : experiments) {
        const std::string_view view =
            lab.view_of_kind(labs::find_variant(lab, id), labs::ViewKind::timeline);
        if (view.empty()) continue;
        const labs::Picture picture = experiment->picture(view);
        const auto* shown = std::get_if<labs::TimelinePicture>(&picture);
        if (shown && shown->timeline->timed) all.timelines.push_back(*shown->timeline);
    }
    for (std::size_t i = 0; i < all.results.size(); ++i) {
        BenchResult& result = all.results[i];
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
