// What was typed last is selected, so that it is gone with the next key or stands for Enter again.
#include "app/window/panels/go_to.h"

#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <utility>

namespace lanescope::app {

std::optional<StepMove> GoTo::draw(const PanelStyle& style, ImVec2 at, ImVec2 size)
{
    if (!open_) return {};
    const ImVec2 box{std::min(size.x, style.em * 34), std::min(size.y, style.em * 9.5F)};
    const PanelScope panel("go to", {at.x + (size.x - box.x) / 2, at.y + (size.y - box.y) / 3}, box,
                           0, true);
    heading(style, "Go to");
    if (std::exchange(just_opened_, false)) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(-FLT_MIN);
    const bool entered = ImGui::InputTextWithHint("##place", "block 12", &text_,
                                                  ImGuiInputTextFlags_EnterReturnsTrue |
                                                      ImGuiInputTextFlags_AutoSelectAll);
    const bool back = ImGui::GetIO().KeyShift;
    quiet_text(style, "block 12, warp 3, line 14, instruction 1204, or until a condition holds: "
                      "i == 5, tile[3][4] < 0. Enter goes forward, Shift Enter back, Esc cancels.");
    if (ImGui::IsKeyPressed(ImGuiKey_Escape, false)) open_ = false;
    if (!entered || text_.find_first_not_of(' ') == std::string::npos) return {};
    open_ = false;
    return move_to(text_, back);
}

} // namespace lanescope::app
