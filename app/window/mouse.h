// The mouse on the picture: paints on a field, rotates a surface, zooms and pans either, drags the
// divider of A/B, and describes what it points at.
#pragma once

#include <string>

#include "app/document/commands.h"
#include "app/run/frame/frame.h"
#include "app/window/gui/layout.h"
#include "app/window/gui/style.h"
#include "app/window/interaction/interaction.h"

namespace lanescope::app {

// True if the mouse has not moved for a while. Its pointer and tooltip are then hidden, because
// they would cover the picture in a lecture driven by a clicker.
bool mouse_is_idle(Interaction& ui);

// Handles this frame's mouse input on the picture in `area`.
void handle_mouse(const Area& area, const Document& document, const Interaction& ui, Commands& out);

// Draws the divider; while it is being dragged, handle_mouse() does nothing.
void handle_divider(const PanelStyle& style, const Area& area, const Document& document,
                    Interaction& ui, Commands& out);

// Describes what the mouse points at: a warp's counts on the picture, a sector's in the memory.
// With Shift, a click on a warp selects its requests. Reads the counts back from OpenGL: call only
// while the frame's memory is drawable.
std::string hover_text(const Area& area, const Document& document, const Frame& frame,
                       const Interaction& ui, Commands& out);

} // namespace lanescope::app
