// The line at the bottom: describes the widget or element under the mouse or the keyboard focus,
// with the keys that work there.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/document/look/tabs.h"
#include "app/window/input/keys.h"
#include "app/window/panels/panels.h"
#include "compute/experiment/catalogue/texts.h"

namespace lanescope::app {
namespace {

bool is_under(const Area& area)
{
    return !area.empty() && area.contains(ImGui::GetIO().MousePos);
}

// The cell of a flat result under the mouse: "column 31, row 292".
std::string cell_words(const View& view, const Area& area)
{
    const SideFrame& side = view.frame.a;
    if (!view.ui.placement || !side.picture || view.document.look.subject != Subject::picture)
        return {};
    int width = 0;
    int height = 0;
    if (const auto* const field = std::get_if<labs::FieldPicture>(&side.picture->shape)) {
        width = field->width;
        height = field->height;
    } else if (std::holds_alternative<labs::ImagePicture>(side.picture->shape)) {
        width = side.picture->image_width;
        height = side.picture->image_height;
    }
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto scale = static_cast<double>(view.ui.pixels_per_point);
    const glm::dvec2 at = view.ui.placement->to_picture(
        {scale * static_cast<double>(mouse.x - area.at.x),
         scale * static_cast<double>(area.at.y + area.size.y - mouse.y)});
    if (width == 0 || at.x < 0 || at.y < 0 || at.x >= 1 || at.y >= 1) return {};
    return fmt::format("column {}, row {}", static_cast<int>(at.x * width),
                       static_cast<int>(at.y * height));
}

// True if the lab's record says what a stroke does.
bool can_be_painted(const Document& document)
{
    const auto record = document.texts->files.find(labs::record_file);
    return record != document.texts->files.end() &&
           record->second.find("\"paint\"") != std::string::npos;
}

const char* keys_of_picture(const View& view)
{
    const Look& look = view.document.look;
    if (look.step.on) return "← → a line   ↑ ↓ a warp   B to the barrier   I leaves";
    switch (look.subject) {
    case Subject::picture:
        if (!view.ui.placement) return "drag rotates   wheel zooms   Z fits";
        if (look.map != "off") return "Shift click: a request of this warp   wheel zooms   Z fits";
        return can_be_painted(view.document)
                   ? "drag paints   right drag erases   wheel zooms   Z fits"
                   : "wheel zooms   middle drag pans   Z fits   H heatmap";
    case Subject::memory: return "← → another memory   wheel zooms   Z fits";
    case Subject::request: return "← → a warp   ↑ ↓ a line   Shift ← → a request";
    case Subject::tree: return "← → a warp   ↑ the block   ↓ a warp alone";
    case Subject::lines: return "C source with counts   Shift C beside the picture";
    }
    return "";
}

StatusWords words_for(const View& view, const Layout& layout)
{
    if (!view.ui.status.what.empty() || !view.ui.status.keys.empty()) return view.ui.status;
    if (is_under(layout.picture) && !ImGui::GetIO().WantCaptureMouse) {
        const std::string first = view.ui.hover.substr(0, view.ui.hover.find('\n'));
        return {first.empty() ? cell_words(view, layout.picture) : first, keys_of_picture(view)};
    }
    if (is_under(layout.code))
        return {"the kernel's source",
                view.ui.code.editing
                    ? "Esc ends editing   Ctrl Enter compiles   F8 next error"
                    : "Ctrl E edits   Ctrl F finds   Ctrl H what the gutter shows"};
    const PanelSizes& panels = view.document.look.panels;
    if (is_under(layout.bottom) && panels.bottom > 0)
        return {"", panels.bottom_tab == tabs::source
                        ? "Ctrl E edits   Ctrl F finds   Shift C beside the picture   X larger"
                        : "X larger   E exports"};
    const std::size_t variants = view.document.lab().rungs().size();
    return {"", fmt::format("{} variant   H heatmap   A compare   PageDown lesson   "
                            "S save picture   ? search",
                            variants > 9 ? "1–9, 0" : fmt::format("1–{}", variants))};
}

// The key that a hint begins with: "Ctrl E" of "Ctrl E edits"; empty if it names none.
std::string_view key_of_hint(const View& view, std::string_view hint)
{
    std::string_view key = hint;
    while (!key.empty() && rows_for_key(key, view.document.keys).empty())
        key = key.substr(0, key.rfind(' ') == std::string_view::npos ? 0 : key.rfind(' '));
    return key;
}

// Draws hints separated by three blanks. A click on one presses its key.
void draw_hints(const View& view, ImVec2 at, std::string_view hints, Commands& out)
{
    constexpr std::string_view gap = "   ";
    const PanelStyle& style = view.style;
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    while (!hints.empty()) {
        const std::string hint(hints.substr(0, hints.find(gap)));
        const float width = width_of(style.fonts.plain, style.em, hint);
        const bool under_mouse =
            ImGui::IsWindowHovered() &&
            ImGui::IsMouseHoveringRect(at, {at.x + width, at.y + 1.2F * style.em});
        const std::string_view key =
            under_mouse ? key_of_hint(view, hint) : std::string_view(); // slow: reads all chords
        const bool hovered = !key.empty();
        draw_words(
            draw, {style.fonts.plain, style.em, hovered ? style.palette.text : style.palette.quiet},
            at, hint);
        if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        if (hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) press_key(view, key, out);
        hints.remove_prefix(std::min(hint.size() + gap.size(), hints.size()));
        at.x += width_of(style.fonts.plain, style.em, hint + std::string(gap));
    }
}

} // namespace

void press_key(const View& view, std::string_view key, Commands& out)
{
    for (const Pressed& pressed : rows_for_key(key, view.document.keys))
        pressed.row->press({view.document, view.frame, view.ui, pressed.number}, out);
}

void describe_item(const View& view, std::string what, std::string keys)
{
    const bool focused = ImGui::IsItemFocused() && ImGui::GetIO().NavVisible;
    if (focused || ImGui::IsItemHovered()) view.ui.status = {std::move(what), std::move(keys)};
}

void status_line(const View& view, const Layout& layout, Commands& out)
{
    const PanelStyle& style = view.style;
    const Area& area = layout.status;
    const PanelScope panel("status", area.at, area.size, ImGuiWindowFlags_NoScrollbar);
    const StatusWords words = words_for(view, layout);
    const float pad = 0.6F * style.em;
    const float room = area.size.x - 2 * pad;
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const float top = area.at.y + (area.size.y - style.em) / 2;
    const auto fits = [&](const std::string& text, float left) {
        return width_of(style.fonts.plain, style.em, text) <= left;
    };
    std::string what = words.what;
    if (!fits(what, room)) {
        const auto shorter = [&] { return what.substr(0, what.rfind(' ')); };
        while (what.find(' ') != std::string::npos && !fits(what + "…", room)) what = shorter();
        what += "…";
    }
    float x = area.at.x + pad;
    draw_words(draw, {style.fonts.plain, style.em, style.palette.text}, {x, top}, what);
    if (!what.empty()) x += width_of(style.fonts.plain, style.em, what) + 1.2F * style.em;
    // Drops whole pairs, because a key without its meaning would be misread.
    std::string keys = words.keys;
    while (!keys.empty() && !fits(keys, area.at.x + pad + room - x))
        keys.resize(keys.rfind("   ") == std::string::npos ? 0 : keys.rfind("   "));
    draw_hints(view, {x, top}, keys, out);
}

} // namespace lanescope::app
