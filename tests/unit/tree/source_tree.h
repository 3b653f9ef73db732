// The repository's own files, as the tests of this folder read them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lanescope::tree {

struct SourceFile {
    std::string path; // from the root, with slashes
    std::filesystem::path location;
};

struct Include {
    std::string name; // between the quotes or the angle brackets
    int line = 0;
};

// All files of the repository, sorted; without what git ignores.
std::vector<SourceFile> all_files();

bool is_cpp(const SourceFile& file); // .h or .cpp

std::string read(const SourceFile& file);

std::vector<Include> includes_of(const SourceFile& file);

} // namespace lanescope::tree
