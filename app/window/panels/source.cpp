// The kernel's source with heat: what each line moved against what it needed; a click opens the
// line's PTX.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/export/table.h"
#include "app/window/panels/panels.h"
#include "app/window/plots/source_heat.h"
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

void instruction(const PanelStyle& style, const SourceLine::Instruction& one)
{
    ImGui::TableNextColumn();
    ImGui::TableNextColumn();
    const TextScope code(style.fonts.code, style.em * 0.85F, style.palette.quiet);
    ImGui::TextUnformatted(("    " + one.ptx).c_str());
    const double executions = static_cast<double>(one.counts.executions);
    cell(fmt::format("{:.1f}",
                     executions > 0 ? static_cast<double>(one.counts.lanes) / executions : 0));
    cell(times(one.counts.sectors, one.counts.ideal_sectors));
    cell(times(one.counts.wavefronts, one.counts.ideal_wavefronts));
    cell(one.counts.divergent ? grouped(one.counts.divergent) : "");
}

void row(const PanelStyle& style, const SourceLine& line, int number, int opened, Commands& out)
{
    if (line.counted() && line.excess() > 1.01)
        ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, heat_of(line.excess()));
    ImGui::TableNextColumn();
    const IdScope id(std::to_string(number));
    {
        const TextScope quiet(style.fonts.code, style.em * 0.9F, style.palette.quiet);
        const std::string label = std::to_string(number);
        if (line.counted()) {
            if (ImGui::Selectable(label.c_str(), opened == number,
                                  ImGuiSelectableFlags_SpanAllColumns))
                out.push_back(OpenLine{opened == number ? 0 : number});
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
    if (!line.counted()) return;
    cell(fmt::format("{:.1f}", line.active_lanes()));
    cell(times(line.global.sectors, line.global.ideal_sectors));
    cell(times(line.shared.wavefronts, line.shared.ideal_wavefronts));
    cell(line.branches.executions
             ? fmt::format("{:.1f} %", 100.0 * static_cast<double>(line.branches.divergent) /
                                           static_cast<double>(line.branches.executions))
             : "");
}

// A row of the table: a line, or one of the instructions of the line that is opened.
struct TableRow {
    const SourceLine* line;
    int number;
    const SourceLine::Instruction* instruction = nullptr;
};

std::vector<TableRow> rows_of(const std::vector<SourceLine>& lines, int opened)
{
    std::vector<TableRow> rows;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const int number = static_cast<int>(i) + 1;
        rows.push_back({&lines[i], number});
        if (opened != number) continue;
        for (const auto& one : lines[i].instructions) rows.push_back({&lines[i], number, &one});
    }
    return rows;
}

} // namespace

void source_panel(const View& view, Commands& out)
{
    const PanelStyle& style = view.style;
    const std::vector<SourceLine> lines = source_lines(view.frame);
    if (lines.empty()) return quiet_text(style, "The next step is being counted.");
    constexpr ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_SizingFixedFit;
    if (!ImGui::BeginTable("source", 6, flags)) return;
    ImGui::TableSetupScrollFreeze(0, 1);
    const auto fixed = [&](const char* title, float em) {
        ImGui::TableSetupColumn(title, ImGuiTableColumnFlags_WidthFixed, em * style.em);
    };
    fixed("line", 2.2F);
    ImGui::TableSetupColumn("source", ImGuiTableColumnFlags_WidthStretch);
    fixed("lanes", 3);
    fixed("sectors", 4);
    fixed("wavefronts", 5.6F);
    fixed("divergent", 5);
    ImGui::TableHeadersRow();
    const float height = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
    if (ImGui::IsWindowAppearing()) {
        const auto first = std::ranges::find_if(lines, &SourceLine::counted) - lines.begin();
        ImGui::SetScrollY(static_cast<float>(first) * height);
    }
    const int opened = view.document.opened_line;
    const std::vector<TableRow> rows = rows_of(lines, opened);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(rows.size()), height);
    while (clipper.Step())
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const TableRow& one = rows[static_cast<std::size_t>(i)];
            ImGui::TableNextRow(0, height);
            if (one.instruction)
                instruction(style, *one.instruction);
            else
                row(style, *one.line, one.number, opened, out);
        }
    ImGui::EndTable();
}

} // namespace lanescope::app
