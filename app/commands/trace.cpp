// `lanescope trace`: the exact counts of one step of a variant, site by site.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

#include "app/commands/commands.h"
#include "app/commands/shared/caches.h"
#include "app/commands/shared/json_output.h"
#include "app/commands/shared/options.h"
#include "app/commands/shared/tree.h"
#include "app/commands/shared/validation.h"
#include "app/document/experiment/request.h"
#include "app/export/output/comparison_output.h"
#include "app/export/output/request_output.h"
#include "app/export/output/trace_output.h"
#include "app/measure/assembled_counts.h"
#include "app/measure/comparison.h"
#include "app/measure/hardware_marks.h"
#include "app/measure/per_step.h"
#include "app/run/engine/engine.h"
#include "app/run/kernel/assumption.h"
#include "compute/ptx/sites/sites.h"
#include "compute/simt/machine/state/options.h"
#include "compute/trace/hardware.h"

namespace lanescope::app {
namespace {

struct TraceOptions {
    CommonOptions common;
    std::string target;
    bool json = false;
    bool csv = false;
    bool compare = false;
    bool ptx = false;
    std::string ncu_csv;
    std::string request;
    TreeChoice tree;
    SassChoice sass;
    CachesChoice caches;
};

Target counted_target(const TraceOptions& options)
{
    Target target = find_target(options.target);
    if (!target.variant) target.variant = &target.lab->variants.front();
    return target;
}

struct StepCounts {
    trace::Trace trace;
    std::string assumed; // assumptions of a guessed launch
    std::string no_sass; // why requested SASS counts are missing
    std::unique_ptr<CacheReport> caches;
    std::unique_ptr<TimeReport> time;
};

simt::Options machine_options(const TraceOptions& options, const Target& target)
{
    simt::Options machine{.time_limit_s = options.common.launch_limit_s(*target.lab)};
    if (meets_as_sass(options.sass, options.caches))
        machine.meetings = meetings_of_sass(options.sass.target());
    return machine;
}

StepCounts count_step(const TraceOptions& options, const Target& target)
{
    const labs::Values values = values_from(*target.lab, options.common.assignments);
    const OpenedEngine engine =
        open_engine(device_of(options.caches, device_of(options.tree, options.common.device)),
                    machine_options(options, target));
    Validation(options.common)
        .require(*target.lab, *target.variant, start_of(*target.lab, options.common),
                 engine.device->engine());
    device::PlainAllocator plain(*engine.device);
    const auto experiment = target.lab->start({*engine.device, plain, *target.lab, *target.variant,
                                               values, options.common.seed, options.common.image});
    const std::int64_t before = launches_for(*target.variant, options.common.steps.value_or(0));
    for (std::int64_t launch = 0; launch < before; ++launch) experiment->step();
    trace::Trace trace;
    if (!options.request.empty()) {
        const ptx::Module module = ptx::parse(target.lab->ptx(*target.variant));
        const std::string kernel(experiment->shape().kernel->name());
        trace.request = parse_request(options.request, ptx::sites_of(module, kernel).sites);
    }
    const labs::Experiment::Shape shape = experiment->shape();
    if (options.sass.counts()) trace.assembler = assembler_for(options.sass.target());
    if (options.tree.wanted()) trace.lanes = recording_of(options.tree, shape.grid, shape.block);
    const CacheRecording recording(options.caches, *engine.device);
    experiment->step(&trace);
    std::unique_ptr<CacheReport> caches = recording.report(trace);
    std::unique_ptr<TimeReport> time =
        recording.time(caches.get(), target.lab->ptx(*target.variant));
    if (!options.caches.shown()) caches = nullptr;
    std::string no_sass;
    if (options.sass.counts()) no_sass = why_not_assembled(trace, engine.device->engine());
    if (options.tree.wanted())
        save_tree(options.tree, trace.lanes, target.lab->title + ", " + target.variant->title,
                  shape.grid, shape.block);
    return {std::move(trace),
            assumption_line(assumptions(*target.lab, *target.variant, values, shape)),
            std::move(no_sass), std::move(caches), std::move(time)};
}

std::string words_of(const StepCounts& counted, const TraceOptions& options, const Target& target)
{
    const labs::Variant& variant = *target.variant;
    std::string about;
    if (variant.steps > 1)
        about = fmt::format(
            "Counts of one launch, which computes {} steps; `lanescope run` gives counts per step.",
            variant.steps);
    std::string text = trace_text(counted.trace, {.ptx = options.ptx,
                                                  .source = target.lab->source(variant),
                                                  .file = variant.source,
                                                  .about = about,
                                                  .sass = options.sass.counts()});
    if (counted.caches) text += caches_text(counted.trace, *counted.caches, options.ptx);
    if (counted.time) text += time_text(*counted.time);
    if (!counted.no_sass.empty())
        text += fmt::format("All counts refer to the PTX. {}\n", counted.no_sass);
    for (const HardwareMark& mark : hardware_marks(target.lab->id, variant.id))
        text += fmt::format("{} {}\n", mark_sign, mark.sentence());
    if (!counted.assumed.empty()) text += counted.assumed + "\n";
    return text;
}

// Command line that produces a file for --ncu: the counted launch of the same variant.
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

Comparison compare(const Target& target, const TraceOptions& options)
{
    const CommonOptions& common = options.common;
    CountedStep step{.lab = target.lab,
                     .variant = target.variant,
                     .values = values_from(*target.lab, common.assignments),
                     .seed = common.seed,
                     .image = common.image,
                     .launches_before = launches_for(*target.variant, common.steps.value_or(0))};
    return compare_sources(start_counted(std::move(step)), options.ncu_csv,
                           ncu_command(target, common));
}

ExitStatus trace_command(const TraceOptions& options)
{
    const Target target = counted_target(options);
    if (options.compare || !options.ncu_csv.empty()) {
        const Comparison comparison = compare(target, options);
        if (options.json)
            print_json(comparison_json(comparison));
        else
            fmt::print("{}", comparison_text(comparison));
        return comparison.agrees() ? ExitStatus::done : ExitStatus::result_wrong;
    }
    const StepCounts counted = count_step(options, target);
    if (options.json) {
        auto json =
            options.request.empty() ? trace_json(counted.trace) : request_json(counted.trace);
        if (!counted.assumed.empty()) json["assumed"] = counted.assumed;
        if (!counted.no_sass.empty()) json["assembled"] = {{"unavailable", counted.no_sass}};
        if (counted.caches) json["caches"] = caches_json(*counted.caches);
        if (counted.time) json["time"] = time_json(*counted.time);
        print_json(json);
    } else if (!options.request.empty()) {
        fmt::print("{}", request_text(counted.trace));
    } else {
        fmt::print("{}",
                   options.csv ? trace_csv(counted.trace) : words_of(counted, options, target));
    }
    return ExitStatus::done;
}

} // namespace

void add_trace(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command = program.add_subcommand(
        "trace", "Count requests, sectors, wavefronts and branches of one step, by source line");
    const auto options = std::make_shared<TraceOptions>();
    command
        ->add_option("target", options->target,
                     "LAB/VARIANT (LAB alone: its first variant), or a lab's folder or your own "
                     ".cu file instead of LAB")
        ->required();
    add_common_options(*command, options->common);
    command->get_option("--steps")->description("Steps to run before the counted one");
    CLI::Option* json = command->add_flag("--json", options->json, "Print JSON");
    CLI::Option* csv = command->add_flag("--csv", options->csv, "Print CSV, one line per site");
    command->add_flag("--ptx", options->ptx,
                      "Print a line for each PTX instruction instead of each source line");
    csv->excludes(json);
    CLI::Option* compare = command->add_flag(
        "--compare", options->compare,
        "Count with simt, with probes and with the GPU's own counters, side by side");
    CLI::Option* ncu = command->add_option(
        "--ncu", options->ncu_csv,
        "Compare with a file written by `ncu --csv` instead of reading the counters here");
    add_request_option(*command, options->request)->excludes(csv, compare, ncu);
    add_tree_options(*command, options->tree)->excludes(compare, ncu);
    add_sass_options(*command, options->sass)->excludes(compare, ncu);
    add_caches_option(*command, options->caches)->excludes(csv, compare, ncu);
    add_time_option(*command, options->caches)->excludes(csv, compare, ncu);
    command->callback(
        [&chosen, options] { chosen = [options] { return trace_command(*options); }; });
}

} // namespace lanescope::app
