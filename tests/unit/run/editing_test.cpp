// Trial runs of kernel source before it is shown: errors appear at their lines, faults and endless
// loops cause messages, and validated sources have counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "app/document/experiment/journal.h"
#include "app/run/editing/compiling.h"
#include "app/run/editing/complaints.h"
#include "compute/error.h"
#include "tests/support/mutation.h"

namespace lanescope::app {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

using Kind = TextOutcome::Kind;

class TrialRun : public testing::Test {
protected:
    TrialRun() { compile_labs_with_cuda(); }

    static std::string text_of(const char* lab, const char* variant)
    {
        const labs::Lab& found = labs::find(lab);
        return std::string(found.source(labs::find_variant(found, variant)));
    }
    static std::string replaced(std::string text, const std::string& from, const std::string& to)
    {
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return text.replace(at, from.size(), to);
    }
    static int line_of(const std::string& text, const std::string& part)
    {
        return 1 + static_cast<int>(std::count(
                       text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(part)),
                       '\n'));
    }
    static ValidationJob job_for(const char* lab, const char* variant, const std::string& text,
                                 const std::map<std::string, std::string>& values)
    {
        const labs::Lab& found = labs::find(lab);
        labs::Edited edited = labs::with_edited_variant(found, variant, text);
        labs::Values all(found);
        for (const auto& [id, value] : values) all.set(id, value);
        ValidationJob job;
        job.texts = std::move(edited.texts);
        job.variant = edited.variant;
        job.start.values = as_texts(found, all);
        return job;
    }
    ValidationResult heat(const std::string& text, const char* size = "64")
    {
        return validate_texts(job_for("heat", "naive", text, {{"size", size}}), trials_);
    }

    const std::string naive_ = text_of("heat", "naive");
    Trials trials_;
};

TEST_F(TrialRun, ValidatedTextIsCountedWithOriginal)
{
    const ValidationResult made = heat(naive_ + "\n// more\n");
    const TextOutcome& outcome = *made.outcome;
    ASSERT_EQ(outcome.kind, Kind::validated) << outcome.sentence;
    EXPECT_EQ(outcome.variant, "naive_edited");
    EXPECT_EQ(outcome.lab, labs::open_texts(*outcome.texts).place);
    ASSERT_TRUE(outcome.cost && made.original);
    EXPECT_EQ(outcome.cost->values.at("size"), "64");
    EXPECT_EQ(outcome.cost->reduced, "");
    EXPECT_GT(outcome.cost->totals.warp_instructions, 0u);
    EXPECT_EQ(outcome.cost->totals.warp_instructions, made.original->totals.warp_instructions);
    EXPECT_EQ(outcome.cost->trace->sites.front().line, made.original->trace->sites.front().line);
    // The counts of a trial run are kept, so that the next edit need not count this source again.
    const labs::Lab& lab = labs::find(outcome.lab);
    EXPECT_EQ(trials_.count(lab, labs::find_variant(lab, outcome.variant), {outcome.values, 1, ""}),
              outcome.cost);
}

TEST_F(TrialRun, WarningsAppearAtTheirLines)
{
    const std::string text = replaced(naive_, "int x =", "int nobody_reads_me = 3;\n    int x =");
    const TextOutcome outcome = *heat(text).outcome;
    EXPECT_EQ(outcome.kind, Kind::validated) << outcome.sentence;
    ASSERT_EQ(outcome.complaints.size(), 1u);
    const Complaint& first = outcome.complaints.front();
    EXPECT_TRUE(first.warning);
    EXPECT_EQ(first.file, "naive_edited.cu");
    EXPECT_EQ(first.line, line_of(text, "nobody_reads_me"));
    EXPECT_THAT(first.sentence, HasSubstr("nobody_reads_me"));
    EXPECT_THAT(first.detail, Not(HasSubstr("suppressed")));
    EXPECT_EQ(outcome.sentence, "");
}

TEST_F(TrialRun, ErrorsAppearAtTheirLines)
{
    const std::string text = replaced(naive_, "int x =", "int x = unknown_name +");
    const TextOutcome outcome = *heat(text).outcome;
    EXPECT_EQ(outcome.kind, Kind::refused);
    EXPECT_EQ(outcome.lab, "");
    ASSERT_FALSE(outcome.complaints.empty());
    const Complaint& first = outcome.complaints.front();
    EXPECT_EQ(first.file, "naive_edited.cu");
    EXPECT_EQ(first.line, line_of(text, "unknown_name"));
    EXPECT_THAT(first.sentence, HasSubstr("unknown_name is not declared here"));
    EXPECT_THAT(first.detail, HasSubstr("identifier \"unknown_name\" is undefined"));
    EXPECT_THAT(outcome.sentence, HasSubstr("naive_edited.cu, line"));
}

TEST_F(TrialRun, EndlessLoopIsStopped)
{
    const auto begin = std::chrono::steady_clock::now();
    const std::string text =
        replaced(naive_, "int x =", "volatile int one = 1; while (one) {}\n int x =");
    const TextOutcome outcome = *heat(text).outcome;
    EXPECT_TRUE(outcome.kind == Kind::stopped || outcome.kind == Kind::fault) << outcome.sentence;
    ASSERT_FALSE(outcome.complaints.empty());
    EXPECT_GT(outcome.complaints.front().line, 0);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s) << "on a busy machine";
}

TEST_F(TrialRun, OutOfBoundsAccessIsReportedAtLine)
{
    const std::string text = replaced(naive_, "next[", "next[1000000000 + ");
    const TextOutcome outcome = *heat(text).outcome;
    EXPECT_EQ(outcome.kind, Kind::fault) << outcome.sentence;
    ASSERT_FALSE(outcome.complaints.empty());
    EXPECT_EQ(outcome.complaints.front().line, line_of(text, "next[1000000000"));
}

TEST_F(TrialRun, RaceIsReportedAtLine)
{
    std::string text = text_of("heat", "shared_tile");
    const std::string line = "__syncthreads();";
    text = replaced(text, line, "");
    const TextOutcome outcome =
        *validate_texts(job_for("heat", "shared_tile", text, {{"size", "64"}}), trials_).outcome;
    EXPECT_EQ(outcome.kind, Kind::fault) << outcome.sentence;
    ASSERT_FALSE(outcome.complaints.empty());
    EXPECT_GT(outcome.complaints.front().line, 0);
}

TEST_F(TrialRun, PrintfFloodIsStopped)
{
    const std::string text =
        "#include <cstdio>\n" +
        replaced(naive_, "int x =",
                 "for (int i = 0; i < 1000000000; ++i) printf(\"flood %d\\n\", i);\n int x =");
    testing::internal::CaptureStdout();
    const TextOutcome outcome = *heat(text).outcome;
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_NE(outcome.kind, Kind::validated) << outcome.sentence;
}

TEST_F(TrialRun, LargeLabIsTriedAtTestSize)
{
    const ValidationResult made = heat(naive_ + "\n// large\n", "8192");
    ASSERT_EQ(made.outcome->kind, Kind::validated) << made.outcome->sentence;
    ASSERT_TRUE(made.outcome->cost && made.original);
    EXPECT_NE(made.outcome->cost->reduced, "");
    EXPECT_EQ(made.outcome->cost->values, made.original->values) << "both at the same size";
}

TEST_F(TrialRun, RecordErrorIsReportedAtItsPosition)
{
    ValidationJob job = job_for("heat", "naive", naive_ + "//", {});
    labs::Texts texts = *job.texts;
    texts.files["lab.json"] += "}";
    job.texts = std::move(texts);
    const TextOutcome outcome = *validate_texts(job, trials_).outcome;
    EXPECT_EQ(outcome.kind, Kind::refused);
    ASSERT_EQ(outcome.complaints.size(), 1u);
    EXPECT_EQ(outcome.complaints.front().file, "lab.json");
    EXPECT_GT(outcome.complaints.front().line, 0);
}

TEST_F(TrialRun, MissingCompilerSuggestsFix)
{
    labs::compile_with([](std::string_view, const std::filesystem::path&,
                          const std::filesystem::path&) -> std::string {
        throw device::DeviceError("There is no compiler.", "Install one.");
    });
    const TextOutcome outcome = *heat(naive_ + "\n// nobody compiles this\n").outcome;
    EXPECT_EQ(outcome.kind, Kind::no_compiler);
    EXPECT_EQ(outcome.sentence, "There is no compiler. Install one.");
}

// A small sample of mutated sources; tests/bench/edit_bench runs thousands.
TEST_F(TrialRun, MutatedTextsNeverCrash)
{
    std::mt19937 random(16);
    int validated = 0;
    int refused = 0;
    for (const char* lab : {"heat", "reduction", "transpose"}) {
        const labs::Lab& found = labs::find(lab);
        for (int i = 0; i < 8; ++i) {
            const labs::Variant& variant = found.variants[random() % found.variants.size()];
            const std::string text = test::mutated(found.source(variant), random);
            const TextOutcome outcome =
                *validate_texts(job_for(lab, variant.id.c_str(), text, found.test_sizes.front()),
                                trials_)
                     .outcome;
            validated += outcome.kind == Kind::validated;
            refused += outcome.kind == Kind::refused;
            if (outcome.kind != Kind::validated) {
                EXPECT_NE(outcome.sentence, "") << text;
            }
        }
    }
    EXPECT_GT(validated, 0);
    EXPECT_GT(refused, 0);
}

TEST_F(TrialRun, NewestTextWins)
{
    Compiling compiling;
    for (int i = 0; i < 20; ++i) {
        compiling.want(
            job_for("heat", "naive", naive_ + "// " + std::to_string(i), {{"size", "64"}}));
        std::this_thread::sleep_for(5ms);
    }
    const auto end = std::chrono::steady_clock::now() + 60s;
    std::unique_ptr<const ValidationResult> came;
    while (!came && std::chrono::steady_clock::now() < end) {
        came = compiling.take();
        std::this_thread::sleep_for(5ms);
    }
    ASSERT_TRUE(came);
    EXPECT_THAT(came->outcome->texts->files.at("naive_edited.cu"), testing::EndsWith("// 19"));
    EXPECT_EQ(compiling.take(), nullptr) << "once";
    EXPECT_FALSE(compiling.in_progress());
}

TEST(Complaints, ParsesBothCompilers)
{
    const auto all =
        complaints_in("heat/naive_edited.cu(12): error: expected a \";\"\n"
                      "      int y = 3\n"
                      "      ^\n"
                      "\n"
                      "heat/naive_edited.cu(14): warning #177-D: variable \"k\" was "
                      "declared but never referenced\n"
                      "\n"
                      "heat/naive_edited.cu(15): warning #549-D: variable \"k\" is used before "
                      "its value is set\n"
                      "\n"
                      "1 error detected in the compilation of \"heat/naive_edited.cu\".\n",
                      "naive_edited.cu");
    ASSERT_EQ(all.size(), 2u) << "k may be used in the line with the error";
    EXPECT_EQ(all[0].file, "naive_edited.cu");
    EXPECT_EQ(all[0].line, 12);
    EXPECT_EQ(all[0].column, 5);
    EXPECT_EQ(all[0].sentence, "A semicolon is missing before this.");
    EXPECT_FALSE(all[0].warning);
    EXPECT_TRUE(all[1].warning);
    EXPECT_EQ(all[1].sentence, "k is read before it has a value.");
    const auto unused = warnings_in("a.cu(14): warning #177-D: variable \"k\" was declared but "
                                    "never referenced\n");
    ASSERT_EQ(unused.size(), 1u) << "nothing else is wrong";
    EXPECT_EQ(unused[0].sentence, "k is never used.");
    const auto host = complaints_in("/x/a.cu:3:7: fatal error: y.h: No such file\n", "a.cu");
    ASSERT_EQ(host.size(), 1u);
    EXPECT_EQ(host[0].line, 3);
    EXPECT_EQ(host[0].column, 7);
    const auto odd = complaints_in("nvrtc: error: something else", "a.cu");
    ASSERT_EQ(odd.size(), 1u);
    EXPECT_EQ(odd[0].line, 0);
    EXPECT_EQ(odd[0].file, "a.cu");
}

TEST(Complaints, PauseLastsTwoCompilations)
{
    EXPECT_EQ(pause_after({}), 100ms);
    EXPECT_EQ(pause_after({20, 30, 24}), 100ms);
    EXPECT_EQ(pause_after({90, 200, 150}), 300ms);
    EXPECT_EQ(pause_after({9000}), 1000ms);
}

} // namespace
} // namespace lanescope::app
