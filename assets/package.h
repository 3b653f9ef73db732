// Files as one: of each its path, its length in digits and its bytes, each of them followed by a
// zero.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assets/assets.h"

namespace lanescope::assets {

std::string pack(const std::vector<File>& files);

// Views of the package, which must outlive them. What follows a damaged entry is left out.
std::vector<File> unpack(std::string_view package);

} // namespace lanescope::assets
