// Output of the commands: JSON that other programs rely on, help for every command, and no times
// without a GPU.
#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using nlohmann::json;

TEST(List, ListsEveryLabWithVariantsAndParameters)
{
    const Outcome outcome = run_program({"list", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const json list = json::parse(outcome.output);
    ASSERT_FALSE(list.at("labs").empty());
    for (const json& lab : list.at("labs")) {
        EXPECT_TRUE(lab.at("id").is_string());
        EXPECT_TRUE(lab.at("title").is_string());
        ASSERT_FALSE(lab.at("variants").empty());
        int rung = 0;
        for (const json& variant : lab.at("variants")) {
            EXPECT_TRUE(variant.at("id").is_string());
            EXPECT_TRUE(variant.at("title").is_string());
            EXPECT_EQ(variant.at("rung"), ++rung);
        }
        for (const json& parameter : lab.at("parameters")) {
            EXPECT_TRUE(parameter.at("unit").is_string());
            EXPECT_LE(parameter.at("min").get<double>(), parameter.at("default").get<double>());
            EXPECT_GE(parameter.at("max").get<double>(), parameter.at("default").get<double>());
        }
    }
}

TEST(List, IsReadableWithoutJson)
{
    const Outcome outcome = run_program({"list"});
    EXPECT_EQ(outcome.status, 0);
    for (const char* word : {"heat/naive", "heat/shared_tile", "heat/register_march", "size"})
        EXPECT_NE(outcome.output.find(word), std::string::npos) << word;
}

TEST(Run, ChecksEveryVariantWithoutTimesOnSimt)
{
    const Outcome outcome = run_program(
        {"run", "heat", "--device", "simt", "--set", "size=65", "--steps", "7", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const json runs = json::parse(outcome.output).at("runs");
    ASSERT_GE(runs.size(), 3u);
    for (const json& run : runs) {
        EXPECT_EQ(run.at("lab"), "heat");
        EXPECT_EQ(run.at("engine"), "simt");
        EXPECT_EQ(run.at("correct"), true) << run;
        // Steps are rounded up to whole launches, of which each makes several steps.
        const int launch_steps = run.at("steps_per_launch");
        EXPECT_EQ(run.at("steps"), (7 + launch_steps - 1) / launch_steps * launch_steps);
        EXPECT_LE(run.at("max_error").get<double>(), run.at("tolerance").get<double>());
        EXPECT_TRUE(run.at("median_ms").is_null());
        EXPECT_TRUE(run.at("gb_per_s").is_null());
    }
}

// A variant that copies its input has equal checksums for input and output.
TEST(Run, PrintsMemoryChecksums)
{
    const auto sums = [](const char* variant) {
        const Outcome outcome =
            run_program({"run", variant, "--device", "simt", "--steps", "1", "--json"});
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return json::parse(outcome.output).at("runs").at(0).at("memory_crc32");
    };
    const json copied = sums("transpose/copy");
    EXPECT_EQ(copied.at("from").get<std::string>().size(), 8u);
    EXPECT_EQ(copied.at("from"), copied.at("to"));
    const json transposed = sums("transpose/naive");
    EXPECT_EQ(transposed.at("from"), copied.at("from"));
    EXPECT_NE(transposed.at("to"), copied.at("to"));
    EXPECT_EQ(transposed, sums("transpose/tile"));
}

TEST(Run, PrintsReadableTable)
{
    const Outcome outcome =
        run_program({"run", "heat/naive", "--device", "simt", "--set", "size=33", "--steps", "2"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_NE(outcome.output.find("heat/naive"), std::string::npos);
    EXPECT_NE(outcome.output.find("simt shows no times"), std::string::npos);
}

TEST(Doctor, ReportsSharingPathAndAdvice)
{
    const Outcome outcome = run_program({"doctor", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const json report = json::parse(outcome.output);
    EXPECT_EQ(report.at("cuda").at("available"), false);
    EXPECT_FALSE(report.at("cuda").at("cure").get<std::string>().empty());
    EXPECT_TRUE(report.at("offscreen").at("renderer").is_string());
    EXPECT_EQ(report.at("engine"), "simt");
    EXPECT_EQ(report.at("sharing").at("path"), "simt_mapped");
    EXPECT_TRUE(report.at("versions").is_object());
    EXPECT_TRUE(report.at("advice").is_array());
    std::vector<std::string> checks;
    for (const json& check : report.at("sharing_checks")) {
        checks.push_back(check.at("id"));
        EXPECT_FALSE(check.at("evidence").get<std::string>().empty()) << check;
    }
    EXPECT_EQ(checks, (std::vector<std::string>{"gpu", "error_304", "remote", "wsl", "blackwell",
                                                "egl", "formats"}));
}

TEST(Doctor, IsReadableWithoutJson)
{
    const Outcome outcome = run_program({"doctor"});
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    for (const char* word : {"CUDA", "OpenGL", "ffmpeg"})
        EXPECT_NE(outcome.output.find(word), std::string::npos) << word;
}

const std::vector<std::string> commands{
    "list", "run",     "trace",     "emulate", "step",  "why",       "doubt",  "program",
    "shot", "record",  "sweep",     "bench",   "check", "occupancy", "layout", "slide",
    "page", "new-lab", "check-lab", "judge",   "serve", "doctor"};

class Help : public testing::TestWithParam<std::string> {};

TEST_P(Help, ExistsForEveryCommand)
{
    const Outcome outcome = run_program({GetParam(), "--help"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.output.find("--help"), std::string::npos);
    EXPECT_EQ(outcome.errors, "");
}

INSTANTIATE_TEST_SUITE_P(Commands, Help, testing::ValuesIn(commands), [](const auto& info) {
    std::string name = info.param; // GoogleTest allows no '-' in names
    std::ranges::replace(name, '-', '_');
    return name;
});

// The first words of the lines below "Subcommands:".
std::vector<std::string> listed_commands(const std::string& help)
{
    std::istringstream lines(help.substr(help.find("Subcommands:")));
    std::vector<std::string> listed;
    std::string line;
    for (std::getline(lines, line); std::getline(lines, line) && line.starts_with("  ");)
        if (line[2] != ' ') listed.push_back(line.substr(2, line.find(' ', 2) - 2));
    return listed;
}

TEST(ProgramHelp, ListsExactlyTheCommands)
{
    const Outcome outcome = run_program({"--help"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(listed_commands(outcome.output), commands);
    for (const char* word : {"--lab", "--session"})
        EXPECT_NE(outcome.output.find(word), std::string::npos) << word;
}

} // namespace
} // namespace lanescope::test
