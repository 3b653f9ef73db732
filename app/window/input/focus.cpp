// Switches Dear ImGui's keyboard navigation on and off.
#include "app/window/input/focus.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <vector>

namespace lanescope::app {

void share_keyboard(Interaction& ui)
{
    ImGuiIO& io = ImGui::GetIO();
    const bool list = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup);
    // Esc and the mouse hide the navigation highlight: then the keyboard belongs to the picture
    // again.
    const bool marked = io.NavVisible || ImGui::IsAnyItemActive() || list;
    constexpr int settled = 3; // frames until the highlight has moved from the previous panel
    if (ui.panel > 0 && ui.panel_marked && !marked) go_to_picture(ui);
    ui.panel_marked = ui.panel > 0 && ++ui.panel_frames > settled && marked;
    if (ui.panel > 0 || ui.dialogue_open() || ui.palette.open || list)
        io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
    else
        io.ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
}

bool widgets_capture(const Interaction& ui, std::string_view action, const KeyEvent& key)
{
    constexpr std::array<std::string_view, 6> taken{"pause", "left", "right",
                                                    "up",    "down", "paint"};
    if (action == "quit" && (key.modifiers & ~GLFW_MOD_SHIFT) != 0) return false;
    // The question about closing takes the keyboard from a text being typed.
    if (ImGui::GetIO().WantTextInput && !ui.close_question_open) return true;
    // Letters search a list and must not do anything else.
    if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) return true;
    if (ui.palette.open) return action != "leave";
    const bool control = ui.panel > 0 || ui.dialogue_open();
    if (action == "leave") return control && ImGui::IsAnyItemActive();
    return control && std::ranges::find(taken, action) != taken.end();
}

void go_to_picture(Interaction& ui)
{
    ui.panel = 0;
    ImGui::SetWindowFocus(nullptr);
    ImGui::SetNavCursorVisible(false);
}

void go_to_panel(Interaction& ui, const Document& document, int by)
{
    std::vector<const char*> panels{nullptr};
    if (!document.look.lecture) {
        if (ui.has_variants_panel) panels.push_back("variants");
        panels.push_back("parameters");
        panels.push_back("bottom");
    }
    if (document.look.code_is_beside()) panels.push_back("code");
    if (!document.look.lecture) panels.push_back("bar");
    const auto count = static_cast<int>(panels.size());
    ui.panel = (std::min(ui.panel, count - 1) + by + count) % count;
    if (ui.panel == 0) return go_to_picture(ui);
    ui.panel_frames = 0;
    ui.panel_marked = false;
    ImGui::SetWindowFocus(panels[static_cast<std::size_t>(ui.panel)]);
    ImGui::SetNavCursorVisible(true);
}

} // namespace lanescope::app
