// The previous text is selected, so that typing replaces it and Enter reuses it.
#include "app/window/dialogues/go_to.h"

#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <utility>

namespace lanescope::app {

void GoTo::draw(const PanelStyle& style, const Area& area, const StepChoice& step, Commands& out)
{
    if (!open_) return;
    const ImVec2 box{std::min(area.size.x, style.em * 34), std::min(area.size.y, style.em * 9.5F)};
    const PanelScope panel(
        "go to", {area.at.x + (area.size.x - box.x) / 2, area.at.y + (area.size.y - box.y) / 3},
        box, 0, true);
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
    if (!entered || text_.find_first_not_of(' ') == std::string::npos) return;
    open_ = false;
    const StepMove move = move_to(text_, back);
    StepChoice choice = step;
    choice.page = StepChoice::Page::launch;
    choice.warp = move.kind == StepMove::Kind::to_warp ? static_cast<int>(move.count) : -1;
    out.push_back(ShowStepped{choice});
    out.push_back(StepLaunch{move});
}

} // namespace lanescope::app
