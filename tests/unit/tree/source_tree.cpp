// Walks the repository and reads its files.
#include "tests/unit/tree/source_tree.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

namespace lanescope::tree {
namespace fs = std::filesystem;

namespace {

// Files that git tracks or would add; empty outside a git checkout.
std::vector<std::string> git_files()
{
    const std::string command = "git -C '" LANESCOPE_SOURCE_DIR "' -c core.quotePath=off ls-files "
                                "--cached --others --exclude-standard 2>/dev/null";
    std::vector<std::string> paths;
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::array<char, 4096> line{};
    while (pipe && std::fgets(line.data(), line.size(), pipe.get())) {
        paths.emplace_back(line.data());
        paths.back().pop_back(); // removes the newline
    }
    return paths;
}

std::vector<std::string> walked_files()
{
    const fs::path root = LANESCOPE_SOURCE_DIR;
    std::vector<std::string> paths;
    for (auto entry = fs::recursive_directory_iterator(root); entry != fs::end(entry); ++entry) {
        const fs::path path = entry->path().lexically_relative(root);
        if (path == ".git" || path == ".deps" || path == "build" || path == "out")
            entry.disable_recursion_pending();
        else if (!entry->is_directory())
            paths.push_back(path.generic_string());
    }
    return paths;
}

} // namespace

std::vector<SourceFile> all_files()
{
    auto paths = git_files();
    if (paths.empty()) paths = walked_files();
    std::ranges::sort(paths);
    std::vector<SourceFile> files;
    for (const auto& path : paths)
        if (const fs::path location = fs::path(LANESCOPE_SOURCE_DIR) / path; fs::exists(location))
            files.push_back({path, location});
    return files;
}

bool is_cpp(const SourceFile& file)
{
    return file.path.ends_with(".h") || file.path.ends_with(".cpp");
}

std::string read(const SourceFile& file)
{
    std::ifstream stream(file.location, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<Include> includes_of(const SourceFile& file)
{
    std::vector<Include> found;
    std::istringstream text(read(file));
    std::string line;
    for (int number = 1; std::getline(text, line); ++number) {
        const auto start = line.find_first_not_of(" \t");
        if (start == std::string::npos || line.compare(start, 8, "#include") != 0) continue;
        const auto open = line.find_first_of("<\"", start);
        const auto close = line.find_first_of(">\"", open + 1);
        if (close == std::string::npos) continue; // the name comes from a macro
        found.push_back({line.substr(open + 1, close - open - 1), number});
    }
    return found;
}

} // namespace lanescope::tree
