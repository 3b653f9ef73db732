// `lanescope bench`: every variant and its peers, timed; as a table, JSON or CSV.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/commands/commands.h"
#include "app/commands/shared/json_output.h"
#include "app/commands/shared/options.h"
#include "app/commands/shared/validation.h"
#include "app/export/table.h"
#include "app/measure/benchmark.h"
#include "app/measure/measurements.h"
#include "app/measure/roofs.h"
#include "app/run/engine/engine.h"
#include "compute/cuda/cuda_device.h"
#include "compute/cuda/measure/bandwidth.h"
#include "compute/cuda/measure/flops.h"
#include "compute/numbers.h"
#include "render/capture/file.h"

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
    std::string record;
};

// Results, and the measured roofs (peak rates) that they are compared with.
struct Report {
    device::Properties device;
    Roofs roofs; // operation rates only if a lab names one
    Benchmark all;
};

std::string name_of(const BenchResult& one)
{
    return one.lab + "/" + one.variant;
}

// Share of the operation rate named in the record, for compute-bound labs; empty for others.
struct RateShare {
    std::string name{}; // name in the record
    double giga_per_s = 0;
    double share = 0; // fraction of the measured rate; 0: unknown
};
std::optional<RateShare> share_of_rate(const BenchResult& one, const Roofs& roofs)
{
    const std::string& name = one.rate;
    if (name.empty()) return std::nullopt;
    RateShare rate{name, one.gflop_per_s()};
    if (const double roof = roofs.rate(name); roof > 0) rate.share = rate.giga_per_s / roof;
    return rate;
}

// A peer's library and extra features, or the devices of a multi-device variant.
std::string remark(const BenchResult& one)
{
    if (!one.is_peer) return one.device_names;
    if (one.note.empty()) return one.library;
    return fmt::format("{}; more general: {}", one.library, one.note);
}

ordered_json as_json(const Report& report)
{
    ordered_json results = ordered_json::array();
    for (const BenchResult& one : report.all.results) {
        results.push_back({{"lab", one.lab},
                           {"variant", one.variant},
                           {"peer", one.is_peer},
                           {"correct", one.check.correct && !one.check.message.empty()
                                           ? ordered_json(nullptr)
                                           : ordered_json(one.check.correct)},
                           {"max_error", one.check.max_error},
                           {"size", one.size},
                           {"parameters", one.values},
                           {"median_ms", one.time.ms.median},
                           {"p10_ms", one.time.ms.p10},
                           {"p90_ms", one.time.ms.p90},
                           {"samples", one.time.ms.count},
                           {"runs_per_sample", one.time.runs_per_sample},
                           {"gb_per_s", one.gb_per_s()},
                           {"giga_items_per_s", one.giga_items_per_s()},
                           {"item", one.work.item},
                           {"share_of_copy", one.gb_per_s() / report.roofs.copy_gb_per_s}});
        if (const auto rate = share_of_rate(one, report.roofs))
            results.back().update({{"rate", rate->name},
                                   {"giga_operations_per_s", rate->giga_per_s},
                                   {"share_of_rate", rate->share}});
        if (!one.device_names.empty()) results.back()["devices"] = one.device_names;
        if (!one.is_peer) continue;
        results.back().update({{"library", one.library}, {"shape", one.shape}, {"note", one.note}});
    }
    ordered_json left_out = ordered_json::array();
    for (const SkippedPeer& one : report.all.left_out)
        left_out.push_back({{"lab", one.lab}, {"peer", one.peer}, {"reason", one.reason}});
    return {{"device", report.device.name},
            {"driver", report.device.driver},
            {"copy_gb_per_s", report.roofs.copy_gb_per_s},
            {"fma_gop_per_s", report.roofs.fp32_gflop_per_s},
            {"add_min_gop_per_s", report.roofs.add_min_gop_per_s},
            {"results", std::move(results)},
            {"left_out", std::move(left_out)}};
}

// ISO 8601 date in UTC.
std::string today()
{
    using namespace std::chrono;
    const year_month_day date(floor<days>(system_clock::now()));
    return fmt::format("{}-{:02}-{:02}", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

Measurements as_measurements(const Report& report)
{
    const MeasuredOn on{report.device.name, report.device.driver, today()};
    Measurements all{.roofs = {{report.roofs, on}}};
    for (const BenchResult& one : report.all.results)
        all.times.push_back({.lab = one.lab,
                             .variant = one.variant,
                             .is_peer = one.is_peer,
                             .library = one.library,
                             .size = one.size,
                             .values = one.values,
                             .median_ms = one.time.ms.median,
                             .p10_ms = one.time.ms.p10,
                             .p90_ms = one.time.ms.p90,
                             .samples = static_cast<int>(one.time.ms.count),
                             .gb_per_s = one.gb_per_s(),
                             .giga_items_per_s = one.giga_items_per_s(),
                             .item = one.work.item,
                             .gflop_per_s = one.gflop_per_s(),
                             .on = on});
    for (const labs::Timeline& one : report.all.timelines) all.timelines.push_back({one, on});
    return all;
}

// Skips wrong results, whose times are meaningless.
void record(const Report& report, const std::string& file)
{
    if (status_of(report.all) != ExitStatus::done) {
        fmt::print(stderr, "{} was not written: a result is wrong.\n", file);
        return;
    }
    Measurements now = as_measurements(report);
    if (std::filesystem::exists(file)) now = joined(load_measurements(file), now);
    render::write_file(file, to_json(now));
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
                 {"item"},
                 {"Gop/s", true},
                 {"% of rate", true},
                 {"library"}});
    for (const BenchResult& one : report.all.results) {
        const auto rate = share_of_rate(one, report.roofs);
        table.add({one.is_peer ? one.variant : name_of(one), one.size,
                   one.check.correct ? "yes" : "NO", significant(one.time.ms.median * 1e3, 4),
                   significant(one.time.ms.p10 * 1e3, 4), significant(one.time.ms.p90 * 1e3, 4),
                   std::to_string(one.time.ms.count), significant(one.gb_per_s(), 4),
                   fmt::format("{:.1f}", 100 * one.gb_per_s() / report.roofs.copy_gb_per_s),
                   significant(one.giga_items_per_s(), 4), one.work.item,
                   rate ? significant(rate->giga_per_s, 4) : "",
                   rate && rate->share > 0 ? fmt::format("{:.1f}", 100 * rate->share) : "",
                   remark(one)});
    }
    return table;
}

// Measures the copy bandwidth and the operation rates that these labs name; with `all`, every rate.
Roofs roofs_of(cuda::CudaDevice& gpu, const std::vector<const labs::Lab*>& chosen, bool all)
{
    const auto named = [&](std::string_view rate) {
        return all ||
               std::ranges::any_of(chosen, [&](const labs::Lab* lab) { return lab->rate == rate; });
    };
    Roofs roofs{.copy_gb_per_s = cuda::measure_copy_gb_per_s(gpu)};
    if (named("fma")) roofs.fp32_gflop_per_s = cuda::measure_fp32_gflop_per_s(gpu);
    if (named("add_min")) roofs.add_min_gop_per_s = cuda::measure_add_min_gop_per_s(gpu);
    return roofs;
}

Report measure_all(const BenchCommandOptions& options)
{
    std::vector<const labs::Lab*> chosen;
    for (const std::string& id : options.labs) chosen.push_back(find_target(id).lab);
    if (options.labs.empty())
        for (const labs::Lab& lab : labs::all()) chosen.push_back(&lab);
    const OpenedEngine engine = open_engine(options.common.device);
    auto* gpu = dynamic_cast<cuda::CudaDevice*>(engine.device.get());
    if (!gpu)
        throw device::DeviceError("bench needs a GPU: times on simt are meaningless. " +
                                      engine.reason,
                                  "\"lanescope run\" and \"lanescope trace\" work without one.");
    if (!options.record.empty()) {
        render::require_writable(options.record);
        if (std::filesystem::exists(options.record)) // fail now if the file does not fit, before
                                                     // measuring
            load_measurements(options.record);
    }
    Validation validation(options.common);
    for (const labs::Lab* lab : chosen)
        for (const labs::Variant& variant : lab->variants)
            validation.require(*lab, variant, start_of(*lab, options.common), device::Engine::cuda);
    Report report{gpu->properties(), roofs_of(*gpu, chosen, !options.record.empty()), {}};
    const BenchTools tools = gpu_tools(*gpu, options.samples);
    for (const labs::Lab* lab : chosen)
        for (const std::string& size : {std::string("l2"), std::string("dram")}) {
            if (options.size != "both" && options.size != size) continue;
            fmt::print(stderr, "{}, {} size\n", lab->id, size);
            const auto [results, left_out, timelines] = benchmark(
                *gpu, *lab, size, {options.common.assignments, options.common.seed}, tools);
            report.all.results.insert(report.all.results.end(), results.begin(), results.end());
            report.all.left_out.insert(report.all.left_out.end(), left_out.begin(), left_out.end());
            report.all.timelines.insert(report.all.timelines.end(), timelines.begin(),
                                        timelines.end());
        }
    return report;
}

void print(const Report& report, const BenchCommandOptions& options)
{
    const Table table = as_table(report);
    if (options.json) {
        print_json(as_json(report));
    } else if (options.csv) {
        fmt::print("{}", table.csv());
    } else {
        fmt::print("{}, driver {}. Copy bandwidth: {} GB/s (read + write).", report.device.name,
                   report.device.driver, significant(report.roofs.copy_gb_per_s, 4));
        for (const char* rate : {"fma", "add_min"})
            if (report.roofs.rate(rate) > 0)
                fmt::print(" Its {}: {} Gop/s, each counted as two operations.", rate_words(rate),
                           significant(report.roofs.rate(rate), 4));
        fmt::print("\n\n");
        fmt::print("{}", options.markdown ? table.markdown() : table.text());
    }
    for (const SkippedPeer& one : report.all.left_out)
        fmt::print(stderr, "{} is not compared with {}: {}\n", one.peer, one.lab, one.reason);
    for (const BenchResult& one : report.all.results)
        if (!one.check.correct)
            fmt::print(stderr, "{} at {} size is wrong: {}\n", name_of(one), one.size,
                       one.check.message);
}

} // namespace

void add_bench(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command = program.add_subcommand(
        "bench",
        "Time every variant and its library counterparts (cuBLAS, CUB) on a GPU, interleaved");
    const auto options = std::make_shared<BenchCommandOptions>();
    command->add_option("labs", options->labs,
                        "Labs, lab folders, or your own .cu files (default: all labs)");
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
    command->add_option(
        "--record", options->record,
        "Also write the times to this file, each with device, driver and date. In an existing file "
        "they replace those of the same lab and size. Without a GPU the window shows these times");
    command->callback([&chosen, options] {
        chosen = [options] {
            const Report report = measure_all(*options);
            // first, because printing fails if the reader of the output has exited
            if (!options->record.empty()) record(report, options->record);
            print(report, *options);
            return status_of(report.all);
        };
    });
}

} // namespace lanescope::app
