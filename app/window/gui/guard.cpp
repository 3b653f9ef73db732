// Dear ImGui can restore its state to an earlier point of the frame after an exception.
#include "app/window/gui/guard.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <utility>

namespace lanescope::app {

void guarded_panels(Edits& edits, const std::function<void()>& draw)
{
    ImGuiErrorRecoveryState before;
    ImGui::ErrorRecoveryStoreState(&before);
    if (guarded(edits, draw)) return;
    ImGuiIO& io = ImGui::GetIO();
    const bool asserts = std::exchange(io.ConfigErrorRecoveryEnableAssert, false);
    ImGui::ErrorRecoveryTryToRecoverState(&before);
    io.ConfigErrorRecoveryEnableAssert = asserts;
}

} // namespace lanescope::app
