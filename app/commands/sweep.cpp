// `lanescope sweep`: sweeps a lab's parameter, counting and, on a GPU, timing each value; output as
// a table, JSON, CSV or figure.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <set>

#include "app/commands/commands.h"
#include "app/commands/shared/json_output.h"
#include "app/commands/shared/options.h"
#include "app/commands/shared/validation.h"
#include "app/draw/scene/maps.h"
#include "app/export/exhibit_files.h"
#include "app/run/engine/engine.h"
#include "app/window/plots/plots.h"
#include "app/window/plots/sweep.h"
#include "compute/cuda/cuda_device.h"
#include "compute/cuda/measure/bandwidth.h"
#include "compute/endings.h"
#include "compute/simt/machine/state/options.h"
#include "render/capture/file.h"
#include "render/context/offscreen.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

struct SweepOptions {
    CommonOptions common;
    std::string target;
    std::string parameter;
    int samples = 15;
    bool json = false;
    bool csv = false;
    std::string output;
    std::string theme = "light";
};

// Parameters that the user has set.
std::set<std::string> chosen_parameters(const CommonOptions& options)
{
    std::set<std::string> ids;
    for (const std::string& assignment : options.assignments)
        ids.insert(assignment.substr(0, assignment.find('=')));
    return ids;
}

// The lab's sweeps for the named variant and parameter, if any, except those over parameters that
// the user has set.
std::vector<const labs::Sweep*> chosen_sweeps(const Target& target, const std::string& parameter,
                                              const std::set<std::string>& set)
{
    std::vector<const labs::Sweep*> sweeps;
    std::vector<std::string> known;
    for (const labs::Sweep& sweep : target.lab->sweeps) {
        if (target.variant && !sweep.covers(target.variant->id)) continue;
        known.push_back(sweep.parameter);
        if (parameter.empty() || sweep.parameter == parameter) sweeps.push_back(&sweep);
    }
    const auto is_set = [&](const labs::Sweep* sweep) { return set.contains(sweep->parameter); };
    if (!sweeps.empty() && std::ranges::all_of(sweeps, is_set))
        throw Error(ExitStatus::bad_usage,
                    fmt::format("The sweep \"{}\" varies {}, so it cannot be set.",
                                sweeps.front()->title, sweeps.front()->parameter),
                    "Leave it out, or choose another sweep with --parameter.");
    std::erase_if(sweeps, is_set);
    const std::string what =
        target.lab->id + (target.variant ? "/" + target.variant->id : std::string());
    if (sweeps.empty())
        throw Error(
            ExitStatus::no_such_thing,
            known.empty() ? fmt::format("There is no sweep of {}.", what)
                          : fmt::format("There is no sweep of {} over {}.", what, parameter),
            known.empty() ? "\"lanescope sweep LAB\" shows those of a whole lab."
                          : fmt::format("Its sweeps are over: {}.", fmt::join(known, ", ")));
    return sweeps;
}

SweepResult run_one(device::Device& device, const Target& target, const labs::Sweep& sweep,
                    const SweepOptions& options)
{
    std::vector<const labs::Variant*> variants;
    if (target.variant) variants.push_back(target.variant);
    SweepResult result{plan_sweep(*target.lab, sweep, variants,
                                  values_from(*target.lab, options.common.assignments),
                                  device.engine()),
                       {}};
    const auto values = values_from(*target.lab, options.common.assignments);
    for (const std::string& id : chosen_parameters(options.common))
        if (id != sweep.parameter) result.plan.base.set(id, values.text(id));
    result.plan.seed = options.common.seed;
    result.plan.image = options.common.image;
    result.plan.samples = options.samples;
    run_sweep(device, result.plan, [&](SweepPoint point) {
        if (point.variant == 0)
            fmt::print(stderr, "{}: {} {}\n", sweep.title, sweep.parameter,
                       result.plan.values[point.value]);
        result.points.push_back(std::move(point));
        return true;
    });
    return result;
}

void save(const Exhibit& exhibit, const SweepOptions& options)
{
    std::unique_ptr<render::Offscreen> context;
    if (options.output.ends_with(ending::png)) context = std::make_unique<render::Offscreen>();
    save_exhibit(exhibit, options.output,
                 view_theme(options.theme == "light" ? Theme::light : Theme::dark));
}

void print(std::span<const SweepResult> sweeps, const device::Device& device, const Roofs& roofs,
           const SweepOptions& options)
{
    if (options.json) {
        ordered_json all = ordered_json::array();
        for (const SweepResult& sweep : sweeps) all.push_back(sweep_json(sweep));
        print_json(ordered_json{{"device", device.properties().name},
                                {"copy_gb_per_s", roofs.copy_gb_per_s > 0
                                                      ? ordered_json(roofs.copy_gb_per_s)
                                                      : ordered_json(nullptr)},
                                {"sweeps", std::move(all)}});
    } else if (options.csv) {
        fmt::print("{}", sweep_table(sweeps).csv());
    } else if (options.output.empty()) {
        fmt::print("{}\n{}", sweep_table(sweeps).text(),
                   device.engine() == device::Engine::cuda ? "" : std::string(no_time) + '\n');
        for (const SweepResult& sweep : sweeps)
            if (!fixed_values(sweep.plan).empty())
                fmt::print("{}: {}, set by the sweep; --set chooses another value.\n",
                           sweep.plan.sweep->title, fixed_values(sweep.plan));
    }
}

ExitStatus sweep(const SweepOptions& options)
{
    const Target target = find_target(options.target);
    values_from(*target.lab, options.common.assignments); // reports invalid values before any work
    const auto sweeps = chosen_sweeps(target, options.parameter, chosen_parameters(options.common));
    if (!options.output.empty()) {
        const auto endings = exhibit_endings();
        if (!ending::is_one_of(options.output, endings))
            throw Error(ExitStatus::bad_usage,
                        fmt::format("{} has no figure or table extension.", options.output),
                        fmt::format("End the name with {}.", ending::listed(endings)));
        render::require_writable(options.output);
    }
    const OpenedEngine engine = open_engine(
        options.common.device, {.time_limit_s = options.common.launch_limit_s(*target.lab)});
    Roofs roofs;
    if (auto* gpu = dynamic_cast<cuda::CudaDevice*>(engine.device.get()))
        roofs.copy_gb_per_s = cuda::measure_copy_gb_per_s(*gpu);
    Validation validation(options.common);
    for (const labs::Variant* variant : variants_of(target))
        validation.require(*target.lab, *variant, start_of(*target.lab, options.common),
                           engine.device->engine());
    std::vector<SweepResult> results;
    for (const labs::Sweep* one : sweeps)
        results.push_back(run_one(*engine.device, target, *one, options));
    if (!options.output.empty()) save(sweep_exhibit(results, roofs), options);
    print(results, *engine.device, roofs, options);
    return ExitStatus::done;
}

} // namespace

void add_sweep(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command =
        program.add_subcommand("sweep", "Sweep a parameter: counts and, on a GPU, bandwidth");
    const auto options = std::make_shared<SweepOptions>();
    command
        ->add_option(
            "target", options->target,
            "LAB or LAB/VARIANT, a lab's folder or your own .cu file (default: all variants)")
        ->required();
    add_common_options(*command, options->common);
    command->remove_option(command->get_option("--steps"));
    command->add_option("--parameter", options->parameter,
                        "The parameter to sweep (default: all that the lab offers)");
    command->add_option("--samples", options->samples, "Timed samples per point")
        ->check(CLI::Range(3, 1000))
        ->capture_default_str();
    CLI::Option* json = command->add_flag("--json", options->json, "Print JSON");
    command->add_flag("--csv", options->csv, "Print CSV")->excludes(json);
    command->add_option("-o,--output", options->output,
                        "A file for the figure (.svg, .pdf, .png) or the table (.csv, .md)");
    command->add_option("--theme", options->theme, "Colours of the figure: light or dark")
        ->check(CLI::IsMember({"light", "dark"}))
        ->capture_default_str();
    command->callback([&chosen, options] { chosen = [options] { return sweep(*options); }; });
}

} // namespace lanescope::app
