// Keyboard focus: the picture, or the widgets of a panel, a list, or a text field.
#pragma once

#include <string_view>

#include "app/document/document.h"
#include "app/window/input/events/chords.h"
#include "app/window/interaction/interaction.h"

namespace lanescope::app {

// Call once per frame, before keys are processed. Keys move between widgets only while a panel or a
// list has the keyboard; while the picture has it, arrow keys act on the picture.
void share_keyboard(Interaction& ui);

// True if a key goes to the widgets: to a text field, an open list, or the focused control.
// `action` is the key's id in the key table. Widgets never get a chord that quits, such as Ctrl Q:
// a program that can be left only from the picture seems to hang.
bool widgets_capture(const Interaction& ui, std::string_view action, const KeyEvent& key);

void go_to_picture(Interaction& ui);
// Moves the keyboard focus from the picture to each panel in turn, and back.
void go_to_panel(Interaction& ui, const Document& document, int by);

} // namespace lanescope::app
