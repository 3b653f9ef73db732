// Text for reading: the element, its value in each version, the first differing line, the causes
// and the verdict. JSON has the same under fixed keys.
#include "app/run/doubt/doubt_output.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "compute/numbers.h"
#include "compute/text.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

// "line 7", "PTX line 30"; empty if neither is known.
std::string at(int line, int ptx_line)
{
    if (line > 0) return fmt::format("line {}", line);
    return ptx_line > 0 ? fmt::format("PTX line {}", ptx_line) : std::string();
}

std::string sides_text(const DoubtReport& report)
{
    std::size_t width = 0;
    std::size_t value_width = 0;
    for (const DoubtSide& side : report.sides) {
        width = std::max(width, side.name.size());
        value_width = std::max(value_width, side.value.size());
    }
    std::string text;
    for (const DoubtSide& side : report.sides) {
        std::string where;
        if (side.written)
            where = fmt::format("  stored by lane {} of warp {}, block {}, {}: {}", side.lane,
                                side.warp, side.block, at(side.line, side.ptx_line), side.store);
        else if (!side.store.empty() || side.ptx_line > 0)
            where = "  not written";
        text += printable(fmt::format("  {:{}}  {:{}}{}\n", side.name, width, side.value,
                                      where.empty() ? 0 : value_width, where));
    }
    return text;
}

std::string line_text(const DoubtReport& report)
{
    if (report.line <= 0) return {};
    std::string text =
        fmt::format("First difference: {} {}: {}\n  {}\n", report.in_ptx ? "PTX line" : "line",
                    report.line, printable(report.text), printable(report.sentence));
    if (!report.inputs.empty())
        text += printable(fmt::format("  Its inputs agree: {}\n", fmt::join(report.inputs, ", ")));
    if (!report.merged.empty())
        text += fmt::format("  The optimised code merges it with {} {}.\n",
                            report.merged.size() == 1 ? "line" : "lines",
                            fmt::join(report.merged, ", "));
    for (const DoubtSide& side : report.sides)
        if (!side.instruction.empty())
            text += printable(fmt::format("  {}: PTX line {}: {}\n", side.name,
                                          side.instruction_line, side.instruction));
    return text;
}

} // namespace

std::string doubt_text(const DoubtReport& report)
{
    std::string text;
    if (!report.element.empty())
        text += fmt::format("{}: {} of {} elements differ, {} first.\n", printable(report.kernel),
                            grouped(report.different), grouped(report.compared),
                            printable(report.element)) +
                sides_text(report);
    else
        text += fmt::format("{}: all {} elements are equal.\n", printable(report.kernel),
                            grouped(report.compared));
    text += line_text(report);
    for (const DoubtCause& cause : report.causes) {
        const std::string where = at(cause.line, cause.ptx_line);
        text += printable(
            fmt::format("Cause: {}{}{}: {}\n", cause.kind, where.empty() ? "" : ", " + where,
                        cause.version.empty() ? "" : ", " + cause.version, cause.sentence));
    }
    for (const Mutant& one : report.explanations)
        text += printable(fmt::format("PTX line {}: computing \"{}\" instead of \"{}\" gives the "
                                      "other values.\n",
                                      one.ptx_line, one.instead, one.instruction));
    return text + fmt::format("Verdict: {}\n", printable(report.verdict));
}

ordered_json doubt_json(const DoubtReport& report)
{
    ordered_json json{{"kernel", report.kernel},
                      {"compared", report.compared},
                      {"different", report.different},
                      {"culprit", name_of(report.culprit)},
                      {"verdict", report.verdict}};
    if (!report.element.empty()) json["element"] = report.element;
    if (report.line > 0) {
        ordered_json first{{report.in_ptx ? "ptx_line" : "line", report.line},
                           {"text", report.text},
                           {"sentence", report.sentence}};
        if (!report.inputs.empty()) first["inputs"] = report.inputs;
        if (!report.merged.empty()) first["merged_lines"] = report.merged;
        json["first_difference"] = std::move(first);
    }
    json["versions"] = ordered_json::array();
    for (const DoubtSide& side : report.sides) {
        ordered_json one{{"name", side.name}, {"value", side.value}};
        if (side.written) {
            if (side.line > 0) one["line"] = side.line;
            one["ptx_line"] = side.ptx_line;
            one["store"] = side.store;
            one["position"] = side.position;
            one["block"] = side.block;
            one["warp"] = side.warp;
            one["lane"] = side.lane;
        }
        if (!side.instruction.empty()) {
            one["instruction"] = side.instruction;
            one["instruction_ptx_line"] = side.instruction_line;
            one["operation"] = side.operation;
        }
        json["versions"].push_back(std::move(one));
    }
    json["causes"] = ordered_json::array();
    for (const DoubtCause& cause : report.causes) {
        ordered_json one{{"kind", cause.kind},
                         {"sentence", cause.sentence},
                         {"culprit", name_of(cause.culprit)}};
        if (cause.line > 0) one["line"] = cause.line;
        if (cause.ptx_line > 0) one["ptx_line"] = cause.ptx_line;
        if (!cause.version.empty()) one["version"] = cause.version;
        json["causes"].push_back(std::move(one));
    }
    if (report.explanations.empty()) return json;
    json["explanations"] = ordered_json::array();
    for (const Mutant& one : report.explanations)
        json["explanations"].push_back({{"ptx_line", one.ptx_line},
                                        {"instruction", one.instruction},
                                        {"instead", one.instead}});
    return json;
}

} // namespace lanescope::app
