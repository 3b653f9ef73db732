// Paths that the compilers may read and run: their own files and those that the user names.
#include "compute/cuda/compile/compile.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "compute/cuda/compile/toolkit.h"
#include "compute/process/search_path.h"

namespace lanescope::cuda {
namespace fs = std::filesystem;
namespace {

// Toolkits from package managers may consist of links, whose targets must be readable too.
void add_with_links(std::vector<fs::path>& paths, const fs::path& folder)
{
    paths.push_back(folder);
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none))
        if (entry.is_symlink(none)) paths.push_back(entry.path());
}

// Paths in a compiler's flag: "-I/usr/include/x", "--pre-include=all.h", "-isystem", "/opt/x".
void add_path_in_flag(std::vector<fs::path>& paths, std::string_view flag)
{
    std::string_view path = flag;
    if (const std::size_t equals = flag.find('='); equals != flag.npos)
        path = flag.substr(equals + 1);
    else if (flag.starts_with('-'))
        path = flag.substr(std::min(flag.find('/'), flag.size()));
    std::error_code none;
    if (path.starts_with('/') && fs::exists(path, none)) paths.emplace_back(path);
}

// A host compiler with its headers and helper programs.
void add_compiler(Walls& walls, const fs::path& compiler)
{
    const Walls its = walls_for_program(compiler);
    walls.runnable.insert(walls.runnable.end(), its.runnable.begin(), its.runnable.end());
    std::error_code none;
    const fs::path folder = fs::canonical(compiler, none).parent_path();
    if (!none && folder.filename() == "bin")
        walls.readable.push_back(folder.parent_path() / "include");
}

} // namespace

std::vector<fs::path> readable_headers(const CompileOptions& options)
{
    std::vector<fs::path> paths;
    for (const fs::path& folder : toolkit_includes()) add_with_links(paths, folder);
    if (!options.own_folder.empty()) paths.push_back(options.own_folder);
    paths.insert(paths.end(), options.include_directories.begin(),
                 options.include_directories.end());
    for (const std::string& flag : options.flags) add_path_in_flag(paths, flag);
    return paths;
}

Walls walls_for_nvcc(const fs::path& nvcc, const CompileOptions& options, const fs::path& folder)
{
    Walls walls = walls_for_program(nvcc);
    for (fs::path& header : readable_headers(options)) walls.readable.push_back(std::move(header));
    walls.readable.insert(walls.readable.end(), {"/usr/include", "/usr/local/include"});
    for (const char* variable : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"})
        for (fs::path& header : absolute_folders(variable))
            walls.readable.push_back(std::move(header));
    for (const fs::path& root : toolkit_roots())
        for (const char* part : {"bin", "lib", "lib64", "libexec", "nvvm", "targets", "extras"})
            walls.runnable.push_back(root / part);
    for (const char* compiler : {"gcc", "g++", "cc"})
        if (const auto found = find_program(compiler)) add_compiler(walls, *found);
    std::vector<std::string> flags = options.flags;
    for (const char* variable : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN"}) {
        const char* const value = std::getenv(variable);
        std::istringstream words(value ? value : "");
        for (std::string word; words >> word;) flags.push_back(word);
    }
    std::vector<fs::path> named;
    for (const std::string& flag : flags) add_path_in_flag(named, flag);
    for (const fs::path& path : named) {
        walls.readable.push_back(path);
        if (fs::is_regular_file(path)) add_compiler(walls, path);
    }
    walls.writable.push_back(folder);
    return walls;
}

} // namespace lanescope::cuda
