// Fast panel backgrounds for software rendering: Dear ImGui draws an opaque rectangle the way it
// draws a letter, by sampling and blending a texture in every pixel, and most pixels of panels are
// background.
#pragma once

#include <imgui.h>

namespace lanescope::app {

// Replaces a large opaque rectangle at the start of each list by a clear: the same pixels, in the
// same order. Call between ImGui::Render() and drawing.
void clear_backgrounds(ImDrawData& data);

} // namespace lanescope::app
