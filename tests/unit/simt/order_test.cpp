// Block ordering in the precise checks, and state that interleaved blocks keep.
#include <algorithm>
#include <ctime>

#include <gtest/gtest.h>

#include "compute/simt/checks/precise/happens_before.h"
#include "compute/simt/machine/state/executor.h"
#include "compute/simt/machine/state/options.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

// As in a decoupled look-back scan: each block reads from its predecessor and signals its
// successor. Its vector clock grows with every block; the amount copied must not.
TEST(Order, ChainedBlocksHaveConstantCost)
{
    constexpr std::uint64_t count = 20000;
    HappensBefore order;
    Released reported;
    const std::clock_t begin = std::clock(); // CPU time of this process
    for (std::uint64_t i = 0; i < count; ++i) {
        Block block;
        block.linear = i;
        block.warps.resize(4);
        order.block_begins(block);
        if (i > 0) order.acquire(block, 1, reported);
        order.fence(block, 1, {.everywhere = true, .sequential = true});
        reported = order.released(block, 1);
        if (i > 0) {
            EXPECT_TRUE(order.knows(block, 1, i - 1, 1, 1));
            EXPECT_TRUE(order.knows(block, 1, i / 2, 1, 1));
            EXPECT_TRUE(order.knows(block, 1, 0, 1, 1));
            EXPECT_FALSE(order.knows(block, 1, i - 1, 1, 2));
            EXPECT_FALSE(order.knows(block, 1, i - 1, 0, 1));
            EXPECT_FALSE(order.knows(block, 0, i - 1, 1, 1));
        }
        EXPECT_FALSE(order.knows(block, 1, i + 1, 1, 1));
        order.block_ends(block);
    }
    EXPECT_LT((std::clock() - begin) / CLOCKS_PER_SEC, 8);
}

TEST(Order, VectorClocksOfTwoBlocksAreJoined)
{
    HappensBefore order;
    Block first, second, third;
    first.linear = 3;
    second.linear = 70000;
    third.linear = 5;
    for (Block* block : {&first, &second, &third}) {
        block->warps.resize(2);
        for (std::size_t i = 0; i < 2; ++i) block->warps[i].index = static_cast<int>(i);
        order.block_begins(*block);
    }
    order.fence(first, 0, {.everywhere = true, .sequential = true});
    order.fence(second, 1, {.everywhere = true, .sequential = true});
    order.acquire(third, 0, order.released(first, 0));
    EXPECT_FALSE(order.knows(third, 0, 70000, 1, 1));
    order.acquire(third, 0, order.released(second, 1));
    EXPECT_TRUE(order.knows(third, 0, 70000, 1, 1));
    EXPECT_TRUE(order.knows(third, 0, 3, 0, 1));
    EXPECT_FALSE(order.knows(third, 0, 3, 1, 1));
    EXPECT_FALSE(order.knows(third, 0, 3 + 65536, 0, 1));
}

// Binding a loop's instructions to register rows takes longer than running them: it is done once.
TEST(Order, InterleavedBlocksKeepBoundInstructions)
{
    // Only the interpreter binds instructions.
    const NativeCode usual = usual_native_code();
    set_usual_native_code(NativeCode::never);
    Machine machine = Machine::from_text(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %i, %sum;
    .reg .b64 %out;
    .reg .pred %p;
    ld.param.u64 %out, [out];
    mov.u32 %i, 0;
    mov.u32 %sum, 0;
again:
    add.u32 %sum, %sum, %i;
    xor.b32 %sum, %sum, 5;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 1000000;
    @%p bra again;
    st.global.u32 [%out], %sum;
    ret;
}
)");
    const auto out = machine.buffer(std::vector<std::uint32_t>(1));
    const LaunchState state = machine.device().prepare(machine.module().kernel("k"),
                                                       {{2, 1, 1}, {32, 1, 1}, 0, {*out}, nullptr});
    Executor x(state);
    Block first, second;
    begin_block(x, first, 0);
    begin_block(x, second, 1);
    for (int turn = 0; turn < 3; ++turn)
        for (Block* block : {&first, &second}) {
            EXPECT_FALSE(run_block(x, *block, 100));
            for (const Block* other : {&first, &second}) {
                if (turn == 0 && other != block && block == &first) continue;
                const std::vector<Bound>& bound = other->warps[0].bindings.instructions;
                EXPECT_GE(std::ranges::count_if(
                              bound, [](const Bound& one) { return one.run != nullptr; }),
                          3);
            }
        }
    set_usual_native_code(usual);
}

} // namespace
} // namespace lanescope::simt
