// `lanescope trace`: the exact counts of one step of a variant, site by site.
#include <fmt/format.h>

#include <memory>

#include "app/commands/commands.h"
#include "app/engine.h"
#include "app/options.h"
#include "app/trace_output.h"

namespace lanescope::app {
namespace {

struct TraceOptions {
    CommonOptions common;
    std::string target;
    bool json = false;
    bool csv = false;
};

trace::Trace count_step(const TraceOptions& options)
{
    const Target target = find_target(options.target);
    const labs::Variant& variant = target.variant ? *target.variant : target.lab->variants.front();
    const labs::Values values = values_from(*target.lab, options.common.assignments);
    const OpenedEngine engine = open_engine(options.common.device);
    device::PlainAllocator plain(*engine.device);
    const auto experiment = target.lab->start({*engine.device, plain, *target.lab, variant, values,
                                               options.common.seed, options.common.image});
    for (std::int64_t step = 0; step < options.common.steps.value_or(0); ++step) experiment->step();
    trace::Trace trace;
    experiment->step(&trace);
    return trace;
}

} // namespace

void add_trace(CLI::App& program, Command& chosen)
{
    CLI::App* command = program.add_subcommand(
        "trace", "Requests, sectors, wavefronts and branches of one step, by source line");
    const auto options = std::make_shared<TraceOptions>();
    command->add_option("target", options->target, "LAB/VARIANT (LAB alone: its first variant)")
        ->required();
    add_common_options(*command, options->common);
    command->get_option("--steps")->description("Steps to run before the counted one");
    CLI::Option* json = command->add_flag("--json", options->json, "Print JSON");
    command->add_flag("--csv", options->csv, "Print CSV, a line a site")->excludes(json);
    command->callback([&chosen, options] {
        chosen = [options] {
            const trace::Trace trace = count_step(*options);
            if (options->json)
                fmt::print("{}\n", trace_json(trace).dump(2));
            else
                fmt::print("{}", options->csv ? trace_csv(trace) : trace_text(trace));
            return ExitStatus::done;
        };
    });
}

} // namespace lanescope::app
