// Characters of names in a kernel's source.
#pragma once

#include <cctype>

namespace lanescope::labs {

inline bool is_name(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

} // namespace lanescope::labs
