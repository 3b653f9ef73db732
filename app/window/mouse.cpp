// See mouse.h.
#include "app/window/mouse.h"

#include <cmath>

namespace lanescope::app {
namespace {

constexpr float zoom_step = 1.15F; // of one notch of the wheel

void turn(const Area& area, Look& look)
{
    const ImGuiIO& io = ImGui::GetIO();
    if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, 0))
        look.camera.orbit(io.MouseDelta.x, -io.MouseDelta.y, area.size.y);
    if (io.MouseWheel != 0) look.camera.zoom(std::pow(zoom_step, -io.MouseWheel));
}

std::optional<labs::Stroke> paint(const Area& area, const render::Placement& placement, Look& look)
{
    const ImGuiIO& io = ImGui::GetIO();
    // The placement counts from the lower left of the picture's own framebuffer.
    const glm::dvec2 pixel{io.MousePos.x - area.at.x, area.at.y + area.size.y - io.MousePos.y};
    const glm::dvec2 point = placement.to_picture(pixel);
    if (io.MouseWheel != 0)
        look.pan_zoom.zoom_at(point, std::pow(static_cast<double>(zoom_step), io.MouseWheel));
    if (ImGui::IsMouseDragging(ImGuiMouseButton_Middle, 0))
        look.pan_zoom.pan({-io.MouseDelta.x / area.size.x, io.MouseDelta.y / area.size.y});
    const bool erase = ImGui::IsMouseDown(ImGuiMouseButton_Right);
    const bool inside = point.x >= 0 && point.x <= 1 && point.y >= 0 && point.y <= 1;
    const bool draws = ImGui::IsMouseDown(ImGuiMouseButton_Left) && !io.KeyShift;
    if (!inside || (!erase && !draws)) return {};
    const double radius = 0.03 / look.pan_zoom.zoom;
    return labs::Stroke{point.x, point.y, radius, erase};
}

} // namespace

std::optional<labs::Stroke> picture_mouse(const Area& area, const Scene::Placement& placement,
                                          Look& look)
{
    const ImGuiIO& io = ImGui::GetIO();
    if (io.WantCaptureMouse || !area.contains(io.MousePos)) return {};
    if (placement) return paint(area, *placement, look);
    turn(area, look);
    return {};
}

} // namespace lanescope::app
