// Divides the window: the picture wins most of it, parameters stand at the right, a strip below; or
// the kernel's text stands beside it, and panels fold. They do so, too, where there is little room.
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
    Area left;    // labs and variants, where the picture keeps its share beside them; else …
    Area right;   // … they stand above the parameters; beside or below the picture
    Area bottom;  // the strip
    Area picture; // empty when the strip takes the whole window
    Area number;  // below the picture, where no panel shows it
    Area beat;    // the words of a talk
    Area code;    // beside the picture or, in an upright window, below it

    bool folded() const { return right.empty() && !picture.empty() && beat.empty(); }
};

// Panels never take more than they leave to the picture. In the lecture mode there are none, and
// its number stands below the picture; the kernel's text stays beside it.
Layout divide(const Look& look, ImVec2 window, float em);

Layout layout_of(const Look& look, ImVec2 window);

// The text of a picture is larger than that of panels in the lecture mode.
float picture_text(const Look& look, float em);
// That of a kernel beside the picture: 1/36 of the window's height or more in the lecture mode.
float code_text(const Look& look, ImVec2 window, float em);

// The bars between the panels: dragged by the mouse, they change the sizes.
void splitters(const Look& look, const Layout& layout, ImVec2 window, float em, Commands& out);

} // namespace lanescope::app
