// Colours and fonts of the window: two themes of few colours, each with enough contrast for the
// back of a lecture hall (WCAG AA).
#pragma once

#include <imgui.h>

#include "app/document/look/look.h"

namespace lanescope::app {

struct Palette {
    ImVec4 background; // behind the picture
    ImVec4 panel;
    ImVec4 raised; // buttons and slider tracks
    ImVec4 line;
    ImVec4 text;
    ImVec4 quiet; // secondary text
    ImVec4 accent;
    ImVec4 good;           // values that cannot improve
    ImVec4 text_on_accent; // text on the accent colour
    ImVec4 warning;        // values that are not ideal
    ImVec4 fault;          // faults; colour-blind readers can tell it from `good`, too
    // Syntax colours; comments use `quiet`.
    ImVec4 keyword;
    ImVec4 type;
    ImVec4 cuda; // CUDA's additions to C++
    ImVec4 number;
    ImVec4 string;
};

const Palette& palette(Theme theme);

struct Fonts {
    ImFont* plain = nullptr;
    ImFont* bold = nullptr;
    ImFont* code = nullptr;
};

// Adds the embedded fonts to ImGui's atlas. Throws Error if one is not embedded.
Fonts load_fonts();

// Height of plain text for a window of this size, times the user's zoom: 1/37 of the height, or
// less in a narrow window. Text of a large window grows with the square root of its size, so that
// there is more to see; in the lecture mode, which is read from a distance, it grows with the size.
float text_height(ImVec2 window, const Look& look);

// Sets every colour and size of ImGui from theme and text size.
void apply_theme(Theme theme, float text_height);

} // namespace lanescope::app
