// Retired phrases do not return to the text that users see. To write all of that text to a file:
// LIST=FILE tree_tests --gtest_filter=Words.AreListed
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "tests/unit/tree/words.h"

namespace lanescope::tree {
namespace {

bool occurs_in(const std::vector<Words>& words, const std::string& path, const std::string& text)
{
    return std::ranges::any_of(words, [&](const Words& one) {
        return one.path == path && one.text.find(text) != one.text.npos;
    });
}

TEST(Words, AreFoundEverywhere)
{
    const auto words = visible_words();
    EXPECT_TRUE(occurs_in(words, "README.md", "# Lanescope"));
    EXPECT_TRUE(occurs_in(words, "compute/labs/heat/lab.json", "Shared tile"));
    EXPECT_TRUE(occurs_in(words, "compute/labs/heat/lesson.md", "neighbour"));
    EXPECT_TRUE(
        occurs_in(words, "compute/labs/heat/shared_tile.cu", "every thread loads its own cell"));
    EXPECT_TRUE(occurs_in(words, "assets/cards/memory.txt", "50% of what it fetches"));
    EXPECT_TRUE(occurs_in(words, "app/setup.sh", "CUDA"));
    // Adjacent literals are joined without losing blanks.
    EXPECT_TRUE(occurs_in(words, "app/commands/shared/scene_options.cpp", "as simt executed it"));
    EXPECT_FALSE(occurs_in(words, "app/commands/shared/scene_options.cpp", "#include"));
}

TEST(Words, MatchWholeWords)
{
    EXPECT_TRUE(has_words("Who told whom in a block", "who told whom"));
    EXPECT_TRUE(has_words("(told)", "told"));
    EXPECT_FALSE(has_words("retold, told_late", "told"));
    EXPECT_TRUE(has_words("retold and told", "told"));
}

TEST(Words, RetiredWordsStayRetired)
{
    const auto old = old_words();
    ASSERT_FALSE(old.empty());
    for (const Words& one : visible_words())
        for (const OldWords& word : old)
            EXPECT_FALSE(has_words(one.text, word.text))
                << fmt::format("{}:{} says \"{}\"; better: {}\n  {}", one.path, one.line, word.text,
                               word.better, one.text);
}

TEST(Words, AreListed)
{
    const char* const file = std::getenv("LIST");
    std::ofstream list(file ? file : "/dev/null");
    for (const Words& one : visible_words())
        list << fmt::format("{}:{}: {}\n", one.path, one.line, one.text);
    ASSERT_TRUE(list) << "The list cannot be written.";
}

} // namespace
} // namespace lanescope::tree
