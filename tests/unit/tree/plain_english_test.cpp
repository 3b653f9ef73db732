// Comments, identifiers and test names avoid the phrases listed in habits.txt. This prevents
// relapses; it does not define good English. To print a list for reading: LIST=FILE tree_tests
// --gtest_filter=PlainEnglish.ListsComments (or ListsNames).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/unit/tree/words.h"

namespace lanescope::tree {
namespace {

std::vector<Habit> habits_of(const std::string& kind)
{
    std::vector<Habit> own;
    for (const Habit& habit : habits())
        if (habit.where.starts_with(kind)) own.push_back(habit);
    return own;
}

// Reports every text that contains a habit of this kind.
void expect_none(const std::string& kind, const std::vector<Words>& all, bool names)
{
    const auto own = habits_of(kind);
    ASSERT_FALSE(own.empty());
    ASSERT_GT(all.size(), 1000u) << "The repository's files were not found.";
    for (const Words& one : all) {
        const std::string text = names ? as_words(one.text) : one.text;
        for (const Habit& habit : own)
            EXPECT_FALSE(has_habit(text, habit))
                << fmt::format("{}:{}: the {} says \"{}\"; better: {}\n  {}", one.path, one.line,
                               kind, habit.text, habit.better, one.text);
    }
}

void write_list(const std::vector<Words>& all)
{
    const char* const file = std::getenv("LIST");
    std::ofstream list(file ? file : "/dev/null");
    for (const Words& one : all) list << fmt::format("{}:{}: {}\n", one.path, one.line, one.text);
    ASSERT_TRUE(list) << "The list cannot be written.";
}

TEST(PlainEnglish, FindsAPlantedHabit)
{
    const Habit headless{"comment start", "what", "a noun"};
    EXPECT_TRUE(has_habit("What is shown is left only for what can be opened.", headless));
    EXPECT_FALSE(has_habit("Shows what is open.", headless));
    EXPECT_FALSE(has_habit("Whatever", headless));
    EXPECT_FALSE(has_habit("what the field holds", headless)); // a clause about its line
    const Habit again{"comment", "anew", "again"};
    EXPECT_TRUE(has_habit("Compiles it anew.", again));
    EXPECT_EQ(as_words("WhatIsShown"), "what is shown");
    EXPECT_EQ(as_words("most_bytes_"), "most bytes");
}

TEST(PlainEnglish, CommentsAvoidHabits)
{
    expect_none("comment", comments(), false);
}

TEST(PlainEnglish, IdentifiersAvoidHabits)
{
    expect_none("identifier", identifiers(), true);
}

TEST(PlainEnglish, TestNamesAvoidHabits)
{
    expect_none("test", test_names(), true);
}

TEST(PlainEnglish, ListsComments)
{
    write_list(comments());
}

TEST(PlainEnglish, ListsNames)
{
    auto all = identifiers();
    const auto tests = test_names();
    all.insert(all.end(), tests.begin(), tests.end());
    write_list(all);
}

} // namespace
} // namespace lanescope::tree
