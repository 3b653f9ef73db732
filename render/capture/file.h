// Files that are either complete or absent.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>

namespace lanescope::render {

// Writes next to `path`, syncs and renames, so that a reader sees the old file or the new one, even
// after a power failure. New files get the permissions that the umask allows, replaced files keep
// theirs. Throws Error (bad_usage) with the reason: no such folder, no permission, disk full.
void write_file(const std::filesystem::path& path, std::string_view bytes);

// Syncs the file that another program wrote at `written`, and renames it to `path` atomically.
void replace_file(const std::filesystem::path& written, const std::filesystem::path& path);

// Throws Error (bad_usage) if the system allows no file of this name. The functions that write call
// it.
void require_allowed_name(const std::filesystem::path& path);

// Throws Error (bad_usage) if no file can be written at `path`; leaves nothing behind.
void require_writable(const std::filesystem::path& path);

// Reads a regular file. Throws Error: no_such_thing if it does not exist; bad_usage if it cannot be
// read, is a folder, pipe or device, or exceeds `max_bytes`.
std::string read_file(const std::filesystem::path& path,
                      std::size_t max_bytes = std::numeric_limits<std::size_t>::max());

} // namespace lanescope::render
