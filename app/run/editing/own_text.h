// Reads a kernel's file as text in any common encoding: UTF-8 with or without a byte order mark,
// UTF-16, or Windows-1252, which includes Latin-1.
#pragma once

#include <filesystem>
#include <string>

namespace lanescope::app {

struct OwnText {
    std::string text{};
    std::string note{}; // a sentence for the user, if it was not UTF-8
};

// `name` is used in the note. Bytes that are not text in any of these encodings are left unchanged.
OwnText as_utf8(std::string bytes, const std::string& name);

// Throws Error as render::read_file() does, or if it is larger than a lab may be.
OwnText read_own_text(const std::filesystem::path& file);

// A file's name as a lab stores it, in UTF-8; and the path of such a name beside the kernel's file.
std::string text_name(const std::filesystem::path& file);
std::filesystem::path file_of_text(const std::filesystem::path& kernel, const std::string& name);

} // namespace lanescope::app
