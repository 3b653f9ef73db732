// Changes are predicted like the launch itself: same model, changed counts.
#include "app/export/output/time_output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

#include "app/export/output/trace_output.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;
using predicted::Unit;
using predicted::Wait;

constexpr std::array<Wait, predicted::wait_count> all_waits{
    Wait::issue, Wait::arithmetic, Wait::shared, Wait::global, Wait::barrier, Wait::branch};

std::string percent(double share)
{
    return fmt::format("{:.0f}%", 100 * share);
}

std::string duration(double us)
{
    return format_time(us / 1e3);
}

std::vector<Unit> by_use(const predicted::Prediction& prediction)
{
    std::vector<Unit> units(predicted::all_units.begin(), predicted::all_units.end());
    std::ranges::stable_sort(units,
                             [&](Unit a, Unit b) { return prediction.of(a) > prediction.of(b); });
    return units;
}

const trace::Site* site_at(const trace::Trace& trace, int ptx_line)
{
    const auto found = std::ranges::find(trace.sites, ptx_line, &trace::Site::ptx_line);
    return found == trace.sites.end() ? nullptr : &*found;
}

std::optional<TimeReport::Line> costliest(const predicted::Work& work, Unit limit,
                                          const trace::Trace& trace)
{
    const std::map<int, double>* lines = nullptr;
    double sum = 0;
    switch (limit) {
    case Unit::data: lines = &work.data_lines; break;
    case Unit::l2: lines = &work.l2_lines; break;
    case Unit::dram: lines = &work.dram_lines; break;
    case Unit::latency:
        lines = &work.chain.lines;
        sum = work.chain.cycles;
        break;
    case Unit::block_starts:
    case Unit::instructions: return {};
    }
    if (limit == Unit::data) sum = work.data;
    if (sum == 0)
        for (const auto& [line, part] : *lines) sum += part;
    const trace::Site* most = nullptr;
    double part = 0;
    for (const auto& [line, here] : *lines) {
        const trace::Site* const site = site_at(trace, line);
        if (site == nullptr || here <= part) continue;
        most = site;
        part = here;
    }
    if (most == nullptr || sum <= 0) return {};
    const std::string where =
        most->line > 0 ? place(*most) : fmt::format("PTX line {}", most->ptx_line);
    return TimeReport::Line{fmt::format("{}, {} {}", where, name(most->space), name(most->op)),
                            std::min(1.0, part / sum)};
}

} // namespace

void fill_time(TimeReport& report, const assembled::SassFunction& function,
               const counting::Gpu& gpu, const predicted::Launch& launch)
{
    constexpr double worth_saying = 0.95;
    report.work = work_of(function, launch, gpu);
    report.prediction = predict(report.work, gpu);
    report.costliest = costliest(report.work, report.prediction.limit, launch.trace);
    const auto consider = [&](const std::string& how, const predicted::Prediction& changed) {
        const double best = report.better ? report.better->us : worth_saying * report.prediction.us;
        if (changed.us < best) report.better = TimeReport::Change{how, changed.us};
    };
    consider("without bank conflicts",
             predict(work_of(function, launch, gpu, {.no_bank_conflicts = true}), gpu));
    consider("with each warp's accesses to global memory in as few sectors as their bytes fill",
             predict(work_of(function, launch, gpu, {.contiguous = true}), gpu));
    if (report.prediction.limit == Unit::block_starts)
        consider("in a quarter of the blocks, each with four times the work",
                 predict_in_fewer_blocks(report.work, gpu));
    if (report.work.blocks < gpu.multiprocessors)
        report.notes.push_back(fmt::format("Only {:.0f} of {} multiprocessors have a block.",
                                           report.work.blocks, gpu.multiprocessors));
    if (report.work.calls_functions)
        report.notes.emplace_back("The instructions of called functions are not included.");
    if (report.work.indexed_constants)
        report.notes.emplace_back(
            "Lanes that read different constants take longer; the prediction assumes one.");
    const bool images = std::ranges::any_of(launch.trace.sites, [](const trace::Site& site) {
        return site.space == trace::Space::texture || site.space == trace::Space::surface;
    });
    if (images)
        report.notes.emplace_back("Textures and surfaces are not followed through the caches.");
    if (!report.prediction.validated)
        report.notes.push_back(fmt::format("Predictions for the {} have not been validated; the "
                                           "errors are those of an H100.",
                                           report.gpu));
}

ordered_json time_json(const TimeReport& report)
{
    ordered_json json = {{"gpu", report.gpu}, {"before", report.before}};
    if (!report.unavailable.empty()) {
        json["unavailable"] = report.unavailable;
        return json;
    }
    const predicted::Prediction& made = report.prediction;
    json["predicted_us"] = made.us;
    json["launch_us"] = made.launch_us;
    json["limited_by"] = made.by_launch ? "launch" : key(made.limit);
    json["unit_us"] = ordered_json::object();
    for (const Unit unit : predicted::all_units)
        json["unit_us"][std::string(key(unit))] = made.of(unit);
    json["busiest_pipe"] = made.pipe;
    json["block_cycles"] = report.work.chain.cycles;
    json["block_waits"] = ordered_json::object();
    for (const Wait wait : all_waits)
        json["block_waits"][std::string(key(wait))] = report.work.chain.waits_for(wait);
    json["warp_instructions"] = 4 * report.work.issue;
    json["registers"] = report.work.registers;
    json["resident_blocks"] = report.work.resident_blocks;
    json["waves"] = made.waves;
    json["error"] = {{"median", made.error.median},
                     {"ninety_percent", made.error.most},
                     {"launches", made.error.launches}};
    json["validated"] = made.validated;
    if (report.costliest)
        json["costliest"] = {{"access", report.costliest->access},
                             {"share", report.costliest->share}};
    if (report.better)
        json["better"] = {{"how", report.better->how}, {"predicted_us", report.better->us}};
    json["notes"] = report.notes;
    return json;
}

std::string time_text(const TimeReport& report)
{
    std::string text = fmt::format("\nPredicted time on the {}, {}: ", report.gpu,
                                   report.before == "warm" ? "after the same launch"
                                                           : "caches empty before the launch");
    if (!report.unavailable.empty()) return text + "none. " + report.unavailable + "\n";
    const predicted::Prediction& made = report.prediction;
    text +=
        fmt::format("{}, of which {} for launching\n", duration(made.us), duration(made.launch_us));
    std::string units;
    for (const Unit unit : by_use(made)) {
        if (made.use(unit) < 0.05) continue;
        const bool pipe = unit == Unit::instructions && made.pipe != "issue slots";
        units += fmt::format("{}{}{} {}", units.empty() ? "" : ", ", name(unit),
                             pipe ? fmt::format(" ({})", made.pipe) : "", percent(made.use(unit)));
    }
    text += made.by_launch ? fmt::format("Limited by launching; of the rest: {}\n", units)
                           : fmt::format("Limited by {}\n", units);
    if (made.limit == Unit::latency) {
        text += fmt::format("A block on its own takes {} cycles:",
                            grouped(static_cast<std::uint64_t>(report.work.chain.cycles)));
        std::string waits;
        for (const Wait wait : all_waits) {
            const double share = report.work.chain.waits_for(wait) / report.work.chain.cycles;
            if (share >= 0.05)
                waits +=
                    fmt::format("{} {} {}", waits.empty() ? "" : ",", percent(share), name(wait));
        }
        text += waits + "\n";
    }
    if (report.costliest)
        text += fmt::format("Most for one line: {} for {}\n", percent(report.costliest->share),
                            report.costliest->access);
    if (report.better)
        text += fmt::format("Predicted {}: {} (−{})\n", report.better->how,
                            duration(report.better->us), percent(1 - report.better->us / made.us));
    for (const std::string& note : report.notes) text += note + "\n";
    return text +
           fmt::format("Of measured launches like it, half were within {} of the prediction, "
                       "nine of ten within {}.\n",
                       percent(made.error.median), percent(made.error.most));
}

} // namespace lanescope::app
