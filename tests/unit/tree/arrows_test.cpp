// Includes point one way: app → render → compute/{device,trace}; labs → experiment → counting,
// device; the engines → ptx, counting, trace, device; compute uses neither OpenGL nor ImGui.
// Indirect includes count as well.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/tree/source_tree.h"

namespace lanescope::tree {
namespace {

using Folders = std::vector<std::string>;

// Per folder: the folders that it may include, besides itself and the headers directly in compute/.
const std::map<std::string, Folders> arrows = {
    {"assets", {}},
    {"compute", {}},
    {"compute/process", {}},
    {"compute/late", {"compute/process"}},
    {"compute/counting", {}},
    {"compute/pictures", {}},
    {"compute/ptx", {"compute/counting", "compute/trace"}},
    {"compute/trace", {"compute/counting"}},
    {"compute/caches", {"compute/counting", "compute/trace"}},
    {"compute/device", {"compute/trace"}},
    {"compute/cuda",
     {"compute/ptx", "compute/counting", "compute/trace", "compute/device", "compute/process",
      "assets"}}, // embedded kernels
    {"compute/simt",
     {"compute/ptx", "compute/counting", "compute/trace", "compute/caches", "compute/device",
      "compute/process"}},
    {"compute/assembled", // finds the toolkit as the compilers do
     {"compute/ptx", "compute/counting", "compute/trace", "compute/process", "compute/cuda"}},
    {"compute/predicted",
     {"compute/assembled", "compute/caches", "compute/counting", "compute/trace"}},
    {"compute/runtime",
     {"compute/simt", "compute/ptx", "compute/counting", "compute/trace", "compute/caches",
      "compute/device"}},
    {"compute/labs",
     {"compute/experiment/inputs", "compute/experiment/record", "compute/counting",
      "compute/device"}},
    {"compute/experiment",
     {"compute/counting", "compute/device", "compute/pictures", "compute/process", "compute/trace",
      "assets"}},
    {"compute/experiment/guess",
     {"compute/counting", "compute/device", "compute/experiment", "compute/process", "compute/ptx",
      "compute/trace"}},
    {"render",
     {"compute/device", "compute/pictures", "compute/trace", "compute/process", "assets"}},
    {"render/shared",
     {"render", "compute/device", "compute/trace", "compute/process", "compute/cuda",
      "compute/simt", "assets"}},
    {"app", {"render", "compute", "assets"}},
};

// Libraries, by prefix of their headers, and the only folders that may include them.
const std::map<std::string, Folders> gates = {
    {"glad/", {"render", "app"}},
    {"GL/", {}},
    {"EGL/", {}},
    {"GLFW/", {"render", "app"}},
    {"glm/", {"render", "app"}},
    {"imgui", {"app"}},
    {"cuda", {"compute/cuda", "compute/runtime", "render/shared", "app"}},
    {"nvrtc", {"compute/cuda", "compute/runtime/compilers"}},
    {"stb_", {"compute/pictures"}},
    {"spng", {"render/capture", "compute/pictures"}},
    {"cairo", {"render/capture"}},
    {"spawn.h", {"compute/process"}},
    {"CLI/", {"app"}},
};

// Headers that `from` must not include, directly or indirectly; `except` may.
struct Wall {
    Folders from;
    Folders except;
    Folders reach; // folders of this repository, or prefixes of library headers
};
const std::vector<Wall> walls = {
    {{"compute"}, {}, {"glad/", "GLFW/", "glm/", "imgui", "render", "app"}},
    {{"compute/labs", "compute/experiment"},
     {"compute/experiment/guess"}, // reads kernel signatures from PTX
     {"compute/cuda", "compute/simt", "compute/ptx", "cuda"}},
    {{"compute/experiment/guess"}, {}, {"compute/cuda", "compute/simt", "cuda"}},
    {{"compute/experiment"}, {}, {"compute/labs"}},
    {{"compute/simt"},
     {},
     {"compute/cuda", "compute/experiment", "compute/assembled", "compute/runtime", "cuda"}},
    // The state of a launch knows neither the instructions that change it nor who runs or watches
    // it.
    {{"compute/simt/machine/state", "compute/simt/machine/memory"},
     {},
     {"compute/simt/checks", "compute/simt/decode", "compute/simt/native",
      "compute/simt/machine/launch", "compute/simt/machine/turns", "compute/simt/operations/calls",
      "compute/simt/operations/control", "compute/simt/operations/memory"}},
    {{"compute/simt/checks"},
     {},
     {"compute/simt/decode", "compute/simt/native", "compute/simt/machine/launch",
      "compute/simt/machine/turns"}},
    {{"compute/simt/operations"},
     {"compute/simt/operations/rows/floats"}, // fused multiply-adds of a browser
     {"compute/simt/decode", "compute/simt/native", "compute/simt/machine/launch",
      "compute/simt/machine/turns", "compute/simt/checks/fast", "compute/simt/checks/precise"}},
    {{"compute/runtime"}, {}, {"compute/cuda", "compute/experiment"}},
    {{"compute/cuda"}, {}, {"compute/simt", "compute/experiment", "compute/assembled"}},
    {{"compute/assembled"}, {}, {"compute/simt", "compute/experiment", "cuda_runtime"}},
    {{"compute/predicted"}, {}, {"compute/simt", "compute/experiment", "compute/runtime"}},
    {{"compute/ptx"}, {}, {"compute/device", "compute/simt", "compute/cuda", "compute/experiment"}},
    {{"compute/trace", "compute/counting", "compute/caches", "compute/device"},
     {},
     {"compute/ptx", "compute/simt", "compute/cuda", "compute/experiment"}},
    {{"render"},
     {"render/shared"},
     {"compute/cuda", "compute/simt", "compute/experiment", "app", "cuda"}},
    {{"render/shared"}, {}, {"compute/experiment", "app"}},
    // Only the folders that run and measure may include the engines.
    {{"app"},
     {"app/run", "app/measure", "app/commands"},
     {"compute/cuda/cuda_device.h", "compute/simt/simt_device.h", "cuda_runtime"}},
    // The document is plain data: it can be read, changed and tested without any of these.
    {{"app/document"},
     {},
     {"app/run", "app/draw", "app/export", "app/window", "app/commands", "render/gl",
      "render/context", "GLFW/", "CLI/", "glad/", "imgui"}},
    // Values of the document, which everything may hold.
    {{"app/document/look", "app/document/experiment", "app/document/values"},
     {},
     {"app/document/commands.h", "app/document/document.h", "app/document/editing",
      "app/document/session", "app/lessons", "app/measure"}},
    {{"app/lessons"}, {}, {"app/run", "app/draw", "app/export", "app/window", "app/commands"}},
    {{"app/measure"},
     {},
     {"app/commands", "app/export", "app/draw", "app/window", "CLI/", "imgui"}},
    {{"app/window/panels", "app/window/plots"},
     {},
     {"cuda", "compute/cuda/cuda_device.h", "compute/simt", "glad/"}},
};

bool is_below(std::string_view path, std::string_view folder)
{
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

bool is_below_any(std::string_view path, const Folders& folders)
{
    return std::ranges::any_of(folders, [&](const auto& folder) { return is_below(path, folder); });
}

// The most specific folder in the table that contains `path`; empty if there is none.
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

TEST(Arrows, IncludesFollowAllowedDirections)
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

TEST(Arrows, LibraryHeadersStayInTheirWrappers)
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

// The direct includes of every file, and the headers reachable from it.
class Graph {
public:
    Graph()
    {
        for (const auto& file : all_files())
            if (is_cpp(file))
                for (const auto& include : includes_of(file))
                    includes_[file.path].push_back(include.name);
    }
    const std::map<std::string, Folders>& includes() const { return includes_; }

    // Maps each reachable header to the file that includes it on the shortest path.
    std::map<std::string, std::string> reached_from(const std::string& file) const
    {
        std::map<std::string, std::string> via;
        std::deque<std::string> next{file};
        for (; !next.empty(); next.pop_front()) {
            const auto found = includes_.find(next.front());
            if (found == includes_.end()) continue;
            for (const std::string& name : found->second)
                if (via.try_emplace(name, next.front()).second) next.push_back(name);
        }
        return via;
    }

private:
    std::map<std::string, Folders> includes_;
};

// "a.h → b.h → c.h"
std::string way(const std::map<std::string, std::string>& via, const std::string& from,
                const std::string& to)
{
    std::string text = to;
    for (std::string at = to; at != from;) {
        at = via.at(at);
        text = at + " → " + text;
    }
    return text;
}

bool reaches(std::string_view header, const Folders& forbidden)
{
    return std::ranges::any_of(forbidden, [&](const std::string& one) {
        return owner_of(one).empty() ? header.starts_with(one) && owner_of(header).empty()
                                     : is_below(header, one);
    });
}

TEST(Arrows, ForbiddenIncludesHaveNoIndirectPath)
{
    const Graph graph;
    std::size_t files = 0;
    for (const auto& [file, includes] : graph.includes())
        for (const Wall& wall : walls) {
            if (!is_below_any(file, wall.from) || is_below_any(file, wall.except)) continue;
            ++files;
            const auto via = graph.reached_from(file);
            for (const auto& [header, by] : via)
                EXPECT_FALSE(reaches(header, wall.reach)) << way(via, file, header);
        }
    EXPECT_GT(files, 500u) << "The source tree was not found in " << LANESCOPE_SOURCE_DIR;
}

bool includes_library(const SourceFile& file, std::string_view prefix)
{
    return std::ranges::any_of(includes_of(file), [&](const Include& include) {
        return include.name.starts_with(prefix);
    });
}

TEST(Arrows, PanelsAndPlotsDrawWithoutOpenGl)
{
    for (const auto& file : all_files()) {
        if (!is_cpp(file) || !is_below_any(file.path, {"app/window/panels", "app/window/plots"}))
            continue;
        EXPECT_FALSE(includes_library(file, "glad/") || includes_library(file, "GLFW/"))
            << file.path;
    }
}

TEST(Arrows, OnlySharingUsesBothCudaAndOpenGl)
{
    for (const auto& file : all_files()) {
        if (!is_cpp(file) || is_below(file.path, "render/shared")) continue;
        EXPECT_FALSE(includes_library(file, "cuda") && includes_library(file, "glad/"))
            << file.path;
    }
}

TEST(Arrows, IncludesAreRelativeToRoot)
{
    const auto files = all_files();
    std::set<std::string> paths;
    for (const auto& file : files) paths.insert(file.path);
    for (const auto& file : files) {
        if (!is_cpp(file)) continue;
        for (const auto& include : includes_of(file))
            EXPECT_FALSE(paths.contains(folder_of(file.path) + "/" + include.name))
                << fmt::format("{}:{} includes {}; write its path from the root.", file.path,
                               include.line, include.name);
    }
}

TEST(Arrows, TableCoversTree)
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
