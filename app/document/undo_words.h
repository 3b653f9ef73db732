// Describes what undo or redo changed: "size 512 → 256".
#pragma once

#include <string>

#include "app/document/document.h"

namespace lanescope::app {

// Describes the change between two arrangements in the user's terms; lists only the first few
// parts that differ. Empty if they are equal.
std::string difference_in_words(const Arrangement& from, const Arrangement& to);

} // namespace lanescope::app
