// A text by its lines.
#pragma once

#include <string_view>
#include <vector>

namespace lanescope::app {

// Without their ends; a text that ends with a newline has an empty last line.
std::vector<std::string_view> lines_of(std::string_view text);

} // namespace lanescope::app
