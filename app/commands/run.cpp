// `lanescope run`: steps variants without graphics, checks them against the reference and prints
// times and counts.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "app/commands/commands.h"
#include "app/commands/shared/json_output.h"
#include "app/commands/shared/options.h"
#include "app/commands/shared/validation.h"
#include "app/export/output/time_output.h"
#include "app/export/output/trace_output.h"
#include "app/export/table.h"
#include "app/measure/hardware_marks.h"
#include "app/measure/per_step.h"
#include "app/measure/ratios.h"
#include "app/run/editing/trial.h"
#include "app/run/engine/engine.h"
#include "app/run/frame/history.h"
#include "app/run/kernel/assumption.h"
#include "compute/numbers.h"
#include "compute/simt/machine/state/options.h"
#include "compute/trace/trace.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

struct RunOptions {
    CommonOptions common;
    std::string target;
    bool json = false;
    bool time = false; // predict it
};

struct Run {
    std::string lab{};
    std::string variant{};
    std::string engine{};
    labs::Check check{};
    Refusal problem{};                                 // why it did not run
    std::string assumed{};                             // assumptions of a guessed launch
    bool shows_mistake = false;                        // its result is expected to be wrong
    std::int64_t steps = 0;                            // simulation steps that were run
    int steps_per_launch = 1;                          // simulation steps
    std::optional<Spread> time_ms{};                   // per step; empty if the engine has no clock
    labs::Work work{};                                 // per step
    trace::Totals totals{};                            // for one additional, counted launch
    std::unique_ptr<TimeReport> predicted{};           // null: not requested
    std::map<std::string, std::string> memory_crc32{}; // keyed by memory name; after the steps

    bool timed() const { return time_ms && time_ms->count > 0 && time_ms->median > 0; }
    double gb_per_s() const { return timed() ? work.bytes / (time_ms->median * 1e6) : 0; }
    double per_step(std::uint64_t launch_count) const
    {
        return static_cast<double>(launch_count) / steps_per_launch;
    }
    std::optional<double> ratio(trace::Ratio which) const
    {
        return trace::value(which, totals, work.items * steps_per_launch);
    }
};

// A variant that demonstrates a fault is correct if it ends in that fault.
labs::Check check_fault(labs::Experiment& experiment, std::int64_t steps,
                        const labs::Variant& variant)
{
    try {
        for (std::int64_t step = 0; step < steps; ++step) experiment.step();
    } catch (const device::KernelFault& fault) {
        if (fault.fault().kind == variant.fault) return {.correct = true};
        return {.message = fmt::format("Expected a fault of kind {}, but got: {}", variant.fault,
                                       fault.what())};
    }
    return {.message =
                fmt::format("Expected a fault of kind {}, but none occurred.", variant.fault)};
}

std::string crc32_of(std::span<const std::byte> bytes)
{
    return fmt::format("{:08x}",
                       crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// Checksums of the variant's memory, or of the image it draws on.
std::map<std::string, std::string> memory_sums(device::Device& device,
                                               const labs::Experiment& experiment)
{
    std::map<std::string, std::string> sums;
    std::vector<std::byte> bytes;
    for (const labs::Experiment::Memory& memory : experiment.memory()) {
        bytes.resize(memory.bytes);
        device.download(bytes, memory.buffer->address());
        sums[memory.name] = crc32_of(bytes);
    }
    if (const device::Image* const image = experiment.next_result().image) {
        bytes.resize(static_cast<std::size_t>(image->width()) *
                     static_cast<std::size_t>(std::max(1, image->height())) *
                     static_cast<std::size_t>(device::bytes_per_pixel(image->format())));
        device.download(bytes, *image);
        sums["image"] = crc32_of(bytes);
    }
    return sums;
}

// The time of the first step on the simulated GPU.
std::unique_ptr<TimeReport> predict(const Target& target, const RunOptions& options)
{
    constexpr int all_cores = 0;
    constexpr double default_limit_s = 600;
    const double limit_s = options.common.launch_limit_s(*target.lab);
    const std::chrono::milliseconds limit(
        static_cast<std::int64_t>(1e3 * (limit_s > 0 ? limit_s : default_limit_s)));
    Trials trials(limit, Trials::predicting_options(limit, all_cores));
    return std::make_unique<TimeReport>(
        trials.predict(*target.lab, *target.variant, start_of(*target.lab, options.common)));
}

Run run_variant(device::Device& device, const Target& target, const RunOptions& options)
{
    constexpr std::int64_t default_launches = 50;
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

    const labs::Variant& variant = *target.variant;
    Run run{.lab = target.lab->id,
            .variant = variant.id,
            .engine = std::string(device::name(device.engine())),
            .shows_mistake = variant.wrong,
            .steps_per_launch = variant.steps};
    const std::int64_t launches =
        options.common.steps ? launches_for(variant, *options.common.steps) : default_launches;
    run.steps = launches * variant.steps;
    run.work = per_step(experiment->work_per_launch(), variant.steps);
    run.assumed = assumption_line(assumptions(*target.lab, variant, values, experiment->shape()));
    if (!variant.fault.empty()) {
        run.check = check_fault(*experiment, launches, variant);
        return run;
    }
    for (std::int64_t launch = 0; launch < launches; ++launch) {
        if (timer) timer->begin();
        experiment->step();
        if (timer) timer->end();
        if (timer) collect();
    }
    device.synchronize();
    run.check = experiment->check();
    if (options.json) run.memory_crc32 = memory_sums(device, *experiment);
    if (timer) {
        collect();
        run.time_ms = app::per_step(spread_of(times), variant.steps);
    }
    trace::Trace trace;
    trace.per_warp = false;
    experiment->step(&trace);
    run.totals = trace.totals();
    if (options.time) run.predicted = predict(target, options);
    return run;
}

// Returns an integer if the count is whole: a launch's count may not be a multiple of its steps.
ordered_json exact(double count)
{
    if (std::floor(count) == count) return static_cast<std::uint64_t>(count);
    return count;
}

// A check without a reference is `correct`, with a message that says why nothing was compared.
bool has_reference(const labs::Check& check)
{
    return !check.correct || check.message.empty();
}

ordered_json as_json(const Run& run)
{
    ordered_json json = {{"lab", run.lab},
                         {"variant", run.variant},
                         {"engine", run.engine},
                         {"correct", has_reference(run.check) ? ordered_json(run.check.correct)
                                                              : ordered_json(nullptr)},
                         {"shows_mistake", run.shows_mistake},
                         {"max_error", run.check.max_error},
                         {"tolerance", run.check.tolerance},
                         {"steps", run.steps},
                         {"median_ms", nullptr},
                         {"gb_per_s", nullptr}};
    if (run.timed()) {
        json["median_ms"] = run.time_ms->median;
        json["gb_per_s"] = run.gb_per_s();
        json["p10_ms"] = run.time_ms->p10;
        json["p90_ms"] = run.time_ms->p90;
        json["samples"] = run.time_ms->count;
    }
    json["steps_per_launch"] = run.steps_per_launch;
    json["sectors_per_step"] = exact(run.per_step(trace::global(run.totals).sectors));
    json["wavefronts_per_step"] = exact(run.per_step(trace::shared(run.totals).wavefronts));
    json["warp_instructions_per_step"] = exact(run.per_step(run.totals.warp_instructions));
    json["device_launches_per_step"] = exact(run.per_step(run.totals.device_launches));
    json["ratios"] = ratios_json(run.totals, run.work.items * run.steps_per_launch);
    if (!run.memory_crc32.empty()) json["memory_crc32"] = run.memory_crc32;
    for (const HardwareMark& mark : hardware_marks(run.lab, run.variant))
        json["hardware_differs"].push_back({{"count", mark.count},
                                            {"ours", mark.ours},
                                            {"hardware", mark.hardware},
                                            {"reason", mark.reason}});
    if (!run.check.message.empty()) json["message"] = run.check.message;
    if (!run.assumed.empty()) json["assumed"] = run.assumed;
    if (run.predicted) json["time"] = time_json(*run.predicted);
    if (run.problem) json["fault"] = run.problem.sentence;
    return json;
}

// A variant that demonstrates a mistake is expected to give a wrong result.
bool is_expected_result(const Run& run)
{
    return run.check.correct != run.shows_mistake;
}

std::string verdict(const Run& run)
{
    if (run.problem)
        return run.problem.status == ExitStatus::kernel_fault ? "FAULT" : "wrong guess?";
    if (run.check.correct && !run.check.message.empty()) return run.check.message;
    if (!run.shows_mistake) return run.check.correct ? "yes" : "NO";
    return run.check.correct ? "YES, unexpectedly" : "no, as intended";
}

// Prints the counts of all runs in a table: every ratio that any of them has. Marks refer to the
// notes below.
void print_counts(const std::vector<Run>& runs)
{
    std::vector<Table::Column> columns{{"variant"},
                                       {"PTX instructions", true},
                                       {"active lanes", true},
                                       {"global sectors", true},
                                       {"shared wavefronts", true}};
    std::vector<trace::Ratio> shown;
    for (const trace::Ratio ratio : trace::all_ratios) {
        const bool relative_to_ideal = text(ratio).id.ends_with("_over_ideal");
        if (relative_to_ideal &&
            std::ranges::any_of(runs, [&](const Run& run) { return run.ratio(ratio).has_value(); }))
            shown.push_back(ratio);
    }
    for (const trace::Ratio ratio : shown) columns.push_back({std::string(text(ratio).name), true});
    Table table(std::move(columns));
    std::map<std::string, std::vector<std::string>> notes; // notes, and the variants they apply to
    for (const Run& run : runs) {
        const std::string name = run.lab + "/" + run.variant;
        const auto marked = [&](std::string number, const std::vector<std::string_view>& counts) {
            const auto marks = hardware_marks(run.lab, run.variant, counts);
            for (const HardwareMark& mark : marks) {
                auto& about = notes[mark.sentence()];
                if (std::ranges::find(about, name) == about.end()) about.push_back(name);
            }
            return marks.empty() || number == "–" ? number : number + std::string(mark_sign);
        };
        const auto count = [&](std::uint64_t launch_count) {
            return grouped(static_cast<std::uint64_t>(std::llround(run.per_step(launch_count))));
        };
        std::vector<std::string> row{
            name, count(run.totals.warp_instructions),
            ratio_text(trace::Ratio::lanes_per_instruction,
                       run.ratio(trace::Ratio::lanes_per_instruction)),
            marked(count(trace::global(run.totals).sectors), global_sector_counts()),
            marked(count(trace::shared(run.totals).wavefronts), shared_wavefront_counts())};
        for (const trace::Ratio ratio : shown)
            row.push_back(marked(ratio_text(ratio, run.ratio(ratio)), counts_in(ratio)));
        table.add(std::move(row));
    }
    fmt::print("{}", table.text());
    for (const auto& [note, about] : notes)
        fmt::print("{} {}: {}\n", mark_sign,
                   about.size() == runs.size() ? "all" : fmt::format("{}", fmt::join(about, ", ")),
                   note);
}

// Predicted times per step, and what limits them.
void print_predictions(const std::vector<Run>& runs)
{
    Table table(
        {{"variant"}, {"predicted µs", true}, {"limited by"}, {"nine of ten within", true}});
    const TimeReport* any = nullptr;
    for (const Run& run : runs) {
        if (!run.predicted) continue;
        const TimeReport& report = *run.predicted;
        const predicted::Prediction& made = report.prediction;
        any = &report;
        if (report.unavailable.empty())
            table.add({run.lab + "/" + run.variant, significant(made.us / run.steps_per_launch, 4),
                       limit_words(made), fmt::format("{:.0f}%", 100 * made.error.most)});
        else
            table.add({run.lab + "/" + run.variant, "-", report.unavailable, ""});
    }
    if (any == nullptr) return;
    fmt::print("{}Predicted times are those of the first step on {}, after the same step: a model, "
               "not a measurement.\n\n",
               table.text(), any->gpu);
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
                 {"GB/s", true}});
    bool timed = false;
    for (const Run& run : runs) {
        const bool has_time = run.timed();
        timed |= has_time;
        table.add(
            {run.lab + "/" + run.variant, run.engine, verdict(run),
             significant(run.check.max_error), significant(run.check.tolerance),
             std::to_string(run.steps), has_time ? significant(run.time_ms->median * 1e3) : "-",
             has_time
                 ? significant(run.time_ms->p10 * 1e3) + "-" + significant(run.time_ms->p90 * 1e3)
                 : "-",
             has_time ? significant(run.gb_per_s()) : "-"});
    }
    fmt::print("{}\n", table.text());
    print_predictions(runs);
    print_counts(runs);
    fmt::print("{}\n", timed ? "Times (CUDA events) and counts are per step."
                             : "Counts are per step. simt shows no times: it is not a GPU.");
    for (const Run& run : runs)
        if (!run.assumed.empty()) fmt::print("{}/{} {}\n", run.lab, run.variant, run.assumed);
    for (const Run& run : runs)
        if (!run.check.correct && !run.problem)
            fmt::print("{}/{} is wrong{}: {}\n", run.lab, run.variant,
                       run.shows_mistake ? ", as intended" : "", run.check.message);
}

ExitStatus run(const RunOptions& options)
{
    const Target target = find_target(options.target);
    values_from(*target.lab, options.common.assignments); // reports invalid values before any work
    const double limit_s = options.common.launch_limit_s(*target.lab);
    const OpenedEngine engine = open_engine(options.common.device, {.time_limit_s = limit_s});
    Validation validation(options.common);
    std::unique_ptr<device::Device> checked; // has all checks, so faults are harmless on it
    std::vector<Run> runs;
    for (const labs::Variant* variant : variants_of(target)) {
        device::Device* device = engine.device.get();
        if (!variant->fault.empty()) {
            if (!checked)
                checked =
                    open_engine("simt", {.checks = simt::Checks::all(), .time_limit_s = limit_s})
                        .device;
            device = checked.get();
        } else if (!target.variant && !variant->runs_on(device->engine())) {
            fmt::print(stderr, "{}/{} runs on {} only.\n", target.lab->id, variant->id,
                       fmt::join(variant->engines, ", "));
            continue;
        }
        const Refusal problem = validation.problem(
            *target.lab, *variant, start_of(*target.lab, options.common), device->engine());
        if (!problem) {
            runs.push_back(run_variant(*device, {target.lab, variant}, options));
        } else {
            runs.push_back({.lab = target.lab->id,
                            .variant = variant->id,
                            .engine = std::string(device::name(device->engine())),
                            .check = {.message = problem.sentence},
                            .problem = problem,
                            .assumed = problem.assumed});
        }
    }
    if (options.json) {
        ordered_json all = ordered_json::array();
        for (const Run& one : runs) all.push_back(as_json(one));
        print_json(ordered_json{{"runs", std::move(all)}});
    } else {
        print(runs);
    }
    ExitStatus unfit = ExitStatus::done;
    for (const Run& one : runs) {
        if (!one.problem) continue;
        fmt::print(stderr, "lanescope: {}\n", one.problem.sentence);
        unfit = std::max(unfit, one.problem.status);
    }
    if (unfit != ExitStatus::done) return unfit;
    return std::ranges::all_of(runs, is_expected_result) ? ExitStatus::done
                                                         : ExitStatus::result_wrong;
}

} // namespace

void add_run(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command = program.add_subcommand(
        "run", "Run variants without graphics and check them against the reference");
    const auto options = std::make_shared<RunOptions>();
    command
        ->add_option(
            "target", options->target,
            "LAB or LAB/VARIANT, a lab's folder, or your own .cu file (default: all variants)")
        ->required();
    add_common_options(*command, options->common);
    command->add_flag("--json", options->json, "Print JSON");
    command->add_flag(
        "--time", options->time,
        "Predict the time of a step on the simulated GPU (--gpu, else an H100), and what limits "
        "it. Needs ptxas and nvdisasm, but no GPU");
    command->callback([&chosen, options] { chosen = [options] { return run(*options); }; });
}

} // namespace lanescope::app
