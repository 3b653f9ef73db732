// Size of a picture in pixels.
#pragma once

#include <string_view>

namespace lanescope::app {

struct Size {
    int width = 0;
    int height = 0;
    friend bool operator==(const Size&, const Size&) = default;
};

// Width and height from "1920x1080". Throws Error (bad_usage).
Size parse_size(std::string_view text);

} // namespace lanescope::app
