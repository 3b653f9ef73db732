// File operations that the C++ library lacks. All return false or -1 with errno if they fail.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace lanescope {

// Creates a file for writing, with the rights of `like` if that exists; fails if `file` exists.
int create_file(const std::filesystem::path& file, const std::filesystem::path& like);
// Opens a file for reading. Does not wait for the writer of a pipe.
int open_file(const std::filesystem::path& file);

struct FileFacts {
    bool folder = false;
    bool regular = false; // neither a folder nor a pipe nor a device
    std::uintmax_t bytes = 0;
};
bool find_facts(int file, FileFacts& facts);

// Why the system allows no file of this name, as in "Windows keeps the name NUL for a device";
// empty if it allows one.
std::string name_problem(const std::filesystem::path& file);

bool close_written(int file);
bool remove_file(const std::filesystem::path& file);
// Replaces `to`, if it exists, in one step, once the contents of `from` are on the disk.
bool replace_by(const std::filesystem::path& to, const std::filesystem::path& from);

// Errors that mean that there is no room for a file.
std::span<const int> full_disk_errors();

// The folder for what programs remember of the user's work; empty if the user has none.
std::filesystem::path state_folder();

// The folder for the user's own settings; empty if the user has none.
std::filesystem::path settings_folder();

} // namespace lanescope
