// Asks the dynamic loader which library it would find.
#include "app/run/program/real_runtime.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "compute/cuda/compile/toolkit.h"
#include "compute/error.h"

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;

bool file_exists(const fs::path& path)
{
    std::error_code none;
    return fs::is_regular_file(path, none);
}

// Searches the program's own search path.
std::optional<fs::path> named_by_program(const ProgramFile& file, const fs::path& program,
                                         const std::string& name)
{
    std::istringstream folders(file.search_path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        for (const std::string_view word : {"${ORIGIN}", "$ORIGIN"})
            if (const std::size_t at = folder.find(word); at != folder.npos)
                folder.replace(at, word.size(), fs::absolute(program).parent_path().string());
        if (!folder.empty() && file_exists(fs::path(folder) / name)) return fs::path(folder) / name;
    }
    return {};
}

// Searches LD_LIBRARY_PATH and the system's list.
std::optional<fs::path> found_by_loader(const std::string& name)
{
    void* const library = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) return {};
    const link_map* map = nullptr;
    std::optional<fs::path> found;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0] == '/') found = map->l_name;
    dlclose(library);
    return found;
}

// Searches the active Python's packages, where pip install nvidia-cuda-runtime puts it.
std::optional<fs::path> find_in_python(const std::string& name)
{
    const char* const active = std::getenv("VIRTUAL_ENV");
    for (const fs::path& root :
         {fs::path(active == nullptr ? "" : active), fs::path("/usr/local"), fs::path("/usr")}) {
        std::error_code none;
        if (root.empty()) continue;
        for (const auto& python : fs::directory_iterator(root / "lib", none)) {
            if (!python.path().filename().string().starts_with("python")) continue;
            for (const char* packages : {"site-packages", "dist-packages"})
                for (const char* within : {"nvidia/cu13/lib", "nvidia/cuda_runtime/lib"})
                    if (const fs::path path = python.path() / packages / within / name;
                        file_exists(path))
                        return path;
        }
    }
    return {};
}

} // namespace

fs::path find_real_runtime(const ProgramFile& file, const fs::path& program)
{
    if (const char* const chosen = std::getenv(real_runtime_variable)) {
        if (file_exists(chosen)) return fs::absolute(chosen);
        throw Error(
            ExitStatus::device_unavailable,
            fmt::format("There is no file {}, which {} names.", chosen, real_runtime_variable),
            "Give the path of NVIDIA's libcudart.so.");
    }
    const std::string name = fmt::format("libcudart.so.{}", file.cuda_version);
    if (const auto own = named_by_program(file, program, name)) return *own;
    if (const auto found = found_by_loader(name)) return *found;
    for (const fs::path& candidate : cuda::library_candidates({name}))
        if (file_exists(candidate)) return candidate;
    if (const auto package = find_in_python(name)) return *package;
    throw Error(ExitStatus::device_unavailable,
                fmt::format("NVIDIA's {} was not found, and the program needs it on a GPU.", name),
                fmt::format("Install CUDA {} or pip install nvidia-cuda-runtime, or name the "
                            "library in {}.",
                            file.cuda_version, real_runtime_variable));
}

} // namespace lanescope::app
