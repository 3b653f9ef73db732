// What the mouse does on the picture: paints on a field, turns a surface, zooms and moves either,
// drags the divider of A/B, and what is told of where it points.
#pragma once

#include <string>

#include "app/document/commands.h"
#include "app/run/frame.h"
#include "app/window/interaction.h"
#include "app/window/layout.h"
#include "app/window/panels/style.h"

namespace lanescope::app {

// Whether the mouse has not moved for a while: in a lecture that a clicker gives, its pointer and
// what is told of it would stand over the picture.
bool mouse_is_idle(Interaction& ui);

// This frame's mouse on the picture in `area`.
void use_mouse(const Area& area, const Document& document, const Interaction& ui, Commands& out);

// Draws the divider; it follows the mouse once it is taken hold of, and then use_mouse() has
// nothing to do.
void use_divider(const PanelStyle& style, const Area& area, const Document& document,
                 Interaction& ui, Commands& out);

// What stands where the mouse points, in words: a warp's counts on the picture, a sector's in the
// memory. With Shift, a click on a warp asks for its requests. Reads the counts back from OpenGL:
// only while the frame's memory is drawable.
std::string hover_text(const Area& area, const Document& document, const Frame& frame,
                       const Interaction& ui, Commands& out);

} // namespace lanescope::app
