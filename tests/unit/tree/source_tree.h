// Lists and reads the repository's own files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lanescope::tree {

struct SourceFile {
    std::string path; // relative to the root, with slashes
    std::filesystem::path location;
};

struct Include {
    std::string name; // without the quotes or angle brackets
    int line = 0;
};

// All files of the repository except ignored ones, sorted.
std::vector<SourceFile> all_files();

bool is_cpp(const SourceFile& file); // .h or .cpp

std::string read(const SourceFile& file);

std::vector<Include> includes_of(const SourceFile& file);

} // namespace lanescope::tree
