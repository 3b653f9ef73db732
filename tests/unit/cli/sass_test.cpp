// Counts of the executed SASS next to those of the PTX, with and without NVIDIA's assembler and
// disassembler.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <tuple>
#include <vector>

#include "compute/assembled/tools.h"
#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

const Environment without_disassembler{{"LANESCOPE_NVDISASM", "/nonexistent/nvdisasm"}};

#define NEED_SASS()                                                                                \
    if (const std::string missing = assembled::find_tools().missing; !missing.empty())             \
    GTEST_SKIP() << missing

Outcome trace_of(const std::string& variant, std::vector<std::string> more,
                 const Environment& environment = {})
{
    std::vector<std::string> words{"trace", variant, "--device", "simt"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, environment);
}

TEST(SassOption, ReportsBothCounts)
{
    NEED_SASS();
    const Outcome outcome = trace_of("divergence/matrix_edges", {"--sass", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const json trace = json::parse(outcome.output);
    EXPECT_EQ(trace.at("counts"), "ptx");
    EXPECT_EQ(trace.at("reconvergence"), "sass sm_90");
    EXPECT_EQ(trace.at("totals").at("shared_load").at("wavefronts"), 87'808);
    const json& made = trace.at("assembled");
    EXPECT_EQ(made.at("architecture"), "sm_90");
    EXPECT_EQ(made.at("totals").at("shared_load").at("wavefronts"), 65'856);
    ASSERT_EQ(made.at("sites").size(), trace.at("sites").size());
    int merged = 0, parts = 0;
    for (const json& site : made.at("sites")) {
        merged += site.at("as") == "merged";
        parts += site.at("as") == "part";
    }
    EXPECT_EQ(merged, 4);
    EXPECT_EQ(parts, 12);

    const Outcome words = trace_of("divergence/matrix_edges", {"--sass", "--ptx"});
    EXPECT_THAT(words.output, HasSubstr("LDS.128"));
    EXPECT_THAT(words.output, HasSubstr("As assembled for sm_90"));
    EXPECT_THAT(words.output, HasSubstr("As the PTX has it"));
}

// A step with several launches of one kernel, and one with several kernels from one file.
TEST(SassOption, CountsStepsOfSeveralLaunches)
{
    NEED_SASS();
    for (const auto& [variant, ptx_wavefronts, sass_wavefronts] :
         {std::tuple{"scan/blelloch", 50'464, 46'368}, {"scan/three_passes", 1'056, 576}}) {
        const Outcome outcome = trace_of(variant, {"--sass", "--json"});
        ASSERT_EQ(outcome.status, 0) << outcome.errors;
        const json trace = json::parse(outcome.output);
        EXPECT_EQ(trace.at("totals").at("shared_load").at("wavefronts"), ptx_wavefronts) << variant;
        ASSERT_TRUE(trace.contains("assembled")) << variant;
        const json& made = trace.at("assembled");
        EXPECT_EQ(made.at("totals").at("shared_load").at("wavefronts"), sass_wavefronts) << variant;
        ASSERT_EQ(made.at("sites").size(), trace.at("sites").size());
        int merged = 0;
        for (std::size_t i = 0; i < made.at("sites").size(); ++i) {
            const json& site = made.at("sites")[i];
            if (site.at("as") != "merged") continue;
            ++merged;
            for (const auto member : site.at("members").get<std::vector<std::size_t>>()) {
                EXPECT_EQ(trace.at("sites").at(member).at("space"), "shared");
                if (member == i) continue;
                EXPECT_EQ(made.at("sites").at(member).at("leader"), i);
            }
        }
        EXPECT_GT(merged, 0) << variant;
        EXPECT_THAT(trace_of(variant, {"--sass"}).output, HasSubstr("As assembled for sm_90"));
    }
}

TEST(SassOption, OtherArchitectureAndPtxFallback)
{
    NEED_SASS();
    const Outcome outcome =
        trace_of("transpose/tile", {"--sass=sm_80", "--reconverge", "ptx", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const json trace = json::parse(outcome.output);
    EXPECT_EQ(trace.at("assembled").at("architecture"), "sm_80");
    EXPECT_EQ(trace.at("reconvergence"), "ptx");
    const json plain = json::parse(trace_of("transpose/tile", {"--json"}).output);
    EXPECT_FALSE(plain.contains("assembled"));
    EXPECT_EQ(plain.at("totals"), trace.at("totals"));
}

TEST(SassOption, FallsBackToPtxWithoutDisassembler)
{
    const Outcome outcome = trace_of("transpose/tile", {"--sass", "--json"}, without_disassembler);
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const json trace = json::parse(outcome.output);
    EXPECT_THAT(trace.at("assembled").at("unavailable").get<std::string>(), HasSubstr("nvdisasm"));
    EXPECT_EQ(trace.at("reconvergence"), "ptx");
    EXPECT_GT(trace.at("totals").at("shared_load").at("wavefronts"), 0);

    const Outcome words = trace_of("transpose/tile", {"--sass"}, without_disassembler);
    EXPECT_THAT(words.output, HasSubstr("All counts refer to the PTX."));
    EXPECT_THAT(words.output, HasSubstr("pip install"));
    EXPECT_THAT(words.output, Not(HasSubstr("As assembled")));
}

TEST(SassOption, ComparisonsHaveSeparateColumn)
{
    const auto compared = [](const Environment& environment) {
        return json::parse(
            trace_of("heat/naive", {"--set", "size=64", "--compare", "--json"}, environment)
                .output);
    };
    for (const json& line : compared(without_disassembler).at("counts"))
        EXPECT_TRUE(line.at("assembled").is_null());
    EXPECT_THAT(compared(without_disassembler).at("notes").dump(), HasSubstr("nvdisasm"));
    NEED_SASS();
    for (const json& line : compared({}).at("counts")) EXPECT_FALSE(line.at("assembled").is_null());
    const json scan = json::parse(trace_of("scan/three_passes", {"--compare", "--json"}).output);
    for (const json& line : scan.at("counts")) EXPECT_FALSE(line.at("assembled").is_null());
}

TEST(Texels, SitesHaveRequestsAndModelledSectors)
{
    const Outcome outcome =
        trace_of("rotate/texture_point", {"--set", "size=64", "--set", "angle=30", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const json trace = json::parse(outcome.output);
    const json& loads = trace.at("totals").at("texture_load");
    EXPECT_EQ(loads.at("requests"), 64 * 64 / 32);
    EXPECT_GT(loads.at("modelled_sectors").get<int>(), 64 * 64 * 4 / 32);
    EXPECT_EQ(trace.at("totals").at("global_load").at("requests"), 0);
    bool found = false;
    for (const json& site : trace.at("sites"))
        if (site.at("space") == "texture") {
            found = true;
            EXPECT_EQ(site.at("executions"), loads.at("requests"));
            EXPECT_EQ(site.at("lanes"), 64 * 64);
        }
    EXPECT_TRUE(found);
    EXPECT_THAT(trace_of("rotate/texture_point", {"--set", "size=64"}).output,
                HasSubstr("by a model of the layout"));
}

} // namespace
} // namespace lanescope::test
