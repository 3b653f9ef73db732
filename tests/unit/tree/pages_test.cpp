// Markdown pages: their links resolve, and the README stays short.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/unit/tree/source_tree.h"

namespace lanescope::tree {
namespace {

namespace fs = std::filesystem;

std::vector<SourceFile> pages()
{
    auto files = all_files();
    std::erase_if(files, [](const SourceFile& file) {
        return !file.path.ends_with(".md") ||
               file.path.ends_with("/lesson.md"); // its links open labs in the window
    });
    return files;
}

std::string text_of(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// The anchor that GitHub gives a heading: "## First five minutes" → "first-five-minutes".
std::string anchor_of(const std::string& heading)
{
    std::string anchor;
    for (const unsigned char c : heading.substr(heading.find_first_not_of("# "))) {
        if (c == ' ')
            anchor += '-';
        else if (std::isalnum(c) != 0 || c == '-' || c == '_' || c >= 0x80)
            anchor += static_cast<char>(std::tolower(c));
    }
    return anchor;
}

bool has_heading(const fs::path& page, const std::string& anchor)
{
    std::istringstream lines(text_of(page));
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with('#') && anchor_of(line) == anchor) return true;
    return false;
}

// [words](TARGET) and src="TARGET".
std::vector<std::string> targets_in(const std::string& text)
{
    static const std::regex link(R"re(\]\(([^)\s]+)\)|src="([^"]+)")re");
    std::vector<std::string> targets;
    for (std::sregex_iterator one(text.begin(), text.end(), link), end; one != end; ++one)
        targets.push_back((*one)[1].matched ? (*one)[1] : (*one)[2]);
    return targets;
}

TEST(Pages, LinksResolve)
{
    std::size_t links = 0;
    for (const SourceFile& page : pages())
        for (const std::string& target : targets_in(read(page))) {
            if (target.find("://") != target.npos) continue;
            ++links;
            const std::size_t hash = std::min(target.find('#'), target.size());
            const fs::path file =
                hash == 0 ? page.location : page.location.parent_path() / target.substr(0, hash);
            ASSERT_TRUE(fs::exists(file)) << page.path << " links to " << target;
            if (hash < target.size()) {
                EXPECT_TRUE(has_heading(file, target.substr(hash + 1)))
                    << page.path << " links to " << target;
            }
        }
    EXPECT_GT(links, 30u) << "The pages were not found.";
}

// Counts columns, not bytes.
std::size_t width(const std::string& line)
{
    return static_cast<std::size_t>(std::ranges::count_if(
        line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

TEST(Pages, ReadmeIsShort)
{
    std::istringstream lines(text_of(LANESCOPE_SOURCE_DIR "/README.md"));
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        EXPECT_LT(width(line), 120u) << "README.md:" << number;
    }
    EXPECT_GT(number, 50);
    EXPECT_LE(number, 110);
}

} // namespace
} // namespace lanescope::tree
