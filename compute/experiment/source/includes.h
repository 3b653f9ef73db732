// Decides which files a kernel's source may include: those of its own lab, which are inlined, and
// the compiler's headers. No other file is read, whatever the source includes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "compute/error.h"

namespace lanescope::labs {

// Thrown for source that includes files outside its folder. Exit status 2.
class ForbiddenInclude : public Error {
public:
    using Error::Error;
};

// Finds a file of the lab; nullopt if there is none with that name. May throw Error.
using FindHeader = std::function<std::optional<std::string>(const std::string& name)>;

struct Includes {
    FindHeader find;
    // Returns true if headers may be read from outside the folder, at the path
    // that a name leads to; null: never.
    std::function<bool(const std::string& name)> allows{};
};

// Throws ForbiddenInclude, one sentence with the line, if the source includes files outside its
// folder: by absolute, hidden or upward paths, by names that macros produce, or by tokens that
// paste to __has_include. Checks the headers that it finds, too. The compiler's sandbox
// (compute/process/walls.h) refuses any file that this check misses.
void check_includes(std::string_view text, const std::string& name, const Includes& includes);

// Escapes the name for the quotes of #line.
std::string in_quotes(std::string_view name);

// Returns the source with the lab's own headers inlined at their #include lines; all other lines
// keep their numbers in `name`. Throws Error (bad_usage) like check_includes(), and also for
// headers that include each other endlessly or exceed max_included_bytes in total.
std::string with_headers(std::string_view text, const std::string& name, const FindHeader& find);

constexpr std::size_t max_included_bytes = std::size_t{4} << 20;

// Throws Error (bad_usage) for PTX that refers to external files, which the driver would read.
void check_ptx(std::string_view ptx, const std::string& name);

// True if the name stays within the folder: relative, without "..", and not hidden.
bool stays_in_folder(std::string_view name);

} // namespace lanescope::labs
