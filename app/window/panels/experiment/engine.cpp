// Chooses and explains the engine.
#include <fmt/format.h>
#include <imgui.h>

#include "app/window/panels/panels.h"
#include "compute/numbers.h"

namespace lanescope::app {

void engine_panel(const View& view, Commands& out)
{
    const EngineFrame& engine = view.frame.engine;
    const std::string& choice = view.document.device;
    heading(view.style, "Engine");
    ImGui::SetNextItemWidth(-FLT_MIN);
    const std::string shown = fmt::format("{} ({})", device::name(engine.engine), choice);
    if (ImGui::BeginCombo("##engine", shown.c_str())) {
        for (const char* one : {"auto", "cuda", "simt"})
            if (ImGui::Selectable(one, choice == one) && choice != one)
                out.push_back(ChooseEngine{one});
        ImGui::EndCombo();
    }
    plain_text(engine.properties.name);
    quiet_text(view.style, engine.has_clock ? engine.reason
                                            : "Counted by the CPU simulator; a GPU counts the "
                                              "same. " +
                                                  engine.reason);
    quiet_text(view.style, engine.sharing);
    if (engine.map_us > 0)
        quiet_text(view.style,
                   fmt::format("map {} µs, unmap {} µs per frame (median)",
                               significant(engine.map_us), significant(engine.unmap_us)));
    quiet_text(view.style, "Drawn by " + view.renderer);
}

} // namespace lanescope::app
