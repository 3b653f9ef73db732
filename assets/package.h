// Several files as one: for each file its path, its length in decimal digits and its contents, each
// followed by a zero byte.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assets/assets.h"

namespace lanescope::assets {

std::string pack(const std::vector<File>& files);

// The result refers to the package, which must outlive it. Stops at the first damaged entry.
std::vector<File> unpack(std::string_view package);

} // namespace lanescope::assets
