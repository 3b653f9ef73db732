// emulate --tree: the data exchange of a user kernel as an SVG whose labels are text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The upper 32 of 64 threads pass values to the lower 32, in reverse; then a butterfly of 32.
const char* const own_reduction = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry own(.param .u64 numbers, .param .u64 sum)
{
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %d<6>;
    .reg .f32 %f<8>;
    .shared .align 4 .b8 part[256];
    mov.u32 %r1, %tid.x;
    ld.param.u64 %d1, [numbers];
    ld.param.u64 %d2, [sum];
    mul.wide.u32 %d3, %r1, 4;
    add.s64 %d4, %d1, %d3;
    ld.global.f32 %f1, [%d4];
    mov.u32 %r2, part;
    shl.b32 %r3, %r1, 2;
    add.s32 %r4, %r2, %r3;
    st.shared.f32 [%r4], %f1;
    bar.sync 0;
    setp.gt.u32 %p1, %r1, 31;
    @%p1 bra done;
    sub.s32 %r5, 252, %r3;
    add.s32 %r6, %r2, %r5;
    ld.shared.f32 %f2, [%r6];
    add.f32 %f1, %f1, %f2;
    mov.u32 %r7, 1;
again:
    mov.b32 %r8, %f1;
    shfl.sync.bfly.b32 %r9|%p2, %r8, %r7, 31, -1;
    mov.b32 %f3, %r9;
    add.f32 %f1, %f1, %f3;
    shl.b32 %r7, %r7, 1;
    setp.lt.u32 %p3, %r7, 32;
    @%p3 bra again;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra done;
    st.global.f32 [%d2], %f1;
done:
    ret;
}
)";

class Tree : public testing::Test {
protected:
    Tree() { std::ofstream(folder / "own.ptx") << own_reduction; }
    Outcome draw(const std::string& file, const std::vector<std::string>& more = {})
    {
        std::vector<std::string> all{"emulate", (folder / "own.ptx").string(),
                                     "--grid",  "1",
                                     "--block", "64",
                                     "--arg",   "f32[64]:ramp",
                                     "--arg",   "f32[1]:zero",
                                     "--tree",  (folder / file).string()};
        all.insert(all.end(), more.begin(), more.end());
        return run_program(all);
    }
    std::string text(const std::string& file) const
    {
        std::ostringstream all;
        all << std::ifstream(folder / file).rdbuf();
        return all.str();
    }
    Folder folder;
};

TEST_F(Tree, ShowsUserReduction)
{
    const Outcome outcome = draw("own.svg");
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const std::string svg = text("own.svg");
    EXPECT_THAT(svg, HasSubstr("own: block (0, 0), warp 0 of 2"));
    // Every lane receives one value from the other warp and five from partners. Only lane 0 stores:
    // it needs the other warp's 32 values, and 16, 8, 4, 2 and 1 values of the butterfly's steps.
    EXPECT_THAT(svg, HasSubstr("192 values in 6 steps, 63 of them needed"));
    EXPECT_THAT(svg, HasSubstr("from warp 1"));
    EXPECT_THAT(svg, HasSubstr("stored"));
}

TEST_F(Tree, ShowsWholeBlockAndWritesPdf)
{
    ASSERT_EQ(draw("block.svg", {"--tree-block"}).status, 0);
    EXPECT_THAT(text("block.svg"), HasSubstr("warp 1"));
    EXPECT_THAT(text("block.svg"), testing::Not(HasSubstr("from warp")));
    ASSERT_EQ(draw("own.pdf").status, 0);
    EXPECT_THAT(text("own.pdf"), testing::StartsWith("%PDF"));
}

TEST_F(Tree, ShowsFirstLaunchOfLab)
{
    const std::string file = (folder / "lab.svg").string();
    const Outcome outcome =
        run_program({"trace", "reduction/contiguous", "--set", "count=512", "--tree", file});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    // Warp 0 receives values from 32 threads in each of the first three rounds, then from 16, 8, 4,
    // 2 and 1.
    EXPECT_THAT(text("lab.svg"), HasSubstr("127 values in 8 steps"));
    EXPECT_THAT(text("lab.svg"), testing::Not(HasSubstr("needed for what is stored")));
}

// `shot` draws the tree too, of a built-in lab and of a lab in a folder.
TEST_F(Tree, ShotDrawsPictureAndFigure)
{
    const auto shot = [&](const std::string& lab, const std::string& file,
                          std::vector<std::string> more = {}) {
        std::vector<std::string> all{"shot", lab, "--show", "tree", "-o", (folder / file).string()};
        all.insert(all.end(), more.begin(), more.end());
        const Outcome outcome = run_program(all);
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return text(file);
    };
    EXPECT_THAT(shot("reduction/contiguous", "lab.svg", {"--set", "count=512"}),
                AllOf(HasSubstr("block (0, 0), warp 0 of"), HasSubstr("127 values in 8 steps")));
    EXPECT_THAT(shot("reduction/contiguous", "block.svg", {"--set", "count=512", "--tree-block"}),
                AllOf(HasSubstr("256 threads"), HasSubstr("255 values in 8 steps")));
    EXPECT_THAT(shot("reduction/contiguous", "lab.pdf"), testing::StartsWith("%PDF"));
    const std::string own = LANESCOPE_SOURCE_DIR "/tests/unit/labs/running_sum/blocks";
    EXPECT_THAT(shot(own, "own.svg"), HasSubstr("values in"));
}

TEST_F(Tree, ShotDrawsTilesAsPictureAndFigure)
{
    const auto shot = [&](const std::string& file) {
        const Outcome outcome =
            run_program({"shot", "matmul/tile_16", "--set", "size=64", "--view", "tiles", "--warp",
                         "40", "--request", "2", "-o", (folder / file).string()});
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        return text(file);
    };
    // Block 5 of a 4 × 4 grid reads 16 rows of A and 16 columns of B, each element once.
    EXPECT_THAT(shot("tiles.svg"),
                AllOf(HasSubstr("block (1, 1) of 4 × 4, load 3 of 4"), HasSubstr("a, 64 × 64"),
                      HasSubstr("loaded: 1,024, 1× each"), HasSubstr("by all blocks: 4× each"),
                      HasSubstr("stored: 256")));
    EXPECT_THAT(shot("tiles.pdf"), testing::StartsWith("%PDF"));
}

TEST_F(Tree, TilesAcceptEveryViewName)
{
    const std::filesystem::path lab = folder / "product";
    std::filesystem::copy(LANESCOPE_SOURCE_DIR "/compute/labs/matmul", lab);
    std::string record = read_file(lab / "lab.json");
    for (const auto& [from, to] : {std::pair{R"({"tiles": ["a", "b", "c"]})",
                                             R"({"id": "loads", "tiles": ["a", "b", "c"]})"},
                                   std::pair{R"("view": "tiles")", R"("view": "loads")"}}) {
        const std::size_t at = record.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        for (std::size_t i = at; i != std::string::npos; i = record.find(from, i))
            record.replace(i, std::strlen(from), to);
    }
    std::ofstream(lab / "lab.json") << record;
    const Outcome outcome =
        run_program({"shot", lab.string() + "/tile_16", "--set", "size=64", "--view", "loads",
                     "--warp", "40", "--request", "2", "-o", (folder / "tiles.svg").string()});
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_THAT(text("tiles.svg"), AllOf(HasSubstr("block (1, 1) of 4 × 4, load 3 of 4"),
                                         HasSubstr("loaded: 1,024, 1×")));
}

TEST_F(Tree, RefusesUndrawableKernels)
{
    EXPECT_EQ(draw("own.png").status, 2);
    const Outcome far = draw("far.svg", {"--tree-warp", "2"});
    EXPECT_EQ(far.status, 3);
    EXPECT_THAT(far.errors, HasSubstr("There is no warp 2"));
    EXPECT_EQ(draw("gpu.svg", {"--device", "cuda"}).status, 2);
}

} // namespace
} // namespace lanescope::test
