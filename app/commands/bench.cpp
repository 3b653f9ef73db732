// `lanescope bench`: every variant and its peers, timed; as a table, JSON or CSV.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/options.h"
#include "app/export/table.h"
#include "app/measure/benchmark.h"
#include "app/run/engine.h"
#include "compute/cuda/cuda_device.h"
#include "compute/cuda/measure/bandwidth.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

struct BenchCommandOptions {
    CommonOptions common;
    std::vector<std::string> labs;
    std::string size = "both";
    int samples = 30;
    bool json = false;
    bool csv = false;
    bool markdown = false;
};

// What was measured against what.
struct Report {
    device::Properties device;
    double copy_gb_per_s = 0;
    std::vector<BenchResult> results;
};

ordered_json as_json(const Report& report)
{
    ordered_json results = ordered_json::array();
    for (const BenchResult& one : report.results)
        results.push_back({{"lab", one.lab},
                           {"variant", one.variant},
                           {"peer", one.is_peer},
                           {"correct", one.check.correct},
                           {"max_error", one.check.max_error},
                           {"size", one.size},
                           {"parameters", one.values},
                           {"median_ms", one.time.median_ms},
                           {"p10_ms", one.time.p10_ms},
                           {"p90_ms", one.time.p90_ms},
                           {"samples", one.time.samples},
                           {"runs_per_sample", one.time.runs_per_sample},
                           {"gb_per_s", one.gb_per_s()},
                           {"giga_items_per_s", one.giga_items_per_s()},
                           {"item", one.work.item},
                           {"share_of_copy", one.gb_per_s() / report.copy_gb_per_s}});
    return {{"device", report.device.name},
            {"driver", report.device.driver},
            {"copy_gb_per_s", report.copy_gb_per_s},
            {"results", std::move(results)}};
}

Table as_table(const Report& report)
{
    Table table({{"lab/variant"},
                 {"size"},
                 {"correct"},
                 {"median µs", true},
                 {"p10 µs", true},
                 {"p90 µs", true},
                 {"samples", true},
                 {"GB/s", true},
                 {"% of copy", true},
                 {"Gitems/s", true},
                 {"item"}});
    for (const BenchResult& one : report.results)
        table.add({one.is_peer ? one.variant : one.lab + "/" + one.variant, one.size,
                   one.check.correct ? "yes" : "NO", significant(one.time.median_ms * 1e3, 4),
                   significant(one.time.p10_ms * 1e3, 4), significant(one.time.p90_ms * 1e3, 4),
                   std::to_string(one.time.samples), significant(one.gb_per_s(), 4),
                   fmt::format("{:.1f}", 100 * one.gb_per_s() / report.copy_gb_per_s),
                   significant(one.giga_items_per_s(), 4), one.work.item});
    return table;
}

Report measure_all(const BenchCommandOptions& options)
{
    std::vector<const labs::Lab*> chosen;
    for (const std::string& id : options.labs) chosen.push_back(&labs::find(id));
    if (options.labs.empty())
        for (const labs::Lab& lab : labs::all()) chosen.push_back(&lab);
    const OpenedEngine engine = open_engine(options.common.device);
    auto* gpu = dynamic_cast<cuda::CudaDevice*>(engine.device.get());
    if (!gpu)
        throw device::DeviceError("bench needs a GPU: simt has no time worth measuring. " +
                                      engine.reason,
                                  "\"lanescope run\" and \"lanescope trace\" work without one.");
    Report report{gpu->properties(), cuda::measure_copy_gb_per_s(*gpu), {}};
    for (const labs::Lab* lab : chosen)
        for (const std::string& size : {std::string("l2"), std::string("dram")}) {
            if (options.size != "both" && options.size != size) continue;
            fmt::print(stderr, "{}, {} size\n", lab->id, size);
            const auto results =
                benchmark(*gpu, *lab, size,
                          {options.common.assignments, options.common.seed, options.samples});
            report.results.insert(report.results.end(), results.begin(), results.end());
        }
    return report;
}

void print(const Report& report, const BenchCommandOptions& options)
{
    const Table table = as_table(report);
    if (options.json) {
        fmt::print("{}\n", as_json(report).dump(2));
    } else if (options.csv) {
        fmt::print("{}", table.csv());
    } else {
        fmt::print("{}, driver {}. Its copy: {} GB/s, read plus written.\n\n", report.device.name,
                   report.device.driver, significant(report.copy_gb_per_s, 4));
        fmt::print("{}", options.markdown ? table.markdown() : table.text());
    }
    for (const BenchResult& one : report.results)
        if (!one.check.correct)
            fmt::print(stderr, "{} at {} size is wrong: {}\n",
                       one.is_peer ? one.variant : one.lab + "/" + one.variant, one.size,
                       one.check.message);
}

} // namespace

void add_bench(CLI::App& program, Command& chosen)
{
    CLI::App* command =
        program.add_subcommand("bench", "Time every variant and its peers on a GPU, in turns");
    const auto options = std::make_shared<BenchCommandOptions>();
    command->add_option("labs", options->labs, "Labs; all when none is named");
    add_common_options(*command, options->common);
    command->remove_option(command->get_option("--steps"));
    command->add_option("--problem", options->size, "Problem size: l2, dram or both")
        ->check(CLI::IsMember({"l2", "dram", "both"}))
        ->capture_default_str();
    command->add_option("--samples", options->samples, "Samples of each variant")
        ->check(CLI::Range(5, 10000))
        ->capture_default_str();
    CLI::Option* json = command->add_flag("--json", options->json, "Print JSON");
    command->add_flag("--csv", options->csv, "Print CSV")->excludes(json);
    command->add_flag("--markdown", options->markdown, "Print a Markdown table")->excludes(json);
    command->callback([&chosen, options] {
        chosen = [options] {
            const Report report = measure_all(*options);
            print(report, *options);
            const bool correct = std::ranges::all_of(
                report.results, [](const BenchResult& one) { return one.check.correct; });
            return correct ? ExitStatus::done : ExitStatus::result_wrong;
        };
    });
}

} // namespace lanescope::app
