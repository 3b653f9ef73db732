// See sides.h.
#include "app/window/panels/sides.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/export/table.h"
#include "app/measure/ratios.h"

namespace lanescope::app {
namespace {

using trace::Totals;
using enum labs::Ratio;

std::string ratio(labs::Ratio wanted, const Totals& totals, const char* unit)
{
    const auto found = value(wanted, totals, 0);
    return found ? fmt::format("{:.2f}{}", *found, unit) : "–";
}

struct Row {
    const char* name;
    std::string (*text)(const Totals&);
};

const Row rows[] = {
    {"instructions", [](const Totals& all) { return grouped(all.warp_instructions); }},
    {"active lanes", [](const Totals& all) { return ratio(lanes_per_instruction, all, ""); }},
    {"sectors", [](const Totals& all) { return grouped(global_sectors(all)); }},
    {"sectors / ideal", [](const Totals& all) { return ratio(sectors_over_ideal, all, "×"); }},
    {"shared / ideal", [](const Totals& all) { return ratio(wavefronts_over_ideal, all, "×"); }},
};

void line(const PanelStyle& style, const char* name, const std::string& left,
          const std::string& right)
{
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    quiet_text(style, name);
    for (const std::string& text : {left, right}) {
        ImGui::TableNextColumn();
        plain_text(text);
    }
}

} // namespace

void sides_panel(const PanelStyle& style, std::span<const VariantReading> all,
                 const std::string& rival, bool has_clock)
{
    const auto left = std::ranges::find_if(all, &VariantReading::shown);
    const auto right = std::ranges::find(all, rival, &VariantReading::id);
    if (left == all.end() || right == all.end()) return;
    if (!ImGui::BeginTable("sides", 3)) return;
    ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch, 1.35F);
    ImGui::TableSetupColumn("left", ImGuiTableColumnFlags_WidthStretch, 1);
    ImGui::TableSetupColumn("right", ImGuiTableColumnFlags_WidthStretch, 1);
    line(style, "", left->title, right->title);
    const auto time = [](const VariantReading& one) {
        return one.step_ms.count == 0 ? std::string("–")
                                      : significant(one.step_ms.median * 1e3) + " µs";
    };
    if (has_clock) line(style, "step", time(*left), time(*right));
    const auto counted = [](const Row& row, const VariantReading& one) {
        return one.totals ? row.text(*one.totals) : std::string("–");
    };
    for (const Row& row : rows) line(style, row.name, counted(row, *left), counted(row, *right));
    ImGui::EndTable();
}

} // namespace lanescope::app
