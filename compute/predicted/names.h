// Names of SASS instructions.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace lanescope::predicted {

inline bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names)
{
    return std::ranges::find(names, name) != names.end();
}

} // namespace lanescope::predicted
