// The manual's page "Found in public code": its programs are the files of tests/programs/found, and
// `lanescope program` prints the findings that the page quotes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "compute/cuda/compile/toolkit.h"
#include "tests/support/program.h"

namespace lanescope::test {
namespace {

// One section of the page.
struct FoundProgram {
    std::string name; // file name without .cu
    std::string text;
    std::vector<std::string> findings; // each joined into one line
};

void PrintTo(const FoundProgram& one, std::ostream* out)
{
    *out << one.name;
}

std::filesystem::path found_folder()
{
    return LANESCOPE_SOURCE_DIR "/tests/programs/found";
}

// Parses a program's first line: "// NAME.cu: SEVERITY: KIND at line LINE".
std::smatch verdict_of(const std::string& text)
{
    static const std::regex verdict(R"(^// (\w+)\.cu: (fault|warning): (\w+) at line (\d+)\n)");
    std::smatch parts;
    std::regex_search(text, parts, verdict, std::regex_constants::match_continuous);
    return parts;
}

// Reads the page's fenced blocks: ```cuda begins a program, ``` a quoted finding.
std::vector<FoundProgram> found_programs()
{
    std::istringstream lines(
        read_file(LANESCOPE_SOURCE_DIR "/assets/manual/found_in_public_code.md"));
    std::vector<FoundProgram> programs;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("```")) continue;
        const bool is_program = line == "```cuda";
        std::string block;
        while (std::getline(lines, line) && line != "```") {
            if (!is_program && !block.empty()) block += ' ';
            block += line;
            if (is_program) block += '\n';
        }
        if (is_program) {
            const std::smatch verdict = verdict_of(block);
            programs.push_back({verdict.empty() ? "" : verdict[1].str(), block, {}});
        } else if (!programs.empty()) {
            programs.back().findings.push_back(block);
        }
    }
    return programs;
}

// Splits a report into lines and removes the path of the programs' folder.
std::vector<std::string> report_lines(const std::string& report)
{
    const std::string folder = found_folder().string() + '/';
    std::vector<std::string> lines;
    std::istringstream stream(report);
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with(folder)) line.erase(0, folder.size());
        lines.push_back(line);
    }
    return lines;
}

class FoundInPublicCode : public testing::TestWithParam<FoundProgram> {};

TEST_P(FoundInPublicCode, PageShowsTheFile)
{
    const FoundProgram& program = GetParam();
    EXPECT_EQ(program.text, read_file(found_folder() / (program.name + ".cu")));
    const auto lines = std::ranges::count(program.text, '\n');
    EXPECT_GE(lines, 12);
    EXPECT_LE(lines, 40);
}

TEST_P(FoundInPublicCode, FindingsAreAsQuoted)
{
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "Programs cannot load the CUDA runtime of a build with sanitizers.";
#endif
    if (!cuda::find_nvcc()) GTEST_SKIP() << "there is no nvcc";
    const FoundProgram& program = GetParam();
    const std::smatch verdict = verdict_of(program.text);
    ASSERT_FALSE(verdict.empty()) << "The first line does not name the finding.";
    ASSERT_FALSE(program.findings.empty()) << "The page quotes no finding.";
    // The quoted finding starts with NAME.cu:LINE: SEVERITY: KIND:
    EXPECT_THAT(program.findings.front(),
                testing::StartsWith(program.name + ".cu:" + verdict[4].str() + ": " +
                                    verdict[2].str() + ": " + verdict[3].str() + ": "));

    const std::string file = (found_folder() / (program.name + ".cu")).string();
    const Outcome outcome = run_program({"program", file});
    EXPECT_EQ(outcome.status, verdict[2] == "fault" ? 5 : 0) << outcome.errors;
    for (const std::string& finding : program.findings)
        EXPECT_THAT(report_lines(outcome.errors), testing::Contains(finding))
            << "assets/manual/found_in_public_code.md is stale. The report is:\n"
            << outcome.errors;
}

INSTANTIATE_TEST_SUITE_P(, FoundInPublicCode, testing::ValuesIn(found_programs()),
                         [](const auto& info) { return info.param.name; });

TEST(FoundPage, ShowsEveryFile)
{
    std::vector<std::string> shown;
    for (const FoundProgram& program : found_programs()) shown.push_back(program.name + ".cu");
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(found_folder()))
        files.push_back(entry.path().filename().string());
    EXPECT_THAT(shown, testing::UnorderedElementsAreArray(files));
}

} // namespace
} // namespace lanescope::test
