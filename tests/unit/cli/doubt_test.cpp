// `doubt`: kernels whose results differ between compilations for a known reason, and PTX texts with
// one wrong instruction.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/program.h"

namespace lanescope {
namespace {

using nlohmann::json;
using test::Folder;
using test::Outcome;
using test::run_program;
using testing::HasSubstr;

std::string kernel(const std::string& name)
{
    return LANESCOPE_SOURCE_DIR "/tests/unit/cli/doubt/" + name;
}

Outcome doubt(const std::string& name, const std::vector<std::string>& more)
{
    std::vector<std::string> words{"doubt", kernel(name)};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
}

// The report of a run that must end with this status.
json report(const std::string& name, std::vector<std::string> more, int status = 1)
{
    more.push_back("--json");
    const Outcome outcome = doubt(name, more);
    EXPECT_EQ(outcome.status, status) << outcome.output << outcome.errors;
    return outcome.output.empty() ? json::object() : json::parse(outcome.output);
}

std::vector<std::string> one_block(const std::string& threads,
                                   const std::vector<std::string>& arguments)
{
    std::vector<std::string> words{"--grid", "1", "--block", threads};
    for (const std::string& argument : arguments) {
        words.emplace_back("--arg");
        words.push_back(argument);
    }
    return words;
}

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more)
{
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

// The cause of this kind; fails the test if there is none.
json cause(const json& report, const std::string& kind)
{
    for (const json& one : report.at("causes"))
        if (one.at("kind") == kind) return one;
    ADD_FAILURE() << "no " << kind << " in " << report.dump(1);
    return json::object();
}

// --- Planted differences of the front end ---

const std::vector<std::string> products =
    one_block("32", {"f32[32]:random:1", "f32[32]:random:2", "f32[32]:random:3", "f32[32]:zero"});

TEST(Doubt, ContractionIsRoundingAndBothAreCorrect)
{
    const json found = report("contraction.cu", products);
    EXPECT_EQ(found["culprit"], "rounding");
    EXPECT_EQ(found["first_difference"]["line"], 7);
    EXPECT_EQ(cause(found, "contraction")["line"], 7);
    EXPECT_THAT(found["verdict"].get<std::string>(), HasSubstr("--fmad=false"));
}

TEST(Doubt, WithoutContractionTheResultsAreEqual)
{
    const json found = report("contraction.cu", with(products, {"--with=--fmad=false"}), 0);
    EXPECT_EQ(found["culprit"], "none");
    EXPECT_EQ(found["different"], 0);
    EXPECT_EQ(found["compared"], 128);
}

TEST(Doubt, ToleranceAcceptsRounding)
{
    EXPECT_EQ(report("contraction.cu", with(products, {"--tolerance", "1e-5"}), 0)["different"], 0);
}

TEST(Doubt, SignedOverflowInLoopIsKernelsFault)
{
    const json found = report("overflow.cu", one_block("4", {"i32[4]:zero", "i32:2147483640"}));
    EXPECT_EQ(found["culprit"], "kernel");
    EXPECT_EQ(found["first_difference"]["line"], 6);
    EXPECT_THAT(cause(found, "signed_overflow")["sentence"].get<std::string>(),
                HasSubstr("2147483647 + 1"));
    EXPECT_EQ(found["versions"][0]["value"], "7");
    EXPECT_EQ(found["versions"][1]["value"], "10");
}

TEST(Doubt, UninitialisedVariableIsKernelsFault)
{
    const json found = report("uninitialised.cu", one_block("4", {"i32[16]:zero", "i32[4]:zero"}));
    EXPECT_EQ(found["culprit"], "kernel");
    EXPECT_EQ(cause(found, "uninitialised")["line"], 7);
}

TEST(Doubt, MissingBarrierIsKernelsFaultEvenIfResultsAgree)
{
    const json found = report("race.cu", one_block("64", {"i32[64]:ramp", "i32[64]:zero"}), 5);
    EXPECT_EQ(found["culprit"], "kernel");
    EXPECT_EQ(found["different"], 0);
    EXPECT_EQ(cause(found, "race")["line"], 6);
}

TEST(Doubt, IndexOutsideLocalArrayIsKernelsFault)
{
    const json found = report("local_index.cu", one_block("4", {"i32[]:0,1,2,-1", "i32[4]:zero"}));
    EXPECT_EQ(found["culprit"], "kernel");
    EXPECT_EQ(found["first_difference"]["line"], 7);
    EXPECT_THAT(cause(found, "local_index")["sentence"].get<std::string>(),
                HasSubstr("writes small[-1], but the array has 4 elements"));
}

TEST(Doubt, OverlappingRestrictPointersAreKernelsFault)
{
    const json found = report("aliasing.cu", one_block("4", {"i32[4]:zero", "@0", "i32[4]:zero"}));
    EXPECT_EQ(found["culprit"], "kernel");
    EXPECT_EQ(found["element"], "out[0]");
    EXPECT_EQ(found["first_difference"]["line"], 7);
    EXPECT_THAT(cause(found, "restrict")["sentence"].get<std::string>(), HasSubstr("line 6"));
}

TEST(Doubt, WideShiftIsKernelsFault)
{
    const json found = report("shift.cu", one_block("4", {"u32[4]:ramp", "u32[4]:zero"}));
    EXPECT_EQ(found["culprit"], "kernel");
    EXPECT_EQ(cause(found, "wide_shift")["line"], 6);
}

TEST(Doubt, FastDivisionIsAnApproximation)
{
    const std::vector<std::string> launch =
        one_block("32", {"f32[32]:random:1", "f32[32]:random:2", "f32[32]:zero"});
    const json found = report("division.cu", with(launch, {"--with=--use_fast_math"}));
    EXPECT_EQ(found["culprit"], "rounding");
    EXPECT_EQ(found["first_difference"]["line"], 5);
    EXPECT_THAT(cause(found, "approximation")["sentence"].get<std::string>(),
                HasSubstr("div.approx"));
    EXPECT_EQ(report("division.cu", launch, 0)["culprit"], "none");
}

TEST(Doubt, GuessedLaunchIsComparedToo)
{
    const Outcome outcome = doubt("division.cu", {});
    EXPECT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
    EXPECT_THAT(outcome.output, HasSubstr("-G and -O3 give the same results"));
}

TEST(Doubt, LabsAreComparedToo)
{
    const Outcome outcome = run_program({"doubt", "transpose/naive"});
    EXPECT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
}

// --- Two PTX texts ---

const std::vector<std::string> words_of_rows =
    one_block("4", {"u32[]:1,2,3,4,5,6,7,8,9,10,4026531840,12,13,14,15,16", "u32[4]:zero"});

TEST(Doubt, FindsWrongInstruction)
{
    const json found =
        report("mix.ptx", with(words_of_rows, {"--against", kernel("mix_wrong.ptx")}));
    EXPECT_EQ(found["different"], 1);
    EXPECT_EQ(found["element"], "argument 1[2]");
    EXPECT_EQ(found["culprit"], "texts");
    EXPECT_EQ(found["first_difference"]["ptx_line"], 24);
    EXPECT_EQ(found["first_difference"]["text"], "shr.u32 %r6, %r4, 29;");
    EXPECT_EQ(cause(found, "different_instruction")["ptx_line"], 24);
}

TEST(Doubt, FindsWrongCondition)
{
    const json found =
        report("mix.ptx", with(words_of_rows, {"--against", kernel("mix_short.ptx")}));
    EXPECT_EQ(found["different"], 4);
    EXPECT_EQ(found["first_difference"]["ptx_line"], 30);
}

TEST(Doubt, EqualTextsAgree)
{
    const json found = report("mix.ptx", with(words_of_rows, {"--against", kernel("mix.ptx")}), 0);
    EXPECT_EQ(found["culprit"], "none");
}

// --- Expected values ---

TEST(Doubt, DifferingExpectedElementLeadsToItsInstruction)
{
    const json found =
        report("mix.ptx", with(words_of_rows, {"--expect", "1[0]=7", "--expect", "1[1]=1046"}));
    EXPECT_EQ(found["element"], "argument 1[0]");
    EXPECT_EQ(found["culprit"], "expectation");
    EXPECT_EQ(found["first_difference"]["ptx_line"], 27);
    EXPECT_EQ(found["first_difference"]["text"], "add.u32 %r2, %r8, %r3;");
    EXPECT_THAT(found["first_difference"]["sentence"].get<std::string>(), HasSubstr("%r8 ="));
}

// Row 1: the words 5 to 8, each times 40, and 0 to 3: 26 · 40 + 6.
TEST(Doubt, ExpectedValuesComeInSeveralForms)
{
    const Folder folder;
    std::ofstream(folder / "all.json") << R"({"1": {"1": 1046}})";
    std::ofstream(folder / "list.json") << "[null, 1046]";
    {
        std::ofstream raw(folder / "raw.bin", std::ios::binary);
        for (const unsigned value : {406u, 1046u}) {
            for (int i = 0; i < 4; ++i) raw.put(static_cast<char>(value >> 8 * i));
        }
    }
    const std::vector<std::string> forms{
        "1[1]=1046",
        "1[1]=0x416",
        "1=u32[]:406,1046",
        (folder / "all.json").string(),
        "1=" + (folder / "list.json").string(),
        "1=" + (folder / "raw.bin").string(),
    };
    for (const std::string& form : forms) {
        const json found = report("mix.ptx", with(words_of_rows, {"--expect", form}), 0);
        EXPECT_EQ(found["culprit"], "none") << form;
    }
    std::ofstream(folder / "wrong.json") << "[null, 1047]";
    const json wrong = report(
        "mix.ptx", with(words_of_rows, {"--expect", "1=" + (folder / "wrong.json").string()}));
    EXPECT_EQ(wrong["element"], "argument 1[1]");
}

// The results of mix_wrong.ptx, as if ptxas had made a signed shift of the unsigned one.
TEST(Doubt, OneInstructionExplainsGpuResults)
{
    const json found =
        report("mix.ptx", with(words_of_rows, {"--got", "1=u32[]:406,1046,1241,2326"}));
    EXPECT_EQ(found["culprit"], "ptxas");
    EXPECT_EQ(found["element"], "argument 1[2]");
    EXPECT_EQ(found["compared"], 4);
    ASSERT_EQ(found["explanations"].size(), 1) << found.dump(1);
    EXPECT_EQ(found["explanations"][0]["ptx_line"], 24);
    EXPECT_EQ(found["explanations"][0]["instead"], "shr.s32 %r6, %r4, 29;");
    EXPECT_EQ(found["first_difference"]["ptx_line"], 24);
}

TEST(Doubt, ContractionInTheAssemblerExplainsAnExpectedValue)
{
    const std::vector<std::string> launch =
        one_block("1", {"f32[]:1.0001", "f32[]:0.9999", "f32[]:-1", "f32[1]:zero"});
    const json wrong = report("fused.ptx", with(launch, {"--expect", "3[0]=-7"}));
    EXPECT_EQ(wrong["culprit"], "expectation");
    // 1.0001 · 0.9999 − 1, rounded once, as by ptxas -O3; the rounded product is 1.
    const std::string fused = "3[0]=0xb22bdb10";
    EXPECT_EQ(report("fused.ptx", with(launch, {"--expect", fused}), 0)["different"], 0);
    const json found = report("fused.ptx", with(launch, {"--expect", "3[0]=0"}));
    EXPECT_EQ(found["culprit"], "rounding") << found.dump(1);
    EXPECT_EQ(cause(found, "contraction")["ptx_line"], 28);
}

// --- The reproduction ---

TEST(Doubt, ReproductionIsSmallAndRepeatsTheDifference)
{
    const Folder folder;
    const std::string place = (folder / "small").string();
    const json found =
        report("contraction.cu", {"--grid", "2", "--block", "32", "--arg", "f32[32]:random:1",
                                  "--arg", "f32[32]:random:2", "--arg", "f32[32]:random:3", "--arg",
                                  "f32[32]:zero", "-o", place});
    EXPECT_EQ(found["reproduction"], place);
    const json record = json::parse(test::read_file(folder / "small" / "lab.json"));
    EXPECT_THAT(record.dump(), HasSubstr("contraction"));
    const Outcome again = run_program({"doubt", place, "--json"});
    EXPECT_EQ(again.status, 1) << again.output << again.errors;
    const json repeated = json::parse(again.output);
    EXPECT_EQ(repeated["first_difference"]["line"], found["first_difference"]["line"]);
    EXPECT_EQ(repeated["different"], 1); // of 6: the last thread is the only one that differs
    EXPECT_EQ(run_program({"run", place, "--device", "simt"}).status, 0);
}

TEST(Doubt, ReproductionOfTextsHasBoth)
{
    const Folder folder;
    const std::string place = (folder / "texts").string();
    report("mix.ptx", with(words_of_rows, {"--against", kernel("mix_wrong.ptx"), "-o", place}));
    const Outcome again =
        run_program({"doubt", place, "--against", place + "/second.ptx", "--json"});
    EXPECT_EQ(again.status, 1) << again.output << again.errors;
    EXPECT_EQ(json::parse(again.output)["first_difference"]["ptx_line"], 24);
}

TEST(Doubt, NonEmptyFolderIsRefused)
{
    const Folder folder;
    std::ofstream(folder / "mine") << "x";
    const Outcome outcome = doubt("contraction.cu", with(products, {"-o", folder.path().string()}));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("is not empty"));
}

// --- Usage ---

TEST(Doubt, OneTextNeedsSomethingToCompareWith)
{
    const Outcome outcome = doubt("mix.ptx", words_of_rows);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("nothing to be compared with"));
}

TEST(Doubt, BadExpectationsAreRefused)
{
    for (const char* form : {"1[9]=3", "1[x]=3", "1[0]=many", "nothing"})
        EXPECT_EQ(doubt("mix.ptx", with(words_of_rows, {"--expect", form})).status, 2) << form;
    for (const char* form : {"7[0]=3", "1=no_such_file.bin"})
        EXPECT_EQ(doubt("mix.ptx", with(words_of_rows, {"--expect", form})).status, 3) << form;
}

TEST(Doubt, DifferentParametersAreRefused)
{
    const Outcome outcome =
        doubt("mix.ptx", with(words_of_rows, {"--against", kernel("fused.ptx")}));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("take different parameters"));
}

// The kernels of both texts have the same name, so the message gives the text's.
TEST(Doubt, NamesEndlessVersion)
{
    const Outcome outcome =
        doubt("mix.ptx", with(words_of_rows, {"--against", kernel("mix_endless.ptx")}));
    EXPECT_EQ(outcome.status, 5);
    EXPECT_THAT(outcome.errors, HasSubstr("mix_endless.ptx: In kernel "));
}

TEST(Doubt, TextNamesLineAndVerdict)
{
    const Outcome outcome = doubt("contraction.cu", products);
    EXPECT_THAT(outcome.output, HasSubstr("First difference: line 7: out[i] = product + square;"));
    EXPECT_THAT(outcome.output, HasSubstr("Verdict: Both are right"));
}

} // namespace
} // namespace lanescope
