// What is wrong with the places of a window's texts: cut, outside, or over each other.
#pragma once

#include <string>
#include <vector>

#include "tests/unit/window/room.h"

namespace lanescope::test {

std::string told(const SeenText& text);
// A sentence each.
std::vector<std::string> faults_of(const Seen& seen, ImVec2 size);

} // namespace lanescope::test
