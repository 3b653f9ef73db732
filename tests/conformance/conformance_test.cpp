// Every case on the lockstep machine compared with its recording, one test per group.
#include <filesystem>

#include <gtest/gtest.h>

#include "compute/simt/simt_device.h"
#include "tests/conformance/case.h"
#include "tests/conformance/recording.h"

namespace lanescope::conformance {
namespace {

const std::filesystem::path recorded =
    std::filesystem::path(LANESCOPE_SOURCE_DIR) / "tests/conformance/recorded";

class Conformance : public testing::TestWithParam<std::string> {};

TEST_P(Conformance, MatchesRecording)
{
    const Recording recording = read_recording(recorded / (GetParam() + ".rec"));
    const auto machine = simt::make_device();
    for (const Case& test : all_cases()) {
        if (test.group != GetParam() || !test.recorded) continue;
        const auto found = recording.find(test.name);
        if (found == recording.end()) {
            ADD_FAILURE() << test.name << " has no recording";
            continue;
        }
        if (found->second.checksum != checksum(test)) {
            ADD_FAILURE() << test.name << " was recorded with another kernel or other inputs";
            continue;
        }
        try {
            EXPECT_EQ(difference(test, run(*machine, test), found->second.outputs), "");
        } catch (const std::exception& error) {
            ADD_FAILURE() << test.name << ": " << error.what();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Groups, Conformance, testing::ValuesIn(all_groups()),
                         [](const auto& information) { return information.param; });

TEST(ConformanceCases, CoverMinimumNumber)
{
    EXPECT_GE(all_cases().size(), 200u);
}

} // namespace
} // namespace lanescope::conformance
