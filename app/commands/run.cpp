// `lanescope run`: no graphics; steps variants, checks them against the reference and prints what
// they took.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>

#include "app/commands/commands.h"
#include "app/commands/options.h"
#include "app/export/table.h"
#include "app/measure/ratios.h"
#include "app/run/engine.h"
#include "app/run/history.h"
#include "compute/trace/trace.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

struct RunOptions {
    CommonOptions common;
    std::string target;
    bool json = false;
};

struct Run {
    std::string lab;
    std::string variant;
    std::string engine;
    labs::Check check;
    std::int64_t steps = 0;
    std::optional<Spread> time_ms; // of one step; none where the engine has no clock
    double gb_per_s = 0;           // useful bytes of a step over its median time
    trace::Totals totals;          // of one further step, counted
};

Run run_variant(device::Device& device, const Target& target, const RunOptions& options)
{
    constexpr std::int64_t default_steps = 50;
    device::PlainAllocator plain(device);
    const auto values = values_from(*target.lab, options.common.assignments);
    const auto experiment = target.lab->start({device, plain, *target.lab, *target.variant, values,
                                               options.common.seed, options.common.image});
    const auto timer = device.timer();
    std::vector<double> times;
    const auto collect = [&] {
        const auto ready = timer->poll_ms();
        times.insert(times.end(), ready.begin(), ready.end());
    };

    Run run{target.lab->id,
            target.variant->id,
            std::string(device::name(device.engine())),
            {},
            {},
            {},
            {},
            {}};
    run.steps = options.common.steps.value_or(default_steps);
    for (std::int64_t step = 0; step < run.steps; ++step) {
        if (timer) timer->begin();
        experiment->step();
        if (timer) timer->end();
        if (timer) collect();
    }
    device.synchronize();
    run.check = experiment->check();
    if (timer) {
        collect();
        run.time_ms = spread_of(times);
        if (run.time_ms->median > 0)
            run.gb_per_s = experiment->work_per_launch().bytes / (run.time_ms->median * 1e6);
    }
    trace::Trace trace;
    trace.per_warp = false;
    experiment->step(&trace);
    run.totals = trace.totals();
    return run;
}

ordered_json as_json(const Run& run)
{
    ordered_json json = {{"lab", run.lab},
                         {"variant", run.variant},
                         {"engine", run.engine},
                         {"correct", run.check.correct},
                         {"max_error", run.check.max_error},
                         {"tolerance", run.check.tolerance},
                         {"steps", run.steps},
                         {"median_ms", nullptr},
                         {"gb_per_s", nullptr}};
    if (run.time_ms && run.time_ms->count > 0) {
        json["median_ms"] = run.time_ms->median;
        json["gb_per_s"] = run.gb_per_s;
        json["p10_ms"] = run.time_ms->p10;
        json["p90_ms"] = run.time_ms->p90;
        json["samples"] = run.time_ms->count;
    }
    json["sectors_per_step"] = global_sectors(run.totals);
    json["warp_instructions_per_step"] = run.totals.warp_instructions;
    if (!run.check.message.empty()) json["message"] = run.check.message;
    return json;
}

// "1.25" for sectors that were moved over those that the same lanes needed; "-" without any.
std::string ratio(std::uint64_t part, std::uint64_t whole)
{
    return whole ? fmt::format("{:.2f}", static_cast<double>(part) / static_cast<double>(whole))
                 : "-";
}

void print(const std::vector<Run>& runs)
{
    Table table({{"variant"},
                 {"engine"},
                 {"correct"},
                 {"max error", true},
                 {"tolerance", true},
                 {"steps", true},
                 {"median µs", true},
                 {"p10-p90 µs", true},
                 {"GB/s", true},
                 {"load sectors/ideal", true},
                 {"shared wavefronts/ideal", true},
                 {"warp instructions", true}});
    bool timed = false;
    for (const Run& run : runs) {
        const bool has_time = run.time_ms && run.time_ms->count > 0;
        timed |= has_time;
        table.add(
            {run.lab + "/" + run.variant, run.engine, run.check.correct ? "yes" : "NO",
             significant(run.check.max_error), significant(run.check.tolerance),
             std::to_string(run.steps), has_time ? significant(run.time_ms->median * 1e3) : "-",
             has_time
                 ? significant(run.time_ms->p10 * 1e3) + "-" + significant(run.time_ms->p90 * 1e3)
                 : "-",
             has_time ? significant(run.gb_per_s) : "-",
             ratio(run.totals.global_load.sectors, run.totals.global_load.ideal_sectors),
             ratio(run.totals.shared_load.wavefronts, run.totals.shared_load.ideal_wavefronts),
             grouped(run.totals.warp_instructions)});
    }
    fmt::print("{}", table.text());
    fmt::print("{}\n", timed ? "Times are of one step (CUDA events); counts are of one step."
                             : "Counts are of one step. simt shows no time: it is not a GPU.");
    for (const Run& run : runs)
        if (!run.check.correct)
            fmt::print("{}/{} is wrong: {}\n", run.lab, run.variant, run.check.message);
}

ExitStatus run(const RunOptions& options)
{
    const Target target = find_target(options.target);
    values_from(*target.lab, options.common.assignments); // a wrong one is told before any work
    const OpenedEngine engine = open_engine(options.common.device);
    std::vector<Run> runs;
    for (const labs::Variant* variant : variants_of(target))
        runs.push_back(run_variant(*engine.device, {target.lab, variant}, options));
    if (options.json) {
        ordered_json all = ordered_json::array();
        for (const Run& one : runs) all.push_back(as_json(one));
        fmt::print("{}\n", ordered_json{{"runs", std::move(all)}}.dump(2));
    } else {
        print(runs);
    }
    const bool correct =
        std::ranges::all_of(runs, [](const Run& one) { return one.check.correct; });
    return correct ? ExitStatus::done : ExitStatus::result_wrong;
}

} // namespace

void add_run(CLI::App& program, Command& chosen)
{
    CLI::App* command = program.add_subcommand(
        "run", "Run variants without graphics and check them against the reference");
    const auto options = std::make_shared<RunOptions>();
    command
        ->add_option("target", options->target,
                     "LAB or LAB/VARIANT, or a lab's folder; all variants when none is named")
        ->required();
    add_common_options(*command, options->common);
    command->add_flag("--json", options->json, "Print JSON");
    command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

} // namespace lanescope::app
