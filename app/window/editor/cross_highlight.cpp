// Maps elements to warps via the footprint, and warps to lines via the executed stores. Which of
// several stores a warp executed is not recorded, so all of them are assumed to have written the
// element; no other line can be attributed to a warp.
#include "app/window/editor/cross_highlight.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/document/document.h"
#include "app/window/interaction/interaction.h"

namespace lanescope::app {
namespace {

bool stores(const trace::Site& site)
{
    return site.op == trace::Op::store &&
           (site.space == trace::Space::global || site.space == trace::Space::generic);
}

// Owning warps of the picture's elements, row by row from the lower left; empty if unknown.
std::span<const std::uint32_t> owners_of(const SideFrame& side)
{
    if (!side.warp_map) return {};
    const auto& owners = side.trace->footprint.owners;
    const std::size_t elements = static_cast<std::size_t>(side.warp_map->width) *
                                 static_cast<std::size_t>(side.warp_map->height);
    return owners.size() == elements ? std::span(owners) : std::span<const std::uint32_t>{};
}

// True if the line has a store that was executed.
bool has_stored(const trace::Trace& trace, const SourceLine& line)
{
    return std::ranges::any_of(line.instructions, [&](const SourceLine::Instruction& one) {
        return stores(trace.sites[one.site]) && one.counts.lanes > 0;
    });
}

// First side only: the code belongs to its kernel.
bool shows_elements(const Document& document, const Interaction& ui)
{
    return ui.placement && document.look.subject == Subject::picture &&
           !(ui.beside && document.look.difference);
}

} // namespace

Highlight highlight_of(const CodeState& state, const SideFrame& side, const SourceLine* line)
{
    if (!state.warp || !line) return Highlight::no;
    return has_stored(*side.trace, *line) ? Highlight::wrote : Highlight::no;
}

std::vector<int> written_by(const CodeState& state, const SideFrame& side)
{
    std::vector<int> lines;
    if (!state.warp) return lines;
    for (int i = 0; i < state.sheet.line_count(); ++i)
        if (highlight_of(state, side, state.sheet.counts(i)) == Highlight::wrote)
            lines.push_back(i + 1);
    return lines;
}

std::optional<std::uint32_t> pointed_warp(const Area& picture, const Document& document,
                                          const Frame& frame, const Interaction& ui)
{
    const auto owners = owners_of(frame.a);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool other = ui.beside && mouse.x >= picture.at.x + document.look.swipe * picture.size.x;
    if (owners.empty() || !shows_elements(document, ui) || other) return {};
    const auto scale = static_cast<double>(ui.pixels_per_point);
    const glm::dvec2 point = ui.placement->to_picture(
        {scale * static_cast<double>(mouse.x - picture.at.x),
         scale * static_cast<double>(picture.at.y + picture.size.y - mouse.y)});
    if (point.x < 0 || point.x >= 1 || point.y < 0 || point.y >= 1) return {};
    const auto width = static_cast<std::size_t>(frame.a.warp_map->width);
    const auto column = static_cast<std::size_t>(point.x * frame.a.warp_map->width);
    const auto row = static_cast<std::size_t>(point.y * frame.a.warp_map->height);
    const std::uint32_t owner = owners[row * width + column];
    if (owner == 0) return {};
    return owner - 1;
}

void darken_unwritten(const PanelStyle& style, const Area& picture, const Document& document,
                      const Frame& frame, const Interaction& ui)
{
    const auto owners = owners_of(frame.a);
    if (ui.code.line == 0 || owners.empty() || !shows_elements(document, ui)) return;
    if (ui.code.line > ui.code.sheet.line_count()) return;
    const SourceLine* const line = ui.code.sheet.counts(ui.code.line - 1);
    if (!line || !has_stored(*frame.a.trace, *line)) return;

    // Draws runs of darkened elements, row by row; when rows are smaller than a pixel, one row per
    // pixel.
    const render::Placement& place = *ui.placement;
    const double scale = 1 / static_cast<double>(ui.pixels_per_point);
    const int width = frame.a.warp_map->width;
    const int height = frame.a.warp_map->height;
    const auto x = [&](double column) {
        return picture.at.x + static_cast<float>(scale * (place.viewport.x + place.origin.x +
                                                          place.size.x * column / width));
    };
    const auto y = [&](double row) {
        return picture.at.y + picture.size.y -
               static_cast<float>(
                   scale * (place.viewport.y + place.origin.y + place.size.y * row / height));
    };
    const ImVec4& back = style.palette.background;
    const ImU32 colour = ImGui::GetColorU32({back.x, back.y, back.z, 0.72F});
    ImDrawList& draw = *ImGui::GetBackgroundDrawList();
    const ImVec2 low{x(0), y(height)};
    const auto left = static_cast<float>(scale * place.viewport.x);
    const auto bottom = static_cast<float>(scale * place.viewport.y);
    const ImVec2 first{picture.at.x + left, picture.at.y + picture.size.y - bottom -
                                                static_cast<float>(scale * place.viewport.height)};
    const ImVec2 last{first.x + static_cast<float>(scale * place.viewport.width),
                      picture.at.y + picture.size.y - bottom};
    const float end =
        ui.beside ? std::min(last.x, picture.at.x + document.look.swipe * picture.size.x) : last.x;
    draw.PushClipRect({std::max(first.x, low.x), std::max(first.y, low.y)}, {end, last.y}, true);
    const int row_step = std::max(1, static_cast<int>(height * scale / place.size.y));
    const int column_step = std::max(1, static_cast<int>(width * scale / place.size.x));
    for (int row = 0; row < height; row += row_step) {
        const int row_end = std::min(row + row_step, height);
        if (y(row) < first.y || y(row_end) > last.y) continue;
        int begin = -1;
        for (int column = 0;; column += column_step) {
            const bool inside = column < width;
            const std::uint32_t owner =
                inside ? owners[static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                                static_cast<std::size_t>(column)]
                       : 0;
            const bool is_lit = owner > 0;
            if (inside && !is_lit && begin < 0) begin = column;
            if ((!inside || is_lit) && begin >= 0) {
                draw.AddRectFilled({x(begin), y(row_end)}, {x(std::min(column, width)), y(row)},
                                   colour);
                begin = -1;
            }
            if (!inside) break;
        }
    }
    draw.PopClipRect();
}

} // namespace lanescope::app
