// Backgrounds of panels in software: Dear ImGui draws an opaque rectangle as it draws a letter, by
// a texture that is sampled and blended in every pixel, and most of its pixels are backgrounds.
#pragma once

#include <imgui.h>

namespace lanescope::app {

// Each list that begins with a large opaque rectangle clears that rectangle instead: the same
// pixels, in the same order. Call it between ImGui::Render() and the drawing.
void clear_backgrounds(ImDrawData& data);

} // namespace lanescope::app
