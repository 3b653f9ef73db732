// trace --caches and emulate --caches: numbers that follow by hand from the kernel and its sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <fstream>

#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

// One warp loads a sector of its own twice and stores it, then adds to a counter.
const char* const own_kernel = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry own(.param .u64 numbers, .param .u64 sum)
{
    .reg .b32 %r<8>;
    .reg .b64 %d<6>;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %d1, [numbers];
    ld.param.u64 %d2, [sum];
    mul.wide.u32 %d3, %r1, 4;
    add.s64 %d4, %d1, %d3;
    ld.global.u32 %r2, [%d4];
    ld.global.u32 %r3, [%d4];
    ld.global.cg.u32 %r4, [%d4];
    add.s32 %r5, %r2, %r3;
    add.s32 %r5, %r5, %r4;
    st.global.u32 [%d4], %r5;
    red.global.add.u32 [%d2], 1;
    ret;
}
)";

class CachesOption : public testing::Test {
protected:
    CachesOption() { std::ofstream(folder / "own.ptx") << own_kernel; }
    static json caches_of(std::vector<std::string> command)
    {
        command.emplace_back("--json");
        const Outcome run = run_program(command);
        EXPECT_EQ(run.status, 0) << run.errors;
        return json::parse(run.output).at("caches");
    }
    std::vector<std::string> emulate(const std::vector<std::string>& more) const
    {
        std::vector<std::string> all{"emulate", (folder / "own.ptx").string(),
                                     "--grid",  "1",
                                     "--block", "32",
                                     "--arg",   "u32[32]:ramp",
                                     "--arg",   "u32[1]:zero"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    Folder folder;
};

TEST_F(CachesOption, VectorsAreReadFromMemoryOnceAndFitL2)
{
    const std::vector<std::string> command{"trace",      "vector_add", "--set",
                                           "size=65536", "--gpu",      "H100"};
    std::vector<std::string> cold_command = command, warm_command = command;
    cold_command.emplace_back("--caches");
    warm_command.emplace_back("--caches=warm");
    const json cold = caches_of(cold_command);
    EXPECT_EQ(cold.at("before"), "cold");
    EXPECT_EQ(cold.at("gpu"), "H100");
    // Two vectors of 65,536 floats are 2 × 8,192 sectors; no two warps share one.
    EXPECT_EQ(cold.at("l1").at("load_sectors"), 2 * 8192);
    EXPECT_EQ(cold.at("l1").at("load_hits"), 0);
    EXPECT_EQ(cold.at("dram").at("read_bytes"), 2 * 65536 * 4);
    EXPECT_EQ(cold.at("l2").at("written_bytes"), 65536 * 4);
    EXPECT_EQ(cold.at("dram").at("written_bytes"), 0); // the sums stay in L2
    const json warm = caches_of(warm_command);
    EXPECT_EQ(warm.at("before"), "warm");
    EXPECT_EQ(warm.at("l1").at("load_hits"), 0);
    EXPECT_EQ(warm.at("l2").at("read_bytes"), 2 * 65536 * 4);
    EXPECT_EQ(warm.at("dram").at("read_bytes"), 0);
}

TEST_F(CachesOption, ATransposeWritesEverySectorEightTimes)
{
    // 256 × 256 floats: rows are read whole, and every float of a column is a sector of its own.
    const json caches =
        caches_of({"trace", "transpose/naive", "--set", "size=256", "--gpu", "H100", "--caches"});
    EXPECT_EQ(caches.at("dram").at("read_sectors"), 256 * 256 / 8);
    EXPECT_EQ(caches.at("l2").at("written_sectors"), 256 * 256);
    EXPECT_EQ(caches.at("l1").at("store_sectors"), 256 * 256);
}

TEST_F(CachesOption, EachSiteSaysWhichLevelServedIt)
{
    for (const char* const checks : {"all", "none"}) {
        const json caches = caches_of(emulate({"--caches", "--checks", checks}));
        const json& sites = caches.at("sites");
        ASSERT_EQ(sites.size(), 5);
        const auto site = [](int l1, int l2, int dram, int written) {
            return json{{"l1", l1}, {"l2", l2}, {"dram", dram}, {"written", written}};
        };
        EXPECT_EQ(sites[0], site(0, 0, 4, 0));
        EXPECT_EQ(sites[1], site(4, 0, 0, 0));
        EXPECT_EQ(sites[2], site(0, 4, 0, 0)); // .cg
        EXPECT_EQ(sites[3], site(0, 0, 0, 4));
        EXPECT_EQ(sites[4], site(0, 0, 1, 1));
        EXPECT_EQ(caches.at("l1").at("store_hits"), 4);
        EXPECT_DOUBLE_EQ(caches.at("l1").at("load_hit_rate").get<double>(), 4.0 / 12);
    }
}

TEST_F(CachesOption, TheTextNamesGpuAndLevels)
{
    const Outcome run = run_program(emulate({"--caches=warm", "--gpu", "T4"}));
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_THAT(run.output, AllOf(HasSubstr("Caches of the T4, after the same launch"),
                                  HasSubstr("from L1"), HasSubstr("from DRAM"),
                                  HasSubstr("L1             384 B read, 128 B written, "
                                            "33.3% hits"),
                                  HasSubstr("DRAM           0 B read")));
    EXPECT_EQ(run_program(emulate({"--caches=hot"})).status, 2);
}

} // namespace
} // namespace lanescope::test
