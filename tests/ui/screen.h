// Contents of a display, and its reported density.
#pragma once

#include <string>

#include "render/capture/png.h"

namespace lanescope::test {

// Screenshot of a display such as ":99". Throws std::runtime_error.
render::ImageFile picture_of_screen(const std::string& display);

// Saves the picture of a failed test to ui/ in the current folder for inspection.
void keep_for_inspection(const render::ImageFile& picture, const std::string& name);

// Sets the desktop scale for programs that start from now on, in pixels per point.
void set_scale(const std::string& display, double scale);

} // namespace lanescope::test
