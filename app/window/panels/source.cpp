// See source.h.
#include "app/window/panels/source.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/export/table.h"
#include "render/views/colour_maps.h"

namespace lanescope::app {
namespace {

// Excess 1 is no colour, 8 and above the hottest.
ImU32 heat_of(double excess)
{
    const auto place = static_cast<float>(std::clamp((excess - 1) / 7, 0.0, 1.0));
    const render::Colour c = colour_at(render::ColourMap::inferno, 0.3F + 0.55F * place);
    return IM_COL32(c.red, c.green, c.blue, 120);
}

void cell(const std::string& text)
{
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(text.c_str());
}

// "1.58×"; empty where nothing of it happened.
std::string times(std::uint64_t actual, std::uint64_t ideal)
{
    if (ideal == 0) return "";
    return fmt::format("{:.2f}×", static_cast<double>(actual) / static_cast<double>(ideal));
}

// The numbers behind a row, for whoever points at it.
void explain(const SourceLine& line)
{
    if (!ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort)) return;
    std::string text;
    if (line.global.requests)
        text += fmt::format("global: {} requests, {} sectors, {} ideal\n",
                            grouped(line.global.requests), grouped(line.global.sectors),
                            grouped(line.global.ideal_sectors));
    if (line.shared.requests)
        text += fmt::format("shared: {} requests, {} wavefronts, {} ideal\n",
                            grouped(line.shared.requests), grouped(line.shared.wavefronts),
                            grouped(line.shared.ideal_wavefronts));
    if (line.branches.executions)
        text += fmt::format("branches: {}, divergent {}\n", grouped(line.branches.executions),
                            grouped(line.branches.divergent));
    ImGui::SetTooltip("%sA click shows the PTX.", text.c_str());
}

void instructions(const PanelStyle& style, const SourceLine& line)
{
    for (const SourceLine::Instruction& one : line.instructions) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::TableNextColumn();
        const TextScope code(style.fonts.code, style.em * 0.85F, style.palette.quiet);
        ImGui::TextUnformatted(("    " + one.ptx).c_str());
        cell(fmt::format("{:.1f}", one.counts.executions
                                       ? static_cast<double>(one.counts.lanes) /
                                             static_cast<double>(one.counts.executions)
                                       : 0));
        cell(times(one.counts.sectors, one.counts.ideal_sectors));
        cell(times(one.counts.wavefronts, one.counts.ideal_wavefronts));
        cell(one.counts.divergent ? grouped(one.counts.divergent) : "");
    }
}

bool row(const PanelStyle& style, const SourceLine& line, int number, int& opened)
{
    ImGui::TableNextRow();
    if (line.counted() && line.excess() > 1.01)
        ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, heat_of(line.excess()));
    ImGui::TableNextColumn();
    const IdScope id(std::to_string(number));
    bool changed = false;
    {
        const TextScope quiet(style.fonts.code, style.em * 0.9F, style.palette.quiet);
        const std::string label = std::to_string(number);
        if (line.counted()) {
            if (ImGui::Selectable(label.c_str(), opened == number,
                                  ImGuiSelectableFlags_SpanAllColumns)) {
                opened = opened == number ? 0 : number;
                changed = true;
            }
            explain(line);
        } else {
            ImGui::TextUnformatted(label.c_str());
        }
    }
    ImGui::TableNextColumn();
    {
        const TextScope code(style.fonts.code, style.em * 0.9F, style.palette.text);
        ImGui::TextUnformatted(line.text.c_str());
    }
    if (!line.counted()) return changed;
    cell(fmt::format("{:.1f}", line.active_lanes()));
    cell(times(line.global.sectors, line.global.ideal_sectors));
    cell(times(line.shared.wavefronts, line.shared.ideal_wavefronts));
    cell(line.branches.executions
             ? fmt::format("{:.1f} %", 100.0 * static_cast<double>(line.branches.divergent) /
                                           static_cast<double>(line.branches.executions))
             : "");
    return changed;
}

} // namespace

bool source_panel(const PanelStyle& style, const std::vector<SourceLine>& lines, int& opened)
{
    constexpr ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingFixedFit;
    if (!ImGui::BeginTable("source", 6, flags)) return false;
    bool changed = false;
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableSetupColumn("line");
    ImGui::TableSetupColumn("source", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("lanes");
    ImGui::TableSetupColumn("sectors");
    ImGui::TableSetupColumn("wavefronts");
    ImGui::TableSetupColumn("divergent");
    ImGui::TableHeadersRow();
    if (ImGui::IsWindowAppearing()) {
        const auto first = std::ranges::find_if(lines, &SourceLine::counted) - lines.begin();
        ImGui::SetScrollY(static_cast<float>(first) * ImGui::GetTextLineHeightWithSpacing());
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const int number = static_cast<int>(i) + 1;
        changed |= row(style, lines[i], number, opened);
        if (opened == number) instructions(style, lines[i]);
    }
    ImGui::EndTable();
    return changed;
}

} // namespace lanescope::app
