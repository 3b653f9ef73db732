// Basic blocks and reconvergence points of small hand-written bodies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/ptx/control_flow/cfg.h"
#include "tests/unit/ptx/texts.h"

namespace lanescope::ptx {
namespace {

using testing::ElementsAre;

struct Body {
    Module module;
    ControlFlow flow;
    explicit Body(std::string_view text)
        : module(parse_body(text)), flow(control_flow(module, module.functions[0]))
    {
    }
    int label(const std::string& name) const { return module.functions[0].labels.at(name); }
};

TEST(ControlFlow, Diamond)
{
    const Body body("@%p1 bra B; add.u32 %r1, %r1, 1; bra C; B: add.u32 %r1, %r1, 2; C: ret;");
    ASSERT_EQ(body.flow.blocks.size(), 4u);
    EXPECT_THAT(body.flow.blocks[0].successors, ElementsAre(1, 2));
    EXPECT_THAT(body.flow.blocks[1].successors, ElementsAre(3));
    EXPECT_THAT(body.flow.blocks[3].successors, ElementsAre(body.flow.exit()));
    EXPECT_EQ(body.flow.reconvergence(0), body.label("C"));
}

TEST(ControlFlow, LoopWithBreakAndContinue)
{
    const Body body("L: @%p1 bra NEXT; @%p2 bra OUT; add.u32 %r1, %r1, 1;\n"
                    "NEXT: add.u32 %r2, %r2, 1; @%p3 bra L; OUT: ret;");
    EXPECT_EQ(body.flow.reconvergence(0), body.label("OUT"));
    EXPECT_EQ(body.flow.reconvergence(1), body.label("OUT"));
    EXPECT_EQ(body.flow.reconvergence(4), body.label("OUT"));
}

TEST(ControlFlow, EarlyReturnReconvergesAtEnd)
{
    const Body body("@%p1 bra WORK; ret; WORK: add.u32 %r1, %r1, 1; ret;");
    EXPECT_EQ(body.flow.reconvergence(0), -1);
    const Body guarded("@%p1 ret; add.u32 %r1, %r1, 1; @%p2 bra E; mov.u32 %r1, 1; E: ret;");
    EXPECT_THAT(guarded.flow.blocks[0].successors, ElementsAre(1, guarded.flow.exit()));
    EXPECT_EQ(guarded.flow.reconvergence(2), guarded.label("E"));
}

TEST(ControlFlow, Nested)
{
    const Body body("@%p1 bra ELSE; @%p2 bra IN; mov.u32 %r1, 1; IN: mov.u32 %r1, 2; bra END;\n"
                    "ELSE: mov.u32 %r1, 3; END: ret;");
    EXPECT_EQ(body.flow.reconvergence(0), body.label("END"));
    EXPECT_EQ(body.flow.reconvergence(1), body.label("IN"));
}

TEST(ControlFlow, Irreducible)
{
    const Body body("@%p1 bra B; A: add.u32 %r1, %r1, 1; @%p2 bra OUT; B: add.u32 %r1, %r1, 2; "
                    "@%p3 bra A; OUT: ret;");
    EXPECT_EQ(body.flow.reconvergence(0), body.label("OUT"));
    EXPECT_EQ(body.flow.reconvergence(2), body.label("OUT"));
    EXPECT_EQ(body.flow.reconvergence(4), body.label("OUT"));
}

TEST(ControlFlow, Table)
{
    const Body body("T: .branchtargets A, B, C, A; brx.idx %r1, T; A: bra E; B: bra E; C: mov.u32 "
                    "%r1, 1; E: ret;");
    EXPECT_EQ(body.flow.blocks[0].successors.size(), 3u);
    EXPECT_EQ(body.flow.reconvergence(0), body.label("E"));
    EXPECT_THAT(branch_targets(body.module.functions[0], body.module.functions[0].instructions[0]),
                ElementsAre(1, 2, 3, 1));
}

TEST(ControlFlow, EndlessLoopAndUnreachableBlocks)
{
    const Body body("@%p1 bra SPIN; bra E; mov.u32 %r1, 1; SPIN: @%p2 bra SKIP; mov.u32 %r1, 2; "
                    "SKIP: bra SPIN; E: ret;");
    EXPECT_EQ(body.flow.reconvergence(0), -1);
    EXPECT_EQ(body.flow.reconvergence(3), body.label("SKIP"));
    for (int postdominator : body.flow.immediate_postdominator) EXPECT_GE(postdominator, 0);
}

TEST(ControlFlow, NoReturnCall)
{
    const std::string text =
        ".version 8.0 .target sm_75 .address_size 64\n.extern .func stop .noreturn;\n"
        ".entry k() { .reg .pred %p<3>; @%p1 bra GO; call stop; GO: bar.sync 0; ret; }";
    const Module module = parse(text);
    const ControlFlow flow = control_flow(module, *module.find_function("k"));
    EXPECT_THAT(flow.blocks[1].successors, ElementsAre(flow.exit()));
    EXPECT_EQ(flow.reconvergence(0), -1);
}

TEST(ControlFlow, LabelAtEndAndEmptyBody)
{
    const Body body("@%p1 bra E; mov.u32 %r1, 1; E:");
    EXPECT_EQ(body.flow.reconvergence(0), -1);
    EXPECT_TRUE(Body("").flow.blocks.empty());
}

TEST(ControlFlow, LongChainsAreFast)
{
    std::string text;
    for (int i = 0; i < 20000; ++i)
        text +=
            "@%p1 bra L" + std::to_string(i) + "; mov.u32 %r1, 1; L" + std::to_string(i) + ":\n";
    const Body body(text + "ret;");
    EXPECT_EQ(body.flow.reconvergence(0), 2);
    EXPECT_EQ(body.flow.reconvergence(39998), 40000);
}

} // namespace
} // namespace lanescope::ptx
