// Lowering of accesses by the assembler: small kernels, each with one expected transformation.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "compute/assembled/assembly.h"
#include "compute/assembled/meeting.h"
#include "compute/error.h"
#include "tests/unit/assembled/tools.h"

namespace lanescope::assembled {
namespace {

using testing::ElementsAre;
using trace::AssembledAs;

// A kernel `k(data)`: %rd2 is data's global address, %r1 the thread index, %rd4 the thread's 16 B.
std::string kernel(std::string_view body)
{
    return fmt::format(R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 data)
{{
.reg .pred %p<20>;
.reg .b32 %r<40>;
.reg .f32 %f<40>;
.reg .b64 %rd<40>;
.shared .align 16 .b8 tile[4096];
ld.param.u64 %rd1, [data];
cvta.to.global.u64 %rd2, %rd1;
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd3, %r1, 16;
add.s64 %rd4, %rd2, %rd3;
{}
ret;
}}
)",
                       body);
}

trace::Assembled assembled(const std::string& text)
{
    const ptx::Module module = ptx::parse(text);
    return assembled_sites(module, ptx::sites_of(module, "k"), "k", *assemble(text));
}

TEST(AssembledSites, AdjacentSharedLoadsAreMerged)
{
    NEED_SASS();
    const auto made = assembled(kernel(R"(
mov.u32 %r2, tile;
shl.b32 %r3, %r1, 4;
add.s32 %r4, %r2, %r3;
st.shared.u32 [%r4+2048], %r1;
bar.sync 0;
ld.shared.u32 %r5, [%r4+12];
ld.shared.u32 %r6, [%r4];
ld.shared.u32 %r7, [%r4+8];
ld.shared.u32 %r8, [%r4+4];
xor.b32 %r9, %r5, %r6;
mul.lo.u32 %r10, %r7, %r8;
xor.b32 %r11, %r9, %r10;
st.global.u32 [%rd4], %r11;
)"))
                          .sites;
    ASSERT_EQ(made.size(), 6u);
    EXPECT_EQ(made[0].as, AssembledAs::itself);
    const auto leader = std::ranges::find(made, AssembledAs::merged, &trace::AssembledSite::as);
    ASSERT_NE(leader, made.end());
    EXPECT_EQ(leader->width_bytes, 16);
    EXPECT_THAT(leader->members, ElementsAre(2, 4, 3, 1)) << "in order of their addresses";
    const std::array<int, 4> offsets{-12, 0, -8, -4};
    for (int site = 1; site <= 4; ++site) {
        const auto& one = made[static_cast<std::size_t>(site)];
        EXPECT_EQ(one.offset, offsets[static_cast<std::size_t>(site - 1)]) << site;
        EXPECT_EQ(one.width_bytes, 16);
    }
    EXPECT_EQ(std::ranges::count(made, AssembledAs::part, &trace::AssembledSite::as), 3);
    EXPECT_EQ(made[5].as, AssembledAs::itself);
    EXPECT_EQ(made[5].copies, 1);
    EXPECT_THAT(made[5].sass.front(), testing::HasSubstr("STG"));
}

TEST(AssembledSites, EquivalentBaseRegistersAreNeighbours)
{
    NEED_SASS();
    const auto made = assembled(kernel(R"(
mov.u32 %r2, tile;
shl.b32 %r3, %r1, 3;
add.s32 %r4, %r2, %r3;
add.s32 %r5, %r4, 4;
st.shared.u32 [%r4+2048], %r1;
bar.sync 0;
ld.shared.u32 %r6, [%r4];
ld.shared.u32 %r7, [%r5];
xor.b32 %r8, %r6, %r7;
st.global.u32 [%rd4], %r8;
)"))
                          .sites;
    EXPECT_EQ(made[1].width_bytes, 8);
    EXPECT_EQ(made[2].width_bytes, 8);
    EXPECT_EQ(made[1].as == AssembledAs::merged, made[2].as == AssembledAs::part);
    EXPECT_NE(made[1].as, made[2].as);
}

// Two of three adjacent words are loaded separately, both at the line of the first PTX load.
TEST(AssembledSites, SeparateNeighbourLoadsStaySeparate)
{
    NEED_SASS();
    const auto made = assembled(kernel(R"(
mov.u32 %r2, tile;
shl.b32 %r3, %r1, 4;
add.s32 %r4, %r2, %r3;
st.shared.u32 [%r4+2048], %r1;
bar.sync 0;
ld.shared.u32 %r5, [%r4+8];
ld.shared.u32 %r6, [%r4];
xor.b32 %r7, %r5, %r6;
st.global.u32 [%rd4], %r7;
)"))
                          .sites;
    ASSERT_EQ(made.size(), 4u);
    for (const int site : {1, 2}) {
        const trace::AssembledSite& one = made[static_cast<std::size_t>(site)];
        EXPECT_EQ(one.as, AssembledAs::itself) << site;
        ASSERT_EQ(one.copies, 1) << site;
        EXPECT_EQ(one.width_bytes, 4) << site;
    }
    EXPECT_THAT(made[1].sass.front(), testing::HasSubstr("+0x8]"));
    EXPECT_THAT(made[2].sass.front(), testing::Not(testing::HasSubstr("+0x8]")));
}

// Atomic increments at different addresses, without using the results.
TEST(AssembledSites, SharedIncrementMergesEqualAddresses)
{
    NEED_SASS();
    const auto made = assembled(kernel(R"(
mov.u32 %r2, tile;
ld.global.u32 %r3, [%rd4];
and.b32 %r4, %r3, 255;
shl.b32 %r5, %r4, 2;
add.s32 %r6, %r2, %r5;
atom.shared.add.u32 %r7, [%r6], 1;
bar.sync 0;
ld.shared.u32 %r8, [%r6];
st.global.u32 [%rd4], %r8;
)"))
                          .sites;
    EXPECT_EQ(made[1].as, AssembledAs::summed) << testing::PrintToString(made[1].sass);
}

TEST(AssembledSites, OneLaneAddsForWholeWarp)
{
    NEED_SASS();
    const auto made = assembled(kernel("red.global.add.u32 [%rd2], 1;")).sites;
    EXPECT_EQ(made[0].as, AssembledAs::aggregated) << testing::PrintToString(made[0].sass);
    const auto apart = assembled(kernel("red.global.add.u32 [%rd4], 1;")).sites;
    EXPECT_EQ(apart[0].as, AssembledAs::itself);
}

TEST(AssembledSites, UnreadLoadIsRemoved)
{
    NEED_SASS();
    const auto made = assembled(kernel("ld.global.u32 %r2, [%rd4];")).sites;
    EXPECT_EQ(made[0].as, AssembledAs::removed);
    EXPECT_EQ(made[0].copies, 0);
}

TEST(AssembledSites, ShortBranchBecomesPredicate)
{
    NEED_SASS();
    const auto made = assembled(kernel(R"(
setp.gt.u32 %p1, %r1, 7;
@%p1 bra done;
st.global.u32 [%rd4], %r1;
done:
st.global.u32 [%rd4+8], %r1;
)"))
                          .sites;
    EXPECT_TRUE(made[1].predicated);
    EXPECT_EQ(made[1].as, AssembledAs::itself);
    EXPECT_FALSE(made[2].predicated);
}

// A loop of eight iterations without stores, which assemblers unroll.
TEST(AssembledSites, UnrolledLoopHasCopies)
{
    NEED_SASS();
    const auto made = assembled(kernel(R"(
mov.u32 %r2, 0;
mov.u32 %r4, 0;
loop:
ld.global.u32 %r3, [%rd4];
add.u32 %r2, %r2, 1;
add.s64 %rd4, %rd4, 512;
xor.b32 %r4, %r4, %r3;
setp.lt.u32 %p1, %r2, 8;
@%p1 bra loop;
st.global.u32 [%rd2], %r4;
)"))
                          .sites;
    EXPECT_EQ(made[0].as, AssembledAs::itself);
    EXPECT_GT(made[0].copies, 1);
    EXPECT_EQ(made[0].sass.size(), static_cast<std::size_t>(made[0].copies));
    EXPECT_EQ(made.back().copies, 1);
}

// Lanes that diverge in a fall-through switch reconverge in several steps in the SASS, but the
// PTX's control flow shows only the last one.
TEST(Reconvergence, PointsComeFromSass)
{
    NEED_SASS();
    std::string body = "ld.global.u32 %r2, [%rd4];\nmov.u32 %r3, 0;\n";
    for (int i = 0; i < 8; ++i)
        body += fmt::format("setp.eq.u32 %p{}, %r2, {};\n@%p{} bra case{};\n", i + 1, i, i + 1, i);
    body += "bra.uni done;\n";
    for (int i = 0; i < 8; ++i)
        body += fmt::format("case{}:\nld.global.u32 %r{}, [%rd4+{}];\nmad.lo.u32 %r3, %r3, %r{}, "
                            "%r{};\nst.global.u32 [%rd4+{}], %r3;\n",
                            i, 10 + i, 64 * i + 64, 10 + i, 10 + i, 64 * i + 1024);
    body += "done:\nbar.warp.sync -1;\nst.global.u32 [%rd4], %r3;\n";
    const std::string text = kernel(body);
    ptx::Module module = ptx::parse(text);
    EXPECT_TRUE(module.meetings_of.empty());
    EXPECT_GT(fill_reconvergence_points(module, *assemble(text)), 0);
    EXPECT_EQ(module.meetings_of, "sm_90");
    const ptx::Function& function = module.functions.front();
    const int done = function.labels.at("done");
    for (const auto& [branch, places] : function.meetings) {
        ASSERT_FALSE(places.empty());
        EXPECT_EQ(places.back(), done) << "the outermost is where all are together again";
        for (int place : places) EXPECT_GT(place, branch);
    }
}

// A text for sm_90a is assembled for that, because sm_90 is refused.
TEST(Tools, TextsForOneGpu)
{
    NEED_SASS();
    EXPECT_NE(assemble(".version 8.0\n.target sm_90a\n.address_size 64\n"
                       ".visible .entry k() { wgmma.fence.sync.aligned; ret; }\n",
                       "sm_90")
                  ->find("k"),
              nullptr);
}

TEST(Tools, ReportMissingOrFailingTools)
{
    NEED_SASS();
    EXPECT_THROW(assemble("no PTX at all"), Error);
    EXPECT_THROW(assemble(kernel(""), "sm_12345"), Error);
    setenv("LANESCOPE_NVDISASM", "/nonexistent/nvdisasm", 1);
    EXPECT_THAT(find_tools().missing, testing::HasSubstr("nvdisasm"));
    EXPECT_THROW(assemble(kernel("st.global.u32 [%rd4+4000], %r1;")), Error);
    unsetenv("LANESCOPE_NVDISASM");
}

} // namespace
} // namespace lanescope::assembled
