// What a kernel's text may include: files of its own lab, which are put in its place, and the
// compiler's headers. Nothing else is read, whoever wrote the text.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope::labs {

// A file of the lab; nothing where there is none of that name. May throw Error.
using FindHeader = std::function<std::optional<std::string>(const std::string& name)>;

// The text with the lab's own headers in the place of their #include lines; lines keep the numbers
// that they have in `name`. Throws Error (bad_usage), one sentence with the line: for paths that
// are absolute or leave the folder, names that macros make, headers that include each other without
// end, and more than max_included_bytes together.
std::string with_headers(std::string_view text, const std::string& name, const FindHeader& find);

constexpr std::size_t max_included_bytes = std::size_t{4} << 20;

// Throws Error (bad_usage) for a PTX that names files to be read: the driver would read them.
void check_ptx(std::string_view ptx, const std::string& name);

// Whether the name stays in a folder: relative, without "..", and no hidden file.
bool stays_in_folder(std::string_view name);

} // namespace lanescope::labs
