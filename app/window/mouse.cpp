// The mouse is in points, the unit of widgets; the picture is in pixels.
#include "app/window/mouse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/window/panels/panels.h"
#include "compute/numbers.h"
#include "render/views/maps/memory_map.h"
#include "render/views/maps/warp_map.h"

namespace lanescope::app {
namespace {

constexpr float wheel_step = 1.15F; // per notch of the wheel

// Mouse position on a flat picture: 0 to 1 from its lower left.
glm::dvec2 place_of(const Area& area, const Interaction& ui)
{
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto scale = static_cast<double>(ui.pixels_per_point);
    // The placement counts from the lower left of the picture's own framebuffer.
    return ui.placement->to_picture(
        {scale * static_cast<double>(mouse.x - area.at.x),
         scale * static_cast<double>(area.at.y + area.size.y - mouse.y)});
}

void turn(const Area& area, const Look& look, Commands& out)
{
    const ImGuiIO& io = ImGui::GetIO();
    render::Camera camera = look.camera;
    if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, 0))
        camera.orbit(io.MouseDelta.x, -io.MouseDelta.y, area.size.y);
    if (io.MouseWheel != 0) camera.zoom(std::pow(wheel_step, -io.MouseWheel));
    if (camera != look.camera) out.push_back(Orbit{camera});
}

void zoom_and_paint(const Area& area, const Look& look, const Interaction& ui, Commands& out)
{
    const ImGuiIO& io = ImGui::GetIO();
    const glm::dvec2 point = place_of(area, ui);
    render::PanZoom seen = look.pan_zoom;
    if (io.MouseWheel != 0)
        seen.zoom_at(point, std::pow(static_cast<double>(wheel_step), io.MouseWheel));
    if (ImGui::IsMouseDragging(ImGuiMouseButton_Middle, 0))
        seen.pan({-io.MouseDelta.x / area.size.x, io.MouseDelta.y / area.size.y});
    if (seen != look.pan_zoom) out.push_back(Zoom{seen});
    const bool inside_picture = point.x >= 0 && point.x < 1 && point.y >= 0 && point.y < 1;
    if (look.step.on) {
        if (!inside_picture || !ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return;
        StepChoice asked = look.step;
        asked.page = StepChoice::Page::why;
        asked.node = 0;
        out.push_back(ExplainElement{point.x, point.y});
        out.push_back(ShowStepped{asked});
        return;
    }
    const bool erase = ImGui::IsMouseDown(ImGuiMouseButton_Right);
    const bool draws = ImGui::IsMouseDown(ImGuiMouseButton_Left) && !io.KeyShift;
    const bool inside = point.x >= 0 && point.x <= 1 && point.y >= 0 && point.y <= 1;
    if (inside && (erase || draws))
        out.push_back(Paint{{point.x, point.y, usual_brush / seen.zoom, erase}});
}

// "block 5 · thread 37 · warp 1 · lane 5", for the cell under the mouse.
std::string label_words(const labs::LabelsPicture& picture, glm::dvec2 point)
{
    const int x = static_cast<int>(std::floor(point.x * picture.width));
    const int y = static_cast<int>(std::floor(point.y * picture.height));
    if (x < 0 || y < 0 || x >= picture.width || y >= picture.height) return {};
    std::string words = fmt::format("cell ({}, {}): ", x, y);
    if (picture.at(x, y, 0) < 0) return words + picture.gap;
    for (std::size_t layer = 0; layer < picture.layers.size(); ++layer)
        words += fmt::format("{}{} {}", layer == 0 ? "" : " · ", picture.layers[layer],
                             picture.at(x, y, static_cast<int>(layer)));
    return words;
}

} // namespace

bool mouse_is_idle(Interaction& ui)
{
    constexpr double soon_s = 2.5;
    const ImGuiIO& io = ImGui::GetIO();
    const bool moves = io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseWheel != 0 ||
                       ImGui::IsAnyMouseDown();
    if (moves) ui.mouse_moved_s = ImGui::GetTime();
    return ImGui::GetTime() - ui.mouse_moved_s > soon_s;
}

void handle_mouse(const Area& area, const Document& document, const Interaction& ui, Commands& out)
{
    const ImGuiIO& io = ImGui::GetIO();
    if (covers_picture(document.look.step)) return;
    if (io.WantCaptureMouse || ui.divider_held || !area.contains(io.MousePos)) return;
    if (ui.placement)
        zoom_and_paint(area, document.look, ui, out);
    else
        turn(area, document.look, out);
}

void handle_divider(const PanelStyle& style, const Area& area, const Document& document,
                    Interaction& ui, Commands& out)
{
    const Look& look = document.look;
    const float x = area.at.x + look.swipe * area.size.x;
    const ImU32 ink = ImGui::GetColorU32(style.palette.text);
    ImDrawList& draw = *ImGui::GetBackgroundDrawList();
    // Between the texts above and below the picture, if its position is known.
    float top = area.at.y;
    float bottom = area.at.y + area.size.y;
    if (ui.placement) {
        const render::PixelRect& seen = ui.placement->viewport;
        top += area.size.y - static_cast<float>(seen.y + seen.height) / ui.pixels_per_point;
        bottom -= static_cast<float>(seen.y) / ui.pixels_per_point;
    }
    draw.AddLine({x, top}, {x, bottom}, ink, style.em * 0.12F);
    draw.AddCircleFilled({x, (top + bottom) / 2}, style.em * 0.5F, ink);
    const ImGuiIO& io = ImGui::GetIO();
    const bool near = area.contains(io.MousePos) && std::abs(io.MousePos.x - x) < style.em * 0.7F;
    if (near) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    if (near && !io.WantCaptureMouse && ImGui::IsMouseClicked(ImGuiMouseButton_Left))
        ui.divider_held = true;
    if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) ui.divider_held = false;
    const float to = (io.MousePos.x - area.at.x) / area.size.x;
    if (ui.divider_held && to != look.swipe) out.push_back(MoveDivider{to});
}

std::string hover_text(const Area& area, const Document& document, const Frame& frame,
                       const Interaction& ui, Commands& out)
{
    const ImGuiIO& io = ImGui::GetIO();
    const Look& look = document.look;
    if (!ui.placement || (ui.beside && look.difference)) return {};
    const bool right = io.MousePos.x >= area.at.x + look.swipe * area.size.x;
    const SideFrame& side = frame.b && ui.beside && right ? *frame.b : frame.a;
    const glm::dvec2 point = place_of(area, ui);
    if (look.subject == Subject::memory) {
        if (!side.memory) return {};
        const MemoryCounts& memory = *side.memory;
        const double aspect = static_cast<double>(ui.placement->viewport.width) /
                              std::max(ui.placement->viewport.height, 1);
        const auto sector = render::memory_grid(memory.sectors, aspect, memory.row_bytes)
                                .sector_at(point, memory.sectors);
        if (!sector) return {};
        return sector_tooltip(memory.name, *sector,
                              render::count_of(memory.data(render::SectorMetric::touches), *sector),
                              render::count_of(memory.data(render::SectorMetric::warps), *sector));
    }
    if (look.subject == Subject::picture && look.map == "off" && side.picture)
        if (const auto* labels = std::get_if<labs::LabelsPicture>(&side.picture->shape))
            return label_words(*labels, point);
    if (look.subject != Subject::picture || look.map == "off" || !side.warp_map) return {};
    const auto warp = render::warp_at(*side.warp_map, point);
    if (!warp) return {};
    if (io.KeyShift && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        out.push_back(ShowRequest{{look.request.site, warp->index, 0}});
        out.push_back(ShowSubject{Subject::request});
        return {};
    }
    std::string words = warp_tooltip(warp->index, warp->counts, side.facts.grid, side.facts.block,
                                     side.counted.map_of);
    if (warp->served)
        words += fmt::format("sectors read from L1: {}, from L2: {}, from DRAM: {} (model)\n",
                             grouped(warp->served->l1), grouped(warp->served->l2),
                             grouped(warp->served->dram));
    return words;
}

} // namespace lanescope::app
