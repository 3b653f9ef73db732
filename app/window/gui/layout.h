// Divides the window: a bar at the top and a line of status at the bottom frame every lab. Between
// them the picture gets most of the room, with parameters to its right and a strip of tabs below;
// or the kernel's text is beside it, and panels are folded. Panels also fold when there is little
// room. The lecture mode has no frame.
#pragma once

#include <imgui.h>

#include "app/document/commands.h"

namespace lanescope::app {

// A rectangle of the window in points, from the upper left.
struct Area {
    ImVec2 at{};
    ImVec2 size{};

    bool empty() const { return size.x <= 0 || size.y <= 0; }
    bool contains(ImVec2 point) const;
};

struct Layout {
    Area bar;      // the lab and what can be done with it
    Area subjects; // tabs above the picture; empty if the bar has room for them
    Area left;     // variants, if the picture keeps its minimum share beside them
    Area right;    // parameters, and the variants if `left` is empty; beside or below the picture
    Area bottom;   // the strip; only its tabs if it is folded
    Area picture;  // empty when the strip takes the whole window
    Area number;   // the lecture mode's headline, below the picture
    Area beat;     // text of a talk
    Area code;     // beside the picture or, in a portrait window, below it
    Area status;   // describes what the mouse points at

    bool folded() const { return right.empty() && !picture.empty() && beat.empty(); }
};

// Limits the panels so that the picture keeps a minimum share of the window. The lecture mode has
// no panels: the number is below the picture, and the kernel's text stays beside it.
Layout divide(const Look& look, ImVec2 window, float em);

Layout layout_of(const Look& look, ImVec2 window);

// Text size of a picture: larger than that of panels in the lecture mode.
float picture_text(const Look& look, float em);
// Text size of a kernel beside the picture: at least 1/36 of the window's height in the lecture
// mode.
float code_text(const Look& look, ImVec2 window, float em);

// The draggable bars that resize the panels.
void splitters(const Look& look, const Layout& layout, ImVec2 window, float em, Commands& out);

} // namespace lanescope::app
