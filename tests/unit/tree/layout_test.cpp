// Layout of the repository: a fixed top level, a purpose stated in every file, and no third-party
// or generated files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/tree/source_tree.h"

namespace lanescope::tree {
namespace {

TEST(Layout, TopLevelHasOnlyAgreedEntries)
{
    const std::set<std::string> ordered = {
        "CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE", ".gitignore",
        ".clang-format",  ".clang-tidy",       ".ci",       ".github", "app",
        "render",         "compute",           "shaders",   "assets",  "tests",
    };
    std::set<std::string> present;
    for (const auto& file : all_files()) present.insert(file.path.substr(0, file.path.find('/')));
    present.insert("LICENSE"); // It may be missing: the program's owners choose a licence.
    EXPECT_EQ(present, ordered);
}

TEST(Layout, NoThirdPartyFiles)
{
    const std::vector<std::string> foreign = {"stb_",        "imgui", "glad",     "khrplatform",
                                              "eglplatform", "glm",   "json.hpp", "CLI11"};
    const std::vector<std::string> binary = {".ttf", ".otf", ".woff2", ".so",    ".a",
                                             ".o",   ".zip", ".gz",    ".xz",    ".whl",
                                             ".mp4", ".pyc", ".cubin", ".fatbin"};
    for (const auto& file : all_files()) {
        const std::string name = file.path.substr(file.path.rfind('/') + 1);
        const auto starts = [&](const auto& start) { return name.starts_with(start); };
        const auto ends = [&](const auto& ending) { return name.ends_with(ending); };
        EXPECT_TRUE(std::ranges::none_of(foreign, starts)) << file.path << " looks third-party.";
        EXPECT_TRUE(std::ranges::none_of(binary, ends))
            << file.path << " is a binary that has no place here.";
        EXPECT_LT(std::filesystem::file_size(file.location), 1u << 20) << file.path << " is large.";
    }
}

TEST(Layout, FilesStartWithPurpose)
{
    for (const auto& file : all_files()) {
        if (!is_cpp(file)) continue;
        const std::string text = read(file);
        EXPECT_TRUE(text.starts_with("//"))
            << file.path << " does not open by saying what it is and why.";
        if (!file.path.starts_with("tests/")) {
            EXPECT_FALSE(text.starts_with("// See "))
                << file.path << " opens by pointing elsewhere.";
        }
        if (file.path.ends_with(".h")) {
            EXPECT_NE(text.find("#pragma once"), std::string::npos) << file.path;
        }
    }
}

TEST(Layout, FileExtensionsAreDefinedOnce)
{
    std::set<std::string> endings;
    const std::regex literal(R"re("(\.[a-z0-9.]+)")re");
    const auto find = [&](const std::string& text, auto&& found) {
        for (std::sregex_iterator one(text.begin(), text.end(), literal), end; one != end; ++one)
            found((*one)[1].str());
    };
    const auto files = all_files();
    const auto home = std::ranges::find(files, "compute/endings.h", &SourceFile::path);
    ASSERT_NE(home, files.end());
    find(read(*home),
         [&](const std::string& one) { EXPECT_TRUE(endings.insert(one).second) << one; });
    EXPECT_FALSE(endings.empty());
    for (const auto& file : files) {
        if (!is_cpp(file) || file.path.starts_with("tests/") || file.path == "compute/endings.h")
            continue;
        find(read(file), [&](const std::string& one) {
            EXPECT_FALSE(endings.contains(one)) << file.path << " has " << one << " of its own.";
        });
    }
}

// Number of C++ files and tables (.def) directly in each folder of the program.
std::map<std::string, int> files_by_folder()
{
    std::map<std::string, int> counts;
    for (const auto& file : all_files())
        if ((is_cpp(file) || file.path.ends_with(".def")) && !file.path.starts_with("tests/"))
            ++counts[file.path.substr(0, file.path.rfind('/'))];
    return counts;
}

TEST(Layout, FoldersHaveRoom)
{
    constexpr int most = 25;
    const auto counts = files_by_folder();
    EXPECT_GT(counts.size(), 100u);
    for (const auto& [folder, files] : counts)
        EXPECT_LE(files, most) << folder
                               << ": move the files of one idea into a room of their own.";
}

TEST(Layout, NoTodoComments)
{
    // The words are split so that this file passes its own test.
    const std::vector<std::string> later = {std::string("TO") + "DO", std::string("FIX") + "ME"};
    for (const auto& file : all_files()) {
        if (!is_cpp(file) && !file.path.ends_with(".cu")) continue;
        const std::string text = read(file);
        for (const auto& word : later)
            EXPECT_EQ(text.find(word), std::string::npos) << file.path << " says " << word;
    }
}

TEST(Layout, SourceIncludesOwnHeaderFirst)
{
    const auto files = all_files();
    for (const auto& file : files) {
        if (!file.path.ends_with(".cpp") || file.path.starts_with("tests/")) continue;
        const std::string header = file.path.substr(0, file.path.size() - 4) + ".h";
        if (std::ranges::find(files, header, &SourceFile::path) == files.end()) continue;
        const auto includes = includes_of(file);
        ASSERT_FALSE(includes.empty()) << file.path;
        EXPECT_EQ(includes.front().name, header) << file.path;
    }
}

} // namespace
} // namespace lanescope::tree
