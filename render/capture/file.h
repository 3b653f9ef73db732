// Files that are either whole or not there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>

namespace lanescope::render {

// Writes beside `path`, syncs and renames, so that a reader sees the old file or the new one, also
// after a power cut. A new file has the permissions that the user's umask leaves, one that is
// replaced keeps its own. Throws Error (bad_usage) that names the reason: no such folder, no
// permission, disk full.
void write_file(const std::filesystem::path& path, std::string_view bytes);

// The same for a file that another program wrote beside `path`.
void replace_file(const std::filesystem::path& written, const std::filesystem::path& path);

// Throws Error (bad_usage) unless a file could be written at `path`; leaves nothing behind.
void require_writable(const std::filesystem::path& path);

// All bytes of a regular file. Throws Error: no_such_thing when there is none, bad_usage when it
// cannot be read, is a folder, pipe or device, or has more than `max_bytes`.
std::string read_file(const std::filesystem::path& path,
                      std::size_t max_bytes = std::numeric_limits<std::size_t>::max());

} // namespace lanescope::render
