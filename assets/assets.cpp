// Reads the table that the linker gathers from every set of embedded files (app/cmake/embed.cmake).
#include "assets/assets.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lanescope::assets {
namespace {

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
    std::ranges::sort(all, {}, &File::path);
    return all;
}

} // namespace

std::span<const File> files()
{
    static const std::vector<File> all = gather();
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
