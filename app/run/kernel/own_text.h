// A kernel's file as text, whatever its editor wrote: UTF-8 with or without a byte order mark,
// UTF-16, or the Windows code page that Latin-1 is a part of.
#pragma once

#include <filesystem>
#include <string>

namespace lanescope::app {

struct OwnText {
    std::string text{};
    std::string note{}; // a sentence for the user, where it was not UTF-8
};

// `name` is for the note. Bytes that are no text in any of these stay as they are.
OwnText as_utf8(std::string bytes, const std::string& name);

// Throws Error as render::read_file() does, or for more than a lab may have.
OwnText read_own_text(const std::filesystem::path& file);

// The file's name as a lab has it, which is text; and the file of a text beside the kernel's.
std::string text_name(const std::filesystem::path& file);
std::filesystem::path file_of_text(const std::filesystem::path& kernel, const std::string& name);

} // namespace lanescope::app
