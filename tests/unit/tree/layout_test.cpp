// The top level stays as it was ordered, files stay readable, and nothing that others wrote or that
// a tool made is committed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/tree/source_tree.h"

namespace lanescope::tree {
namespace {

TEST(Layout, TheTopLevelIsTheOrderedOne)
{
    const std::set<std::string> ordered = {
        "CMakeLists.txt",
        "CMakePresets.json",
        "README.md",
        ".gitignore",
        ".clang-format",
        ".ci",
        "app",
        "render",
        "compute",
        "shaders",
        "assets",
        "tests",
    };
    std::set<std::string> present;
    for (const auto& file : all_files()) present.insert(file.path.substr(0, file.path.find('/')));
    EXPECT_EQ(present, ordered);
}

TEST(Layout, NothingOfOthersIsCommitted)
{
    const std::regex foreign(
        R"((^|/)(stb_|imgui|glad|khrplatform|eglplatform|glm|json\.hpp|CLI11))");
    const std::vector<std::string> binary = {".ttf", ".otf", ".woff2", ".so",    ".a",
                                             ".o",   ".zip", ".gz",    ".xz",    ".whl",
                                             ".mp4", ".pyc", ".cubin", ".fatbin"};
    for (const auto& file : all_files()) {
        EXPECT_FALSE(std::regex_search(file.path, foreign)) << file.path << " looks third-party.";
        EXPECT_TRUE(std::ranges::none_of(
            binary, [&](const auto& ending) { return file.path.ends_with(ending); }))
            << file.path << " is a binary that has no place here.";
        EXPECT_LT(std::filesystem::file_size(file.location), 1u << 20) << file.path << " is large.";
    }
}

TEST(Layout, FilesHoldOneIdea)
{
    for (const auto& file : all_files()) {
        if (!is_cpp(file)) continue;
        const std::string text = read(file);
        EXPECT_LE(std::ranges::count(text, '\n'), 400) << file.path << " is usually two ideas.";
        EXPECT_TRUE(text.starts_with("//"))
            << file.path << " does not open by saying what it is and why.";
        if (file.path.ends_with(".h")) {
            EXPECT_NE(text.find("#pragma once"), std::string::npos) << file.path;
        }
    }
}

TEST(Layout, NothingIsLeftForLater)
{
    const std::regex later(R"(\b(TO)(DO)\b|\bFIX(ME)\b|\bX{3}\b)");
    for (const auto& file : all_files())
        if (is_cpp(file) || file.path.ends_with(".cu")) {
            EXPECT_FALSE(std::regex_search(read(file), later)) << file.path;
        }
}

} // namespace
} // namespace lanescope::tree
