// Layout errors of a window's texts: clipped, outside, or overlapping.
#pragma once

#include <string>
#include <vector>

#include "tests/unit/window/window_fixture.h"

namespace lanescope::test {

std::string describe(const SeenText& text);
// Returns one sentence per error.
std::vector<std::string> faults_of(const Seen& seen, ImVec2 size);

} // namespace lanescope::test
