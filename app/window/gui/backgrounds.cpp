// Removes the rectangle's indices from the first draw command, and inserts a callback before it.
#include "app/window/gui/backgrounds.h"

#include <glad/gl.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace lanescope::app {
namespace {

constexpr unsigned indices = 6; // two triangles per rectangle

// A rectangle in one opaque colour, in points.
struct Background {
    ImVec4 box; // left, top, right, bottom
    ImU32 colour;
};

bool is_inside(const ImVec4& box, const ImVec4& clip)
{
    return box.x >= clip.x && box.y >= clip.y && box.z <= clip.z && box.w <= clip.w;
}

// The rectangle at the start of the list, if it is not clipped.
std::optional<Background> background_of(const ImDrawList& list)
{
    constexpr std::array<ImDrawIdx, indices> order{0, 1, 2, 0, 2, 3}; // as ImDrawList::PrimRect
    if (list.CmdBuffer.empty()) return {};
    const ImDrawCmd& first = list.CmdBuffer.front();
    if (first.UserCallback != nullptr || first.ElemCount < indices) return {};
    const ImDrawIdx* const index = list.IdxBuffer.Data + first.IdxOffset;
    for (std::size_t i = 0; i < indices; ++i)
        if (index[i] != index[0] + order[i]) return {};
    const std::span corners(list.VtxBuffer.Data + first.VtxOffset + index[0], 4);
    const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
    for (const ImDrawVert& corner : corners)
        if (corner.col != corners[0].col || corner.uv.x != white.x || corner.uv.y != white.y)
            return {};
    const ImVec2 from = corners[0].pos, to = corners[2].pos;
    const bool upright = corners[1].pos.x == to.x && corners[1].pos.y == from.y &&
                         corners[3].pos.x == from.x && corners[3].pos.y == to.y;
    const bool opaque = (corners[0].col & IM_COL32_A_MASK) == IM_COL32_A_MASK;
    const ImVec4 box{from.x, from.y, to.x, to.y};
    if (!upright || !opaque || !is_inside(box, first.ClipRect)) return {};
    return Background{box, corners[0].col};
}

// The first pixel whose centre is past a coordinate.
int first_pixel(float place)
{
    return static_cast<int>(std::ceil(place - 0.5F));
}

// An edge exactly through a pixel's centre is excluded: OpenGL implementations assign it
// differently.
bool is_between_middles(float place)
{
    constexpr float precision = 1.0F / 64;
    const float from_middle = place - std::floor(place) - 0.5F;
    return std::abs(from_middle) > precision;
}

bool edges_avoid_pixel_centres(const ImVec4& box, ImVec2 scale)
{
    return is_between_middles(box.x * scale.x) && is_between_middles(box.z * scale.x) &&
           is_between_middles(box.y * scale.y) && is_between_middles(box.w * scale.y);
}

// Draw-list callback that clears the command's clip rectangle. Each command sets its own scissor.
void clear_box(const ImDrawList*, const ImDrawCmd* command)
{
    const ImDrawData& data = *ImGui::GetDrawData();
    const ImVec2 scale = data.FramebufferScale;
    const ImVec4& box = command->ClipRect;
    const int left = first_pixel(box.x * scale.x), right = first_pixel(box.z * scale.x);
    const int top = first_pixel(box.y * scale.y), bottom = first_pixel(box.w * scale.y);
    const int height = static_cast<int>(data.DisplaySize.y * scale.y);
    if (left >= right || top >= bottom) return;
    glScissor(left, height - bottom, right - left, bottom - top);
    const auto colour = reinterpret_cast<std::uintptr_t>(command->UserCallbackData);
    const ImVec4 rgba = ImGui::ColorConvertU32ToFloat4(static_cast<ImU32>(colour));
    glClearBufferfv(GL_COLOR, 0, &rgba.x);
}

void clear_background(ImDrawList& list, ImVec2 scale)
{
    constexpr float min_area = 64 * 64; // square points; a smaller area is not worth a command
    const auto background = background_of(list);
    if (!background) return;
    const ImVec4& box = background->box;
    if (!edges_avoid_pixel_centres(box, scale)) return;
    if ((box.z - box.x) * (box.w - box.y) < min_area) return;
    ImDrawCmd& first = list.CmdBuffer.front();
    first.IdxOffset += indices;
    first.ElemCount -= indices;
    ImDrawCmd command;
    command.ClipRect = box;
    command.UserCallback = clear_box;
    command.UserCallbackData = reinterpret_cast<void*>(std::uintptr_t{background->colour});
    list.CmdBuffer.insert(list.CmdBuffer.begin(), command);
}

} // namespace

void clear_backgrounds(ImDrawData& data)
{
    for (ImDrawList* const list : data.CmdLists) clear_background(*list, data.FramebufferScale);
}

} // namespace lanescope::app
