// Other orders that CUDA permits: kernels that depend on the order give different results, kernels
// that enforce theirs do not, and each seed repeats its result.
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "compute/simt/machine/launch/other_order.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

constexpr std::uint64_t orders = 64;
constexpr std::uint64_t repeated = 8;

Machine machine_in(std::uint64_t order)
{
    Options options;
    options.order = order;
    options.threads = 1; // on several cores, blocks without checks run in any order
    return Machine("orders", options);
}

// Number of different results of `run` in the usual order (0) and in 64 others. An order must
// repeat its result.
std::size_t results(const std::function<std::vector<int>(Machine&)>& run)
{
    std::set<std::vector<int>> seen;
    for (std::uint64_t order = 0; order <= orders; ++order) {
        Machine once = machine_in(order);
        const std::vector<int> result = run(once);
        if (order < repeated) {
            Machine again = machine_in(order);
            EXPECT_EQ(run(again), result) << order;
        }
        seen.insert(result);
    }
    return seen.size();
}

std::size_t results_of_last_block(const char* kernel)
{
    return results([&](Machine& machine) {
        const auto sums = machine.buffer(std::vector<int>(8));
        const auto arrived = machine.buffer(std::vector<int>(1));
        const auto out = machine.buffer(std::vector<int>(1));
        machine.run(kernel, {{8, 1, 1}, {32, 1, 1}}, *sums, *arrived, *out);
        std::vector<int> result = machine.values<int>(*sums);
        result.push_back(machine.values<int>(*out)[0]);
        return result;
    });
}

TEST(OtherOrder, ChangesUnorderedResults)
{
    const auto one_buffer = [](const char* kernel, int elements, const Machine::Shape& shape) {
        return results([&](Machine& machine) {
            const auto out = machine.buffer(std::vector<int>(static_cast<std::size_t>(elements)));
            machine.run(kernel, shape, *out);
            return machine.values<int>(*out);
        });
    };
    EXPECT_GT(one_buffer("last_block", 1, {{8, 1, 1}, {32, 1, 1}}), 1u);
    EXPECT_GT(one_buffer("last_warp", 1, {{1, 1, 1}, {128, 1, 1}}), 1u);
    EXPECT_GT(one_buffer("no_barrier", 128, {{1, 1, 1}, {128, 1, 1}}), 1u);
    EXPECT_GT(one_buffer("active_group", 1, {{1, 1, 1}, {64, 1, 1}}), 1u);
    EXPECT_GT(one_buffer("volatile_sum", 1, {{1, 1, 1}, {32, 1, 1}}), 1u);
    EXPECT_GT(one_buffer("float_sum", 1, {{2, 1, 1}, {64, 1, 1}}), 1u);
    EXPECT_GT(results_of_last_block("no_fence"), 1u);
    EXPECT_GT(results([](Machine& machine) {
                  const auto out = machine.buffer(std::vector<int>(128));
                  const auto counter = machine.buffer(std::vector<int>(1));
                  machine.run("tickets", {{2, 1, 1}, {64, 1, 1}}, *out, *counter);
                  return machine.values<int>(*out);
              }),
              1u);
    EXPECT_GT(results([](Machine& machine) {
                  const auto data = machine.buffer(std::vector<int>(32));
                  const auto flag = machine.buffer(std::vector<int>(1));
                  const auto out = machine.buffer(std::vector<int>(32));
                  machine.run("no_wait", {{2, 1, 1}, {32, 1, 1}}, *data, *flag, *out);
                  return machine.values<int>(*out);
              }),
              1u);
}

TEST(OtherOrder, KeepsOrderedResults)
{
    const auto sum = [](const char* kernel, int elements) {
        return results([&](Machine& machine) {
            const auto in = machine.buffer(numbers(4 * 128, 100));
            const auto out = machine.buffer(std::vector<int>(static_cast<std::size_t>(elements)));
            machine.run(kernel, {{4, 1, 1}, {128, 1, 1}}, *in, *out);
            return machine.values<int>(*out);
        });
    };
    EXPECT_EQ(sum("tree_sum", 1), 1u);
    EXPECT_EQ(sum("warp_sum", 16), 1u);
    EXPECT_EQ(results_of_last_block("fence"), 1u);
    EXPECT_EQ(results([](Machine& machine) {
                  const auto out = machine.buffer(std::vector<int>(1));
                  machine.run("synced_sum", {{1, 1, 1}, {32, 1, 1}}, *out);
                  return machine.values<int>(*out);
              }),
              1u);
}

// Blocks wait for one another, and lanes of a warp for another lane: every order ends.
TEST(OtherOrder, EndsEvenIfThreadsWaitForOneAnother)
{
    for (std::uint64_t order = 1; order <= orders; ++order) {
        Machine machine = machine_in(order);
        const auto sums = machine.buffer(std::vector<int>(100));
        const auto ticket = machine.buffer(std::vector<int>(1));
        machine.run("chain", {{100, 1, 1}, {64, 1, 1}}, *sums, *ticket);
        for (int i = 0; i < 100; ++i) EXPECT_EQ(machine.values<int>(*sums)[i], i + 1) << order;
        const auto lock = machine.buffer(std::vector<int>(1));
        const auto count = machine.buffer(std::vector<int>(1));
        machine.run("lane_lock", {{2, 1, 1}, {64, 1, 1}}, *lock, *count);
        EXPECT_EQ(machine.values<int>(*count)[0], 128) << order;
    }
}

TEST(OtherOrder, StartsEveryBlockOnce)
{
    for (const std::uint64_t count : {1, 2, 6, 97, 4096})
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            const OtherOrder order(seed, count, false);
            std::set<std::uint64_t> started;
            for (std::uint64_t i = 0; i < count; ++i) started.insert(order.block(i));
            EXPECT_EQ(started.size(), count);
            EXPECT_EQ(*started.rbegin(), count - 1);
        }
}

// Stores that other blocks do not see yet, in memory that their block frees.
TEST(OtherOrder, StoresToFreedMemory)
{
    constexpr std::string_view text = R"(.version 8.0
.target sm_75
.address_size 64
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    .reg .pred %p;
    ld.param.u64 %rd1, [out];
    {
        .param .b64 n;
        .param .b64 r;
        st.param.b64 [n], 65536;
        call (r), malloc, (n);
        ld.param.b64 %rd2, [r];
    }
    st.global.u32 [%rd2], 7;
    {
        .param .b64 p;
        st.param.b64 [p], %rd2;
        call free, (p);
    }
    mov.u32 %r1, 0;
again:
    ld.volatile.global.u32 %r2, [%rd1];
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p, %r1, 20000;
    @%p bra again;
    st.global.u32 [%rd1+4], %r1;
    ret;
}
)";
    for (std::uint64_t order = 1; order <= repeated; ++order) {
        Options options;
        options.order = order;
        options.threads = 1;
        Machine machine = Machine::from_text(std::string(text), options);
        const auto out = machine.buffer(std::vector<int>(2));
        machine.run("k", {{2, 1, 1}, {1, 1, 1}}, *out);
        EXPECT_EQ(machine.values<int>(*out)[1], 20000) << order;
    }
}

TEST(OtherOrder, FaultsAreReported)
{
    Options options;
    options.order = 5;
    options.step_budget = 100000;
    Machine machine("orders", options);
    const auto sums = machine.buffer(std::vector<int>(2));
    const auto ticket = machine.buffer(std::vector<int>{1}); // no block has the previous number
    EXPECT_EQ(machine.fault("chain", {{1, 1, 1}, {32, 1, 1}}, *sums, *ticket).kind, "step_budget");
    EXPECT_EQ(machine.fault("last_block", {{1, 1, 1}, {32, 1, 1}}, std::uint64_t{64}).kind,
              "out_of_bounds");
}

} // namespace
} // namespace lanescope::simt
