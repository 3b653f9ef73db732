// What a display shows, and how dense it says it is.
#pragma once

#include <string>

#include "render/capture/png.h"

namespace lanescope::test {

// The whole screen of a display such as ":99". Throws std::runtime_error.
render::ImageFile picture_of_screen(const std::string& display);

// Puts the picture of a test that failed into ui/ of the current folder, for whoever looks for the
// reason.
void keep_for_reading(const render::ImageFile& picture, const std::string& name);

// What a desktop's settings do: programs that start from now on find so many pixels in a point.
void set_scale(const std::string& display, double scale);

} // namespace lanescope::test
