// Windows' own texts are UTF-16, the program's are UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace lanescope {

std::wstring to_wide(std::string_view text);
std::string to_utf8(std::wstring_view text);

// The system's sentence for one of its error numbers, without its final full stop.
std::string windows_message(unsigned long error);

} // namespace lanescope
