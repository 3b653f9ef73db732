// Launches of which --sample checks only some blocks: the report says so first.
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

// Each thread increments its element; the threads of block `wrong` store different
// values to one word.
constexpr const char* text = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry adds(.param .u64 data, .param .u32 wrong)
{
    .reg .pred %p;
    .reg .b32 %i, %n, %v, %t, %w;
    .reg .b64 %data, %at;
    .shared .align 4 .b8 tile[256];
    ld.param.u64 %data, [data];
    ld.param.u32 %w, [wrong];
    mov.u32 %i, %ctaid.x;
    mov.u32 %n, %ntid.x;
    mov.u32 %t, %tid.x;
    setp.ne.u32 %p, %i, %w;
    mad.lo.u32 %i, %i, %n, %t;
    mul.wide.u32 %at, %i, 4;
    add.u64 %at, %at, %data;
    ld.global.u32 %v, [%at];
    @%p bra right;
    st.shared.u32 [tile], %t;
right:
    add.u32 %v, %v, 1;
    st.global.u32 [%at], %v;
    ret;
}
)";

class Sampled : public testing::Test {
protected:
    Sampled() { std::ofstream(file()) << text; }
    std::string file() const { return (folder_ / "adds.ptx").string(); }
    Outcome run(const std::vector<std::string>& more, const std::string& blocks = "512",
                const std::string& wrong = "100000") const
    {
        std::vector<std::string> all{"emulate", file(),      "--grid",  blocks,
                                     "--block", "64",        "--arg",   "u32[32768]:ramp",
                                     "--arg",   wrong + "u", "--print", "0:2:u32"};
        all.insert(all.end(), more.begin(), more.end());
        return run_program(all);
    }

private:
    Folder folder_;
};

std::string first_line(const std::string& output)
{
    return output.substr(0, output.find('\n'));
}

TEST_F(Sampled, FirstLineSaysHowMuchWasChecked)
{
    const Outcome sampled = run({"--sample"});
    ASSERT_EQ(sampled.status, 0) << sampled.errors;
    EXPECT_THAT(first_line(sampled.output),
                MatchesRegex("checked: [0-9]+ of 512 blocks \\(first, last, edges, others by seed "
                             "1\\); bounds in all"));
    const Outcome whole = run({});
    ASSERT_EQ(whole.status, 0) << whole.errors;
    EXPECT_EQ(sampled.output.substr(sampled.output.find('\n') + 1), whole.output);
    EXPECT_THAT(first_line(run({"--sample", "--sample-seed", "7"}).output),
                HasSubstr("others by seed 7"));
}

TEST_F(Sampled, SmallLaunchesAreCheckedCompletely)
{
    EXPECT_EQ(first_line(run({"--sample"}, "100").output),
              "checked: all 100 blocks, because the launch has fewer than 256");
}

TEST_F(Sampled, MistakeInLastBlockIsFound)
{
    const Outcome found = run({"--sample"}, "512", "511");
    EXPECT_EQ(found.status, 5);
    EXPECT_THAT(first_line(found.output), HasSubstr("; not all blocks have run"));
    EXPECT_THAT(found.errors, HasSubstr("line 21"));
}

TEST_F(Sampled, JsonHasBlocks)
{
    const Outcome sampled = run({"--sample", "--json"});
    ASSERT_EQ(sampled.status, 0) << sampled.errors;
    const auto checked = nlohmann::json::parse(sampled.output).at("checked");
    EXPECT_EQ(checked.at("of"), 512);
    EXPECT_LT(checked.at("blocks"), 512);
    EXPECT_EQ(checked.at("seed"), 1);
    EXPECT_EQ(checked.at("stopped"), false);
    EXPECT_FALSE(checked.contains("reason"));
    EXPECT_FALSE(nlohmann::json::parse(run({"--json"}).output).contains("checked"));
}

TEST_F(Sampled, NeedsChecksOfSimulator)
{
    EXPECT_EQ(run({"--sample", "--checks", "none"}).status, 2);
    EXPECT_EQ(run({"--sample", "--device", "cuda"}).status, 2);
    EXPECT_EQ(run({"--sample", "--keep-going", "3"}).status, 2);
    EXPECT_EQ(run({"--sample-seed", "3"}).status, 2);
    EXPECT_EQ(run_program({"program", file(), "--sample", "--quick"}).status, 2);
}

} // namespace
} // namespace lanescope::test
