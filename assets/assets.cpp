// Reads the table that the linker gathers from every set of embedded files (app/cmake/embed.cmake).
// A page has the files beside the program, in a package that `lanescope page` makes.
#include "assets/assets.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "assets/package.h"

namespace lanescope::assets {
namespace {

#ifdef __EMSCRIPTEN__
std::vector<File> gather()
{
    std::ifstream file("/lanescope.files", std::ios::binary);
    static const std::string package{std::istreambuf_iterator<char>(file), {}};
    return unpack(package);
}
#else
struct Entry {
    const char* path;
    std::size_t path_length;
    const char* bytes;
    std::size_t byte_count;
};

// The linker's names for the section's two ends.
extern "C" const Entry __start_lanescope_files[];
extern "C" const Entry __stop_lanescope_files[];

std::vector<File> gather()
{
    std::vector<File> all;
    for (const Entry* entry = __start_lanescope_files; entry != __stop_lanescope_files; ++entry)
        all.push_back({{entry->path, entry->path_length}, {entry->bytes, entry->byte_count}});
    return all;
}
#endif

std::vector<File> sorted(std::vector<File> all)
{
    std::ranges::sort(all, {}, &File::path);
    return all;
}

} // namespace

std::span<const File> files()
{
    static const std::vector<File> all = sorted(gather());
    return all;
}

std::optional<std::string_view> find(std::string_view path)
{
    const auto all = files();
    const auto found = std::ranges::lower_bound(all, path, {}, &File::path);
    if (found == all.end() || found->path != path) return std::nullopt;
    return found->bytes;
}

} // namespace lanescope::assets
