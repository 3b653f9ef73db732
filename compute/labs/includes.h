// Files that a kernel's text may include: those of its own lab, which are inlined, and the
// compiler's headers. Nothing else is read, whatever the text says.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope::labs {

// Finds a file of the lab; nullopt if there is none with that name. May throw Error.
using FindHeader = std::function<std::optional<std::string>(const std::string& name)>;

// Inlines the lab's own headers at their #include lines, preserving line numbers in `name`. Throws
// Error (bad_usage), one sentence with the line: for absolute paths or paths that leave the folder,
// names produced by macros, endlessly recursive includes, and more than most_included_bytes in
// total.
std::string with_headers(std::string_view text, const std::string& name, const FindHeader& find);

constexpr std::size_t most_included_bytes = std::size_t{4} << 20;

// Throws Error (bad_usage) for PTX that refers to external files, which the driver would read.
void check_ptx(std::string_view ptx, const std::string& name);

// Whether the name stays within the folder: relative, without "..", and not hidden.
bool stays_in_folder(std::string_view name);

} // namespace lanescope::labs
