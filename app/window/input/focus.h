// Who gets the keyboard: the picture, or the widgets of a panel, a list, a text that is typed.
#pragma once

#include <string_view>

#include "app/document/document.h"
#include "app/window/input/chords.h"
#include "app/window/interaction.h"

namespace lanescope::app {

// Once a frame, before keys are looked at: the keys move among the widgets only while the keyboard
// is in a panel or a list. On the picture, arrows are the picture's.
void share_keyboard(Interaction& ui);

// Whether a key goes to the widgets: to a text that is being typed, an open list, or the control
// that the keyboard stands on. `action` is its id in the table of keys. A chord that quits, such as
// Ctrl Q, is nobody's else: a program that can be left nowhere but on the picture seems to hang.
bool widgets_capture(const Interaction& ui, std::string_view action, const KeyEvent& key);

void go_to_picture(Interaction& ui);
// From the picture to the panels one after the other, and back.
void go_to_panel(Interaction& ui, const Document& document, int by);

} // namespace lanescope::app
