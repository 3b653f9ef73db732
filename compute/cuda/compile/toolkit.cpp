// Searches for a CUDA toolkit.
#include "compute/cuda/compile/toolkit.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "compute/process/own_program.h"
#include "compute/process/search_path.h"

namespace lanescope::cuda {
namespace fs = std::filesystem;
namespace {

bool is_there(const fs::path& path)
{
    std::error_code none;
    return fs::exists(path, none);
}

} // namespace

fs::path program_folder()
{
    return own_program_file().parent_path();
}

std::vector<fs::path> toolkit_roots()
{
    std::vector<fs::path> roots;
    const auto add = [&](const fs::path& root) {
        // On Windows, /usr/local/cuda would be a folder of the current drive.
        if (root.is_absolute() && is_there(root) &&
            std::find(roots.begin(), roots.end(), root) == roots.end())
            roots.push_back(root);
    };
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* root = std::getenv(variable); root && fs::path(root).is_absolute())
            add(root);
    add(program_folder() / ".." / ".deps" / "cuda");
    // NVIDIA's wheels next to ours, if the program is part of a Python package.
    add(program_folder() / ".." / ".." / "nvidia" / "cu13");
    std::error_code none;
    if (const auto nvcc = find_program("nvcc"))
        add(fs::canonical(*nvcc, none).parent_path().parent_path());
    add("/usr/local/cuda");
    return roots;
}

std::optional<fs::path> find_nvcc()
{
    for (const fs::path& root : toolkit_roots())
        if (const auto found = find_program((root / "bin" / "nvcc").string())) return found;
    return std::nullopt;
}

std::vector<fs::path> library_candidates(const std::vector<std::string>& sonames)
{
    std::vector<fs::path> folders{program_folder() / "lib"};
    for (const fs::path& root : toolkit_roots())
        for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib", "extras/CUPTI/lib64",
                                   "bin/x86_64", "bin"})
            folders.push_back(root / folder);
    std::vector<fs::path> candidates;
    for (const std::string& soname : sonames)
        for (const fs::path& folder : folders)
            if (is_there(folder / soname)) candidates.push_back(folder / soname);
    candidates.insert(candidates.end(), sonames.begin(), sonames.end());
    return candidates;
}

std::vector<fs::path> toolkit_includes()
{
    std::vector<fs::path> folders;
    const auto add = [&](const fs::path& folder) {
        if (is_there(folder)) folders.push_back(folder);
    };
    for (const fs::path& root : toolkit_roots()) {
        add(root / "include");
        add(root / "include" / "cccl");
    }
    add(program_folder() / "include");
    return folders;
}

} // namespace lanescope::cuda
