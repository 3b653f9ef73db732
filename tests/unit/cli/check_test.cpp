// `lanescope check` reports a card whose verdict differs from the recorded one, or a question of a
// lecture without a right answer, and exits with 1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <tuple>

#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using testing::HasSubstr;

// A card whose claim needs no counting, to keep the test fast, and a card whose claim is counted.
const std::string right_card = R"(card: A warp has 32 lanes
source: the test
test: with no branch | lanes_per_instruction(coalescing/row_threads, size=32) | = 32
verdict: right
because: There are {lanes_per_instruction(coalescing/row_threads, size=32)}.

card: Columns are as cheap as rows
source: the test
test: a load | sectors_per_load(coalescing/column_threads, size=64) | = 4
verdict: wrong
because: It is the counts that say so.
)";

Outcome check(const std::string& text)
{
    const Folder folder;
    std::ofstream(folder / "claims.txt") << text;
    return run_program({"check", (folder / "claims.txt").string()});
}

std::string with(std::string text, const std::string& from, const std::string& to)
{
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(Check, Succeeds)
{
    const Outcome outcome = check(right_card);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("2 cards; all verdicts match the record."));
}

TEST(Check, UnexpectedCardResultIsError)
{
    const Outcome verdict = check(with(right_card, "verdict: right", "verdict: wrong"));
    EXPECT_EQ(verdict.status, 1) << verdict.errors;
    EXPECT_THAT(verdict.output, HasSubstr("right; it was recorded as: wrong"));
    EXPECT_THAT(verdict.output, HasSubstr("1 differ from the record"));

    const Outcome count = check(with(right_card, "size=64) | = 4", "size=64) | = 32"));
    EXPECT_EQ(count.status, 1) << count.errors;
    EXPECT_THAT(count.output, HasSubstr("right; it was recorded as: wrong"));
}

// A file of built-in cards in which one verdict has been changed.
TEST(Check, BuiltInCardsAreCheckedToo)
{
    const Folder folder;
    const std::string text = read_file(LANESCOPE_SOURCE_DIR "/assets/cards/work.txt");
    std::ofstream(folder / "work.txt") << with(text, "verdict: right\n", "verdict: wrong\n");
    const Outcome outcome = run_program({"check", (folder / "work.txt").string(), "--json"});
    EXPECT_EQ(outcome.status, 1) << outcome.errors;
}

TEST(Check, QuestionWithoutAnswerIsError)
{
    const std::string lecture =
        "lecture: One\nbeat: A\nshow: coalescing/row_threads, size=64\nask: How many?\n"
        "choice: few | < 2\nchoice: many | > 30\n"
        "reveal: sectors_per_load(coalescing/row_threads, size=64)\n";
    EXPECT_EQ(check(lecture).status, 1);
    EXPECT_EQ(check(with(lecture, "< 2", "< 5")).status, 0);
}

// A valid lecture, then with one mistake at a time.
TEST(Check, DetectsBrokenSentencePageOrChoice)
{
    const std::string lecture =
        "lecture: One\nbeat: A\nshow: transpose/tile, size=64\nask: How many?\n"
        "choice: 4\nchoice: 32\nreveal: wavefronts_per_shared_load(transpose/tile, size=64)\n"
        "map: bank_conflicts\nbecause: It takes {16 + 16} wavefronts on an H100.\n"
        "beat: B\npage: sweep\n";
    const Outcome sound = check(lecture);
    EXPECT_EQ(sound.status, 0) << sound.errors;
    const std::tuple<const char*, const char*, const char*> broken[] = {
        {"{16 + 16}", "32", "line 2: \"because\" hard-codes the number \"32\""},
        {"choice: 32", "choice: 30",
         "matches no choice; it misses \"4\" by 700.0%, \"30\" by 6.7%"},
        {"choice: 4", "choice: 31.5", "matches 2 choices"},
        {"transpose/tile, size=64\nask", "transpose/naive, size=64\nask",
         "The map bank_conflicts has nothing to show for transpose/naive."},
        {"map: bank_conflicts", "map: texel_requests",
         "The map texel_requests has nothing to show for transpose/tile."},
        {"map: bank_conflicts", "map: bank_conflicts\npage: source",
         "The page \"source\" covers the map bank_conflicts"},
        {"map: bank_conflicts", "map: bank_conflicts\ntree: warp",
         "The map bank_conflicts is not visible"},
        {"page: sweep", "show: faults/out_of_bounds\npage: timings",
         "The page \"timings\" has nothing to show for faults/out_of_bounds."},
    };
    for (const auto& [from, to, words] : broken) {
        const Outcome outcome = check(with(lecture, from, to));
        EXPECT_EQ(outcome.status, 1) << to << outcome.errors;
        EXPECT_THAT(outcome.errors, HasSubstr(words));
    }
}

TEST(Check, BuiltInLessonsLecturesAndCardsPass)
{
    const Outcome outcome = run_program({"check"});
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("no problems found"));
}

} // namespace
} // namespace lanescope::test
