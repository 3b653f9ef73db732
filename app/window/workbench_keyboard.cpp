// What the mouse can do, by keyboard: moving the picture, painting, the divider, the panels' sizes
// and the way into the panels. See workbench.h.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <vector>

#include "app/window/workbench.h"

namespace lanescope::app {
namespace {

// Keys that widgets take while the keyboard is among them.
bool is_for_widgets(Action action)
{
    constexpr std::array taken{Action::pause, Action::left,  Action::right, Action::up,
                               Action::down,  Action::paint, Action::close};
    return std::ranges::find(taken, action) != taken.end();
}

} // namespace

// The keys move among the widgets only while the keyboard is in a panel or a list: on the picture,
// arrows are the picture's.
void Workbench::share_keyboard()
{
    ImGuiIO& io = ImGui::GetIO();
    const bool list = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup);
    // Esc and the mouse hide the mark on the control: then the keyboard is back on the picture.
    const bool marked = io.NavVisible || ImGui::IsAnyItemActive() || list;
    constexpr int settled = 3; // frames until the mark has come from the last panel to this one
    if (panel_ > 0 && panel_marked_ && !marked) go_to_picture();
    panel_marked_ = panel_ > 0 && ++panel_frames_ > settled && marked;
    if (panel_ > 0 || files_.open() || list)
        io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
    else
        io.ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
}

// Whether a key goes to the widgets: to a text that is being typed, an open list, or the control
// that the keyboard stands on.
bool Workbench::widgets_take(const Pressed& pressed) const
{
    if (ImGui::GetIO().WantTextInput) return true;
    const bool list = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup);
    const bool control = panel_ > 0 || files_.open();
    if (pressed.action == Action::close) return list || (control && ImGui::IsAnyItemActive());
    return (list || control) && is_for_widgets(pressed.action);
}

void Workbench::move_by_arrow(int right, int up)
{
    if (look_.subject == Subject::picture)
        move_picture(right, up);
    else
        move_in_subject(right, up, 0);
}

// Arrows on the picture turn a surface and move what is flat.
void Workbench::move_picture(int right, int up)
{
    constexpr float turn_px = 24;  // of a drag of the mouse, on a picture of 720 rows
    constexpr double share = 0.05; // of the picture
    if (!placement_)
        look_.camera.orbit(static_cast<float>(-right) * turn_px, static_cast<float>(up) * turn_px,
                           720);
    else
        look_.pan_zoom.pan({right * share, up * share});
}

void Workbench::zoom_picture(float factor)
{
    if (!placement_)
        look_.camera.zoom(1 / factor);
    else
        look_.pan_zoom.zoom_at(look_.pan_zoom.centre, static_cast<double>(factor));
}

void Workbench::paint_in_the_middle(bool erase)
{
    constexpr double radius = 0.03;
    if (!stage_ || !placement_ || look_.subject != Subject::picture) return;
    const render::PanZoom& seen = look_.pan_zoom;
    apply(labs::Stroke{seen.centre.x, seen.centre.y, radius / seen.zoom, erase});
}

void Workbench::move_divider(float by)
{
    look_.swipe = std::clamp(look_.swipe + by, 0.0F, 1.0F);
}

void Workbench::resize_panel(float& size, float by)
{
    constexpr float smallest = 4;
    constexpr float largest = 60;
    if (size > 0) size = std::clamp(size + by, smallest, largest);
}

// Out of what is open over the picture, one after the other; at last out of the program. Whatever
// it is, the key has also taken the mark off the panels.
void Workbench::leave()
{
    const bool was_in_panel = panel_ > 0;
    if (was_in_panel) go_to_picture();
    if (files_.open()) {
        files_.close();
    } else if (help_) {
        help_ = false;
    } else if (!error_.empty()) {
        error_.clear();
    } else if (was_in_panel) {
        return;
    } else if (!recorder_.recording() && recorder_.finishing()) {
        recorder_.cancel();
        tell("The video was given up");
    } else if (look_.lecture) {
        act({Action::lecture});
    } else {
        window_.close();
    }
}

void Workbench::go_to_picture()
{
    panel_ = 0;
    ImGui::SetWindowFocus(nullptr);
    ImGui::SetNavCursorVisible(false);
}

// The keyboard goes from the picture to the panels one after the other, and back to the picture.
void Workbench::go_to_panel(int by)
{
    std::vector<const char*> panels{nullptr};
    if (!look_.lecture) {
        panels.push_back("labs");
        panels.push_back("parameters");
        if (look_.panels.bottom > 0) panels.push_back("bottom");
    }
    const auto count = static_cast<int>(panels.size());
    panel_ = (std::min(panel_, count - 1) + by + count) % count;
    if (panel_ == 0) return go_to_picture();
    panel_frames_ = 0;
    panel_marked_ = false;
    ImGui::SetWindowFocus(panels[static_cast<std::size_t>(panel_)]);
    ImGui::SetNavCursorVisible(true);
}

} // namespace lanescope::app
