// Divides the window: labs at the left, parameters at the right, a folding strip below, the picture
// wins the rest.
#pragma once

#include <imgui.h>

#include "app/document/commands.h"

namespace lanescope::app {

// A part of the window in its points, from the upper left.
struct Area {
    ImVec2 at{};
    ImVec2 size{};

    bool empty() const { return size.x <= 0 || size.y <= 0; }
    bool contains(ImVec2 point) const;
};

struct Layout {
    Area left;
    Area right;
    Area bottom;
    Area picture;
    Area number; // of the lecture mode
};

// Panels never take more than they leave to the picture. In the lecture mode there are none, and
// its number stands below the picture.
Layout divide(const PanelSizes& sizes, bool lecture, ImVec2 window, float em);

// The three bars between the panels: dragged by the mouse, they change the sizes.
void splitters(const PanelSizes& sizes, const Layout& layout, ImVec2 window, float em,
               Commands& out);

} // namespace lanescope::app
