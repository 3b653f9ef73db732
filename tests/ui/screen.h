// What a display shows.
#pragma once

#include <string>

#include "render/capture/png.h"

namespace lanescope::test {

// The whole screen of a display such as ":99". Throws std::runtime_error.
render::ImageFile picture_of_screen(const std::string& display);

} // namespace lanescope::test
