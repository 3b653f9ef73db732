// The strip's tab of kernel output: printf and assertions.
#include <fmt/format.h>
#include <imgui.h>

#include "app/window/panels/panels.h"
#include "compute/numbers.h"
#include "compute/text.h"

namespace lanescope::app {

void output_panel(const View& view)
{
    const KernelOutput::Text& printed = *view.ui.printed;
    const PanelStyle& style = view.style;
    if (printed.bytes == 0) return quiet_text(style, "The kernels have printed nothing so far.");
    quiet_text(style,
               printed.whole()
                   ? fmt::format("Printed by the kernels: {}", counted(printed.bytes, "byte"))
                   : fmt::format("Printed by the kernels: the last {} of {}",
                                 grouped(printed.kept.size()), counted(printed.bytes, "byte")));
    ImGui::BeginChild("printed", {}, ImGuiChildFlags_None, ImGuiWindowFlags_HorizontalScrollbar);
    // Scrolls to new lines unless older ones are being read.
    const bool at_the_end = ImGui::GetScrollY() >= ImGui::GetScrollMaxY();
    {
        const TextScope text(style.fonts.code, style.em, style.palette.text);
        const std::string words = printable(printed.kept);
        ImGui::TextUnformatted(words.data(), words.data() + words.size());
    }
    if (at_the_end) ImGui::SetScrollHereY(1);
    ImGui::EndChild();
}

} // namespace lanescope::app
