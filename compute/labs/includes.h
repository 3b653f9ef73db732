// What a kernel's text may include: files of its own lab, which are put in its place, and the
// compiler's headers. Nothing else is read, whoever wrote the text.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "compute/error.h"

namespace lanescope::labs {

// A text that asks for files outside of its folder. Exit status 2.
class ForbiddenInclude : public Error {
public:
    using Error::Error;
};

// A file of the lab; nothing where there is none of that name. May throw Error.
using FindHeader = std::function<std::optional<std::string>(const std::string& name)>;

struct Includes {
    FindHeader find;
    // Whether a name that leaves the folder leads to where headers may be read; null: never.
    std::function<bool(const std::string& name)> allows{};
};

// Throws ForbiddenInclude, one sentence with the line, for a text that asks for files outside of
// its folder: by paths that are absolute, hidden or lead upwards, by names that macros make, and by
// words that paste to __has_include. Headers that are found are looked at, too. What it misses the
// compiler's walls refuse (compute/process/walls.h).
void check_includes(std::string_view text, const std::string& name, const Includes& includes);

// The name as it is between the quotes of #line.
std::string in_quotes(std::string_view name);

// The text with the lab's own headers in the place of their #include lines; lines keep the numbers
// that they have in `name`. Throws Error (bad_usage) as check_includes() does, for headers that
// include each other without end, and for more than most_included_bytes together.
std::string with_headers(std::string_view text, const std::string& name, const FindHeader& find);

constexpr std::size_t most_included_bytes = std::size_t{4} << 20;

// Throws Error (bad_usage) for a PTX that names files to be read: the driver would read them.
void check_ptx(std::string_view ptx, const std::string& name);

// Whether the name stays in a folder: relative, without "..", and no hidden file.
bool stays_in_folder(std::string_view name);

} // namespace lanescope::labs
