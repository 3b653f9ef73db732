// A list of units has those that are used for at least 5% of the time.
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

std::vector<Unit> units_by_use(const predicted::Prediction& prediction)
{
    std::vector<Unit> units(predicted::all_units.begin(), predicted::all_units.end());
    std::ranges::stable_sort(units,
                             [&](Unit a, Unit b) { return prediction.of(a) > prediction.of(b); });
    return units;
}

// "heat.cu:24, global load"
std::string access_words(const trace::Site& site)
{
    return fmt::format("{}, {} {}", place(site), name(site.space), name(site.op));
}

} // namespace

ordered_json time_json(const TimeReport& report)
{
    ordered_json json = {{"gpu", report.gpu}, {"before", report.before}};
    if (!report.unavailable.empty()) {
        json["unavailable"] = report.unavailable;
        return json;
    }
    const predicted::Prediction& made = report.prediction;
    json["launches"] = report.launches;
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
        json["costliest"] = {{"access", access_words(report.costliest->site)},
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
    const std::string launching =
        report.launches == 1 ? "launching" : fmt::format("{} launches", report.launches);
    text += fmt::format("{}, of which {} for {}\n", duration(made.us), duration(made.launch_us),
                        launching);
    std::string units;
    for (const Unit unit : units_by_use(made)) {
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
                            access_words(report.costliest->site));
    if (report.better)
        text += fmt::format("Predicted {}: {} (−{})\n", report.better->how,
                            duration(report.better->us), percent(1 - report.better->us / made.us));
    for (const std::string& note : report.notes) text += note + "\n";
    return text +
           fmt::format("Of comparable measured launches, half were within {} of the prediction, "
                       "nine out of ten within {}.\n",
                       percent(made.error.median), percent(made.error.most));
}

} // namespace lanescope::app
