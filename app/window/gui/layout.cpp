// Panel sizes in points, and the bars that change them.
#include "app/window/gui/layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "app/draw/scene/margins.h"
#include "app/window/gui/theme.h"

namespace lanescope::app {

bool Area::contains(ImVec2 point) const
{
    return point.x >= at.x && point.y >= at.y && point.x < at.x + size.x && point.y < at.y + size.y;
}

namespace {

constexpr float share_beside_labs = 0.55F; // min. share of the window for the picture without its
                                           // captions
constexpr float share_beside = 0.4F;       // the same with only the parameters beside it
constexpr float narrowest_em = 13;         // min. width of the parameters
// Heights of the frame's rows.
constexpr float bar_em = 1.65F;
constexpr float tabs_em = 1.5F;
constexpr float status_em = 1.4F;
constexpr float one_row_em = 64;   // width of a bar that also has room for the subjects
constexpr float min_frame_em = 16; // height of a window that has room for the frame

// The maximum width of panels that leaves the picture this share of a window.
float max_panels_width(ImVec2 window, float em, float share)
{
    const float height = window.y - (title_em + detail_em + 2 * margin_em) * em;
    if (height <= 0) return 0;
    return window.x - (column_em + 2 * margin_em) * em - share * window.x * window.y / height;
}

// Height for the number: one line, or two in a narrow window.
float number_height(ImVec2 window, float em)
{
    return std::round(std::min((window.x < 40 * em ? 4.2F : 2.4F) * em, window.y * 0.2F));
}

Layout layout_picture_only(Area picture)
{
    Layout layout{};
    layout.picture = picture;
    return layout;
}

// Panels to the right of the picture, and the labs to its left if there is room.
Layout layout_beside_picture(const PanelSizes& sizes, ImVec2 window, Area strip, float right,
                             float em)
{
    const float above = strip.at.y;
    const float wanted = std::round(sizes.left * em);
    const float both = max_panels_width({window.x, above}, em, share_beside_labs);
    const float left = wanted + right <= both ? wanted : 0;
    const float middle = window.x - left - right;
    Layout layout = layout_picture_only({{left, 0}, {middle, above}});
    layout.left = {{0, 0}, {left, above}};
    layout.right = {{window.x - right, 0}, {right, window.y}};
    layout.bottom = {strip.at, {left + middle, strip.size.y}};
    return layout;
}

// Divides the area that the kernel's text leaves; panels stay folded beside the text.
Layout divide_remaining_area(const Look& look, ImVec2 window, float em, bool framed)
{
    const PanelSizes& sizes = look.panels;
    if (look.lecture && look.step.on) return layout_picture_only({{0, 0}, window});
    if (look.lecture) {
        const float number = number_height(window, em);
        Layout layout = layout_picture_only({{0, 0}, {window.x, window.y - number}});
        layout.number = {{0, window.y - number}, {window.x, number}};
        return layout;
    }
    const float max_share =
        look.code.beside() ? 0.36F : 0.45F; // a narrow picture has more text above it
    const float tabs = framed ? std::round(tabs_em * em) : 0;
    const float bottom =
        std::max(std::round(std::min(sizes.bottom * em, window.y * max_share)), tabs);
    const float above = window.y - bottom;
    const Area strip{{0, above}, {window.x, bottom}};
    if (look.step.on) {
        Layout layout = layout_picture_only({{0, 0}, {window.x, above}});
        layout.bottom = strip;
        return layout;
    }
    const float right =
        look.code.beside()
            ? 0
            : std::round(std::min(sizes.right * em,
                                  max_panels_width({window.x, above}, em, share_beside)));
    if (right >= std::min(narrowest_em, sizes.right) * em && right > 0)
        return layout_beside_picture(sizes, window, strip, right, em);
    // panels below the picture
    if (window.y > window.x && sizes.bottom == 0 && sizes.right > 0 && !look.code.beside()) {
        const float words = (title_em + detail_em + 2 * margin_em) * em;
        const float height = std::round(std::min(window.x + words, 0.5F * window.y));
        Layout layout = layout_picture_only({{0, 0}, {window.x, height}});
        layout.right = {{0, height}, {window.x, above - height}};
        layout.bottom = strip;
        return layout;
    }
    Layout layout = layout_picture_only({{0, 0}, {window.x, above}});
    layout.bottom = strip;
    return layout;
}

// Divides the area inside the frame, whose upper left is the origin.
Layout divide_inside(const Look& look, ImVec2 window, float em, bool framed)
{
    if (!look.code.beside()) return divide_remaining_area(look, window, em, framed);
    if (window.y > window.x) {
        const float height = std::round(look.code.share * window.y);
        Layout layout = divide_remaining_area(look, {window.x, window.y - height}, em, framed);
        layout.code = {{0, window.y - height}, {window.x, height}};
        return layout;
    }
    const float width = std::round(look.code.share * window.x);
    const float rest = window.x - width;
    Layout layout = divide_remaining_area(look, {rest, window.y}, em, framed);
    const bool left = look.code.place == CodePlace::left;
    layout.code = {{left ? 0 : rest, 0}, {width, window.y}};
    if (left)
        for (Area* const area : {&layout.bottom, &layout.picture, &layout.number})
            area->at.x += width;
    return layout;
}

} // namespace

Layout divide(const Look& look, ImVec2 window, float em)
{
    if (look.panels.whole && look.panels.bottom > 0) {
        Layout layout{};
        layout.bottom = {{0, 0}, window};
        return layout;
    }
    if (look.lecture || window.y < min_frame_em * em) return divide_inside(look, window, em, false);
    const float bar = std::round(bar_em * em);
    const float status = std::round(status_em * em);
    Layout layout = divide_inside(look, {window.x, window.y - bar - status}, em, true);
    for (Area* const area : {&layout.left, &layout.right, &layout.bottom, &layout.picture,
                             &layout.number, &layout.code})
        area->at.y += bar;
    layout.bar = {{0, 0}, {window.x, bar}};
    layout.status = {{0, window.y - status}, {window.x, status}};
    if (window.x >= one_row_em * em) return layout;
    const float tabs = std::round(tabs_em * em);
    layout.subjects = {layout.picture.at, {layout.picture.size.x, tabs}};
    layout.picture.at.y += tabs;
    layout.picture.size.y -= tabs;
    return layout;
}

Layout layout_of(const Look& look, ImVec2 window)
{
    return divide(look, window, text_height(window, look));
}

float picture_text(const Look& look, float em)
{
    return look.lecture ? lecture_zoom * em : em;
}

float code_text(const Look& look, ImVec2 window, float em)
{
    return look.lecture ? std::max(em, window.y / 36 * std::max(look.text_zoom, 1.0F)) : em;
}

namespace {

// Distance by which an invisible bar was dragged along one axis, in em; `sign` gives the direction
// that enlarges.
float splitter(const char* name, const Area& bar, bool upright, float sign, float em)
{
    ImGui::SetCursorScreenPos(bar.at);
    ImGui::InvisibleButton(name, bar.size);
    if (ImGui::IsItemHovered() || ImGui::IsItemActive())
        ImGui::SetMouseCursor(upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    if (!ImGui::IsItemActive()) return 0;
    const ImVec2 delta = ImGui::GetIO().MouseDelta;
    return sign * (upright ? delta.x : delta.y) / em;
}

// A bar between two panels; a panel of size 0 has none.
struct Bar {
    const char* name;
    const char* panel;
    Area area;
    bool upright;
    float sign;
    float size; // size of the panel
};

std::array<Bar, 4> bars_of(const Look& look, const Layout& layout, ImVec2 window, float width)
{
    const PanelSizes& sizes = look.panels;
    const Area& code = layout.code;
    const bool upright = code.size.x < window.x; // orientation of the bar beside the code
    const float end = look.code.place == CodePlace::left ? code.at.x + code.size.x : code.at.x;
    const Area& picture = layout.picture;
    const Area& right = layout.right;
    const bool beside = right.at.x > 0;
    return {{
        {"left bar",
         "left",
         {{picture.at.x - width / 2, layout.left.at.y}, {width, layout.left.size.y}},
         true,
         1,
         layout.left.empty() || picture.empty() ? 0 : sizes.left},
        {"right bar",
         "right",
         {{right.at.x - width / 2, right.at.y}, {width, right.size.y}},
         true,
         -1,
         beside && !right.empty() ? sizes.right : 0},
        {"bottom bar",
         "bottom",
         {{0, layout.bottom.at.y - width / 2}, {layout.bottom.size.x, width}},
         false,
         -1,
         layout.picture.empty() ? 0 : sizes.bottom},
        {"code bar", "code",
         upright ? Area{{end - width / 2, code.at.y}, {width, code.size.y}}
                 : Area{{0, code.at.y - width / 2}, {window.x, width}},
         upright, upright && look.code.place == CodePlace::left ? 1.0F : -1.0F,
         code.empty() ? 0 : look.code.share},
    }};
}

} // namespace

void splitters(const Look& look, const Layout& layout, ImVec2 window, float em, Commands& out)
{
    for (const Bar& bar : bars_of(look, layout, window, em * 0.4F)) {
        if (bar.size <= 0 || bar.area.empty()) continue;
        ImGui::SetNextWindowPos(bar.area.at);
        ImGui::SetNextWindowSize(bar.area.size);
        ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
        ImGui::Begin(bar.name, nullptr,
                     ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                         ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoSavedSettings |
                         ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing);
        const float moved = splitter(bar.name, bar.area, bar.upright, bar.sign, em);
        if (moved != 0 && bar.panel == std::string_view("code")) {
            CodeChoice choice = look.code;
            choice.share += moved * em / (bar.upright ? window.x : window.y);
            out.push_back(PlaceCode{choice});
        } else if (moved != 0) {
            out.push_back(SizePanel{bar.panel, bar.size + moved});
        }
        ImGui::End();
        ImGui::PopStyleVar(2);
    }
}

} // namespace lanescope::app
