// Includes point one way: app → render → compute/{device,trace}; labs → device; the engines → ptx,
// counting, trace, device; compute knows no OpenGL and no ImGui.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/tree/source_tree.h"

namespace lanescope::tree {
namespace {

using Folders = std::vector<std::string>;

// What each folder may include besides itself and the headers directly in compute/.
const std::map<std::string, Folders> arrows = {
    {"assets", {}},
    {"compute", {}},
    {"compute/counting", {}},
    {"compute/ptx", {"compute/counting", "compute/trace"}},
    {"compute/trace", {"compute/counting"}},
    {"compute/device", {"compute/trace"}},
    {"compute/cuda", {"compute/ptx", "compute/counting", "compute/trace", "compute/device"}},
    {"compute/simt", {"compute/ptx", "compute/counting", "compute/trace", "compute/device"}},
    {"compute/labs", {"compute/device", "compute/trace", "assets"}},
    {"render", {"compute/device", "compute/trace", "assets"}},
    {"render/shared",
     {"render", "compute/device", "compute/trace", "compute/cuda", "compute/simt", "assets"}},
    {"app", {"render", "compute", "assets"}},
};

// Libraries that only the named folders may meet.
const std::map<std::string, Folders> gates = {
    {"glad/", {"render", "app"}},
    {"GL/", {}},
    {"EGL/", {}},
    {"GLFW/", {"render", "app"}},
    {"glm/", {"render", "app"}},
    {"imgui", {"app"}},
    {"cuda", {"compute/cuda", "render/shared", "app"}},
    {"nvrtc", {"compute/cuda"}},
    {"stb_", {"render", "compute/labs"}},
    {"CLI/", {"app"}},
};

bool is_below(std::string_view path, std::string_view folder)
{
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

bool is_below_any(std::string_view path, const Folders& folders)
{
    return std::ranges::any_of(folders, [&](const auto& folder) { return is_below(path, folder); });
}

// The most specific folder of the table that holds `path`; empty for what the table leaves free.
std::string owner_of(std::string_view path)
{
    std::string owner;
    for (const auto& [folder, allowed] : arrows)
        if (is_below(path, folder) && folder.size() > owner.size()) owner = folder;
    return owner;
}

std::string folder_of(const std::string& path)
{
    return path.substr(0, path.rfind('/'));
}

TEST(Arrows, IncludesOfOursPointOneWay)
{
    for (const auto& file : all_files()) {
        const std::string owner = owner_of(file.path);
        if (!is_cpp(file) || owner.empty()) continue;
        for (const auto& include : includes_of(file)) {
            const std::string target = owner_of(include.name);
            if (target.empty() || target == "compute" || is_below(target, owner)) continue;
            EXPECT_TRUE(is_below_any(folder_of(include.name), arrows.at(owner)))
                << fmt::format("{}:{} includes {}, which {} may not know.", file.path, include.line,
                               include.name, owner);
        }
    }
}

TEST(Arrows, LibrariesStayBehindTheirGates)
{
    for (const auto& file : all_files()) {
        if (!is_cpp(file) || owner_of(file.path).empty()) continue;
        for (const auto& include : includes_of(file))
            for (const auto& [prefix, allowed] : gates)
                if (include.name.starts_with(prefix)) {
                    EXPECT_TRUE(is_below_any(file.path, allowed))
                        << fmt::format("{}:{} includes <{}>, which does not belong in this folder.",
                                       file.path, include.line, include.name);
                }
    }
}

bool includes_library(const SourceFile& file, std::string_view prefix)
{
    return std::ranges::any_of(includes_of(file), [&](const Include& include) {
        return include.name.starts_with(prefix);
    });
}

TEST(Arrows, OnlySharedMemoryMeetsCudaAndOpenGl)
{
    for (const auto& file : all_files()) {
        if (!is_cpp(file) || is_below(file.path, "render/shared")) continue;
        EXPECT_FALSE(includes_library(file, "cuda") && includes_library(file, "glad/"))
            << file.path;
    }
}

TEST(Arrows, PanelsKnowNeitherCudaNorOpenGl)
{
    for (const auto& file : all_files()) {
        if (!is_cpp(file) || !is_below(file.path, "app/window/panels")) continue;
        EXPECT_FALSE(includes_library(file, "cuda") || includes_library(file, "glad/"))
            << file.path;
    }
}

TEST(Arrows, EveryIncludeOfOursIsWrittenFromTheRoot)
{
    const auto files = all_files();
    for (const auto& file : files) {
        if (!is_cpp(file)) continue;
        for (const auto& include : includes_of(file)) {
            const bool names_a_sibling = std::ranges::any_of(files, [&](const auto& other) {
                return other.path == folder_of(file.path) + "/" + include.name;
            });
            EXPECT_FALSE(names_a_sibling)
                << fmt::format("{}:{} includes {}; write its path from the root.", file.path,
                               include.line, include.name);
        }
    }
}

TEST(Arrows, TheTableCoversTheTree)
{
    int covered = 0;
    for (const auto& file : all_files()) {
        if (!is_cpp(file) || is_below(file.path, "tests")) continue;
        EXPECT_FALSE(owner_of(file.path).empty()) << file.path << " is in no known folder.";
        if (is_below(file.path, "compute") && folder_of(file.path) != "compute") {
            EXPECT_NE(owner_of(file.path), "compute") << file.path << " is in no known folder.";
        }
        ++covered;
    }
    EXPECT_GT(covered, 20) << "The source tree was not found in " << LANESCOPE_SOURCE_DIR;
}

} // namespace
} // namespace lanescope::tree
