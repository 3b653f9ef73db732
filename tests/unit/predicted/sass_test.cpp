// Tests reading SASS: registers, executions of blocks, and the time of one warp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/predicted/chain.h"
#include "compute/predicted/flow.h"
#include "compute/predicted/operands.h"

namespace lanescope::predicted {
namespace {

using assembled::SassFunction;
using assembled::SassInstruction;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

constexpr Register r(int number)
{
    return static_cast<Register>(number);
}
constexpr Register ur(int number)
{
    return static_cast<Register>(256 + number);
}
constexpr Register p(int number)
{
    return static_cast<Register>(512 + number);
}

SassInstruction instruction(std::string opcode, std::string operands, std::string guard = {},
                            int line = 0)
{
    SassInstruction made;
    made.opcode = std::move(opcode);
    made.operands = std::move(operands);
    made.guard = std::move(guard);
    made.ptx_line = line;
    return made;
}

TEST(SassOperands, LoadWritesAsManyRegistersAsItsWidth)
{
    const Operands of = operands_of(instruction("LDG.E.128", "R4, desc[UR6][R2.64+0x10]"));
    EXPECT_THAT(of.written, ElementsAre(r(4), r(5), r(6), r(7)));
    EXPECT_THAT(of.read, UnorderedElementsAre(ur(6), ur(7), r(2), r(3)));
}

TEST(SassOperands, StoreOnlyReads)
{
    const Operands of = operands_of(instruction("STS.64", "[R6+UR4], R8", "@!P2"));
    EXPECT_TRUE(of.written.empty());
    EXPECT_THAT(of.read, testing::IsSupersetOf({p(2), r(6), r(8), r(9)}));
}

TEST(SassOperands, ComparisonWritesPredicates)
{
    const Operands of = operands_of(instruction("ISETP.GE.AND", "P0, PT, R0, UR4, PT"));
    EXPECT_THAT(of.written, ElementsAre(p(0)));
    EXPECT_THAT(of.read, UnorderedElementsAre(r(0), ur(4)));
}

TEST(SassOperands, CarryIsWrittenAfterTheRegister)
{
    const Operands of = operands_of(instruction("IADD3", "R4, P0, R6, R7, RZ"));
    EXPECT_THAT(of.written, ElementsAre(r(4), p(0)));
    EXPECT_THAT(of.read, ElementsAre(r(6), r(7)));
}

TEST(SassOperands, WideProductWritesAPair)
{
    const Operands of = operands_of(instruction("IMAD.WIDE", "R2, R0, 0x8, R4"));
    EXPECT_THAT(of.written, ElementsAre(r(2), r(3)));
    EXPECT_THAT(of.read, UnorderedElementsAre(r(0), r(4), r(5)));
}

TEST(SassOperands, NumbersBeyondTheFileAreNotRegisters)
{
    EXPECT_TRUE(operands_of(instruction("MOV", "R256, RZ")).written.empty());
    EXPECT_TRUE(operands_of(instruction("MOV", "R99999999999, RZ")).written.empty());
}

TEST(SassOperands, RegistersOfASmallKernelAreSixteen)
{
    SassFunction function{"k", {instruction("MOV", "R3, RZ")}};
    EXPECT_EQ(registers_of(function), 16);
    function.instructions.push_back(instruction("LDG.E.128", "R24, desc[UR6][R2.64]"));
    EXPECT_EQ(registers_of(function), 27 + 3);
}

// A loop of which the assembler made four copies, with a remainder of one copy.
SassFunction unrolled()
{
    SassFunction function{"k", {}};
    auto& all = function.instructions;
    all.push_back(instruction("MOV", "R2, RZ", {}, 1));
    for (int copy = 0; copy < 4; ++copy)
        all.push_back(instruction("LDG.E", "R4, desc[UR6][R2.64]", {}, 2));
    all.push_back(instruction("BRA", "`(.L_x_1)", "@P0", 3));
    all.back().targets = {1};
    all.push_back(instruction("LDG.E", "R4, desc[UR6][R2.64]", {}, 2));
    all.push_back(instruction("EXIT", "", {}, 4));
    return function;
}

Accesses counted(std::uint64_t executions)
{
    Accesses accesses;
    Access& load = accesses[2];
    load.site.space = trace::Space::global;
    load.site.op = trace::Op::load;
    load.counts.executions = load.counts.requests = load.counts.lines = executions;
    load.counts.sectors = 4 * executions;
    load.served.l2 = 4 * executions;
    Access& branch = accesses[3];
    branch.site.op = trace::Op::branch;
    branch.counts.executions = executions;
    return accesses;
}

TEST(SassFlow, CopiesShareTheExecutionsOfTheirLine)
{
    const SassFunction function = unrolled();
    std::vector<Block> blocks = blocks_of(function);
    ASSERT_EQ(blocks.size(), 3);
    EXPECT_THAT(blocks[1].successors, UnorderedElementsAre(1, 2));
    count_executions(blocks, function, counted(800), 10);
    EXPECT_EQ(blocks[0].executions, 10);
    EXPECT_EQ(blocks[1].executions, 200);
    EXPECT_EQ(blocks[2].executions, 0); // the remainder
}

TEST(SassFlow, BlockWithoutSiteGetsRemainderOfBranch)
{
    SassFunction function{"k", {}};
    auto& all = function.instructions;
    all.push_back(instruction("BRA", "`(.L_x_1)", "@P0", 3));
    all.back().targets = {2};
    all.push_back(instruction("MOV", "R2, RZ"));
    all.push_back(instruction("LDG.E", "R4, desc[UR6][R2.64]", {}, 2));
    all.push_back(instruction("EXIT", ""));
    std::vector<Block> blocks = blocks_of(function);
    ASSERT_EQ(blocks.size(), 3);
    count_executions(blocks, function, counted(100), 100);
    EXPECT_FALSE(blocks[1].counted);
    EXPECT_GT(blocks[1].executions, 0);
    EXPECT_LE(blocks[1].executions, 100);
    EXPECT_EQ(blocks[2].executions, 100);
}

TEST(SassChain, IterationsWaitForTheirLoads)
{
    const SassFunction function = unrolled();
    std::vector<Block> blocks = blocks_of(function);
    const Accesses accesses = counted(800);
    count_executions(blocks, function, accesses, 10);
    const Chain chain = chain_of(function, blocks, accesses, {10, 1});
    // 20 iterations; nothing uses the values, so they are only issued.
    EXPECT_LT(chain.cycles, 20 * 300);
    SassFunction using_values = function;
    using_values.instructions[4] = instruction("FADD", "R6, R4, R6");
    std::vector<Block> others = blocks_of(using_values);
    count_executions(others, using_values, accesses, 10);
    const Chain waiting = chain_of(using_values, others, accesses, {10, 1});
    EXPECT_GT(waiting.waits_for(Wait::global), 20 * 250);
    EXPECT_GT(waiting.lines.at(2), 20 * 250);
}

TEST(SassChain, WaitsAddUpToTheCycles)
{
    const SassFunction function = unrolled();
    std::vector<Block> blocks = blocks_of(function);
    const Accesses accesses = counted(800);
    count_executions(blocks, function, accesses, 10);
    const Chain chain = chain_of(function, blocks, accesses, {10, 1});
    double sum = 0;
    for (const double part : chain.waits) sum += part;
    EXPECT_NEAR(sum, chain.cycles, 1e-6 * chain.cycles);
}

TEST(SassChain, MissesOfL1TakeLonger)
{
    Access hit, miss;
    hit.site.space = miss.site.space = trace::Space::global;
    hit.counts.requests = miss.counts.requests = hit.counts.lines = miss.counts.lines = 1;
    hit.served.l1 = miss.served.dram = 4;
    const SassInstruction load = instruction("LDG.E", "R4, desc[UR6][R2.64]");
    EXPECT_LT(latency_of(load, &hit).cycles, 40);
    EXPECT_GT(latency_of(load, &miss).cycles, 500);
    EXPECT_EQ(latency_of(load, &miss).wait, Wait::global);
}

TEST(SassCosts, BankConflictsOccupyTheDataPipe)
{
    Access access;
    access.site.space = trace::Space::shared;
    access.counts.requests = 10;
    access.counts.wavefronts = 320;
    EXPECT_EQ(data_cycles(instruction("LDS", "R4, [R2]"), &access), 32);
}

} // namespace
} // namespace lanescope::predicted
