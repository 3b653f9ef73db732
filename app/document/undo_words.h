// What undo or redo changed, in words: "size 512 → 256".
#pragma once

#include <string>

#include "app/document/document.h"

namespace lanescope::app {

// From one arrangement to another, what a user would call it; the first few of several things.
// Empty: they are equal.
std::string difference_in_words(const Arrangement& from, const Arrangement& to);

} // namespace lanescope::app
