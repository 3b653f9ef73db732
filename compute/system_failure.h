// Describes resources that the system refused (memory, a folder, a process) to the user: such
// exceptions come from the standard library and are not bugs.
#pragma once

#include <filesystem>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

#include "compute/error.h"

namespace lanescope {

// Returns nullopt for any other exception.
inline std::optional<Error> system_failure(const std::exception& error)
{
    if (dynamic_cast<const std::bad_alloc*>(&error) ||
        dynamic_cast<const std::length_error*>(&error)) // larger than any memory
        return Error(ExitStatus::device_unavailable, "Not enough memory for this.",
                     "Choose a smaller size, or a smaller picture.");
    if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
        const bool missing = file->code() == std::errc::no_such_file_or_directory;
        const std::string path = file->path1().string();
        const std::string reason = file->code().message();
        if (path.empty())
            return Error(missing ? ExitStatus::no_such_thing : ExitStatus::bad_usage,
                         "The current folder cannot be used: " + reason + ".",
                         "Change to an existing folder that you can read.");
        return Error(missing ? ExitStatus::no_such_thing : ExitStatus::bad_usage,
                     path + " cannot be used: " + reason + ".",
                     "Check that it exists and that you have access to it.");
    }
    const auto* system = dynamic_cast<const std::system_error*>(&error);
    if (!system) return {};
    const std::error_category& category = system->code().category();
    if (category != std::generic_category() && category != std::system_category()) return {};
    return Error(ExitStatus::device_unavailable,
                 "The system refused what the program needs: " + system->code().message() + ".",
                 "Check whether a limit (ulimit -a) is too low or the machine is out of memory or "
                 "disk space.");
}

} // namespace lanescope
