// What lies over the picture: the help, the number of the lecture mode, and the strip that tells an
// error.
#pragma once

#include "app/window/panels/readings.h"
#include "app/window/panels/style.h"

namespace lanescope::app {

// The keys, in the middle of the area, over everything else.
void help_overlay(const PanelStyle& style, ImVec2 at, ImVec2 size);

// The one number, large, at the left of the area, and what it is.
void lecture_number(const PanelStyle& style, const Readings& readings, ImVec2 at, ImVec2 size);

// The text can be selected and copied. True when the user closes it.
bool error_strip(const PanelStyle& style, const std::string& error, ImVec2 at, ImVec2 size);

// A line at the lower edge that says what was done.
void notice_strip(const PanelStyle& style, const std::string& text, ImVec2 at, ImVec2 size);

// A bar with what is under way.
void progress_overlay(const PanelStyle& style, const std::string& what, double share, ImVec2 at,
                      ImVec2 size);

// The same for what cannot tell how far it has come: how long it has been.
void busy_overlay(const PanelStyle& style, const std::string& what, double seconds, ImVec2 at,
                  ImVec2 size);

} // namespace lanescope::app
