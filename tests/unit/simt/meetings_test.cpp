// Reconvergence of diverged lanes where the SASS is known and reconverges in more steps than the
// PTX's control flow shows.
#include <gmock/gmock.h>

#include "compute/ptx/instructions/table.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

using testing::ElementsAre;

// Lanes enter a chain of stores at different points and fall through to its end.
constexpr std::string_view chain = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry chain(.param .u64 data)
{
.reg .pred %p<4>;
.reg .b32 %r<8>;
.reg .b64 %rd<8>;
ld.param.u64 %rd1, [data];
cvta.to.global.u64 %rd2, %rd1;
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd3, %r1, 4;
add.s64 %rd4, %rd2, %rd3;
mov.u32 %r3, 0;
and.b32 %r2, %r1, 3;
setp.eq.u32 %p1, %r2, 3;
@%p1 bra three;
setp.eq.u32 %p2, %r2, 2;
@%p2 bra two;
setp.eq.u32 %p3, %r2, 1;
@%p3 bra one;
bra.uni none;
three:
add.u32 %r3, %r3, 1000;
st.global.u32 [%rd4], %r3;
two:
add.u32 %r3, %r3, 100;
st.global.u32 [%rd4], %r3;
one:
add.u32 %r3, %r3, 10;
st.global.u32 [%rd4], %r3;
none:
add.u32 %r3, %r3, 1;
st.global.u32 [%rd4], %r3;
ret;
}
)";

struct Counted {
    std::vector<std::uint64_t> stores; // execution counts of the four stores
    std::uint64_t instructions = 0;
    std::string rule;
};

Counted run_chain(const std::function<void(ptx::Module&)>& meetings)
{
    Options options;
    options.meetings = meetings;
    Machine machine = Machine::from_text(chain, options);
    const auto data = machine.buffer(std::vector<int>(32));
    trace::Trace trace;
    machine.run_traced(&trace, "chain", {}, *data);
    const std::vector<int> values = machine.values<int>(*data);
    constexpr std::array<int, 4> expected{1, 11, 111, 1111};
    for (std::size_t lane = 0; lane < values.size(); ++lane)
        EXPECT_EQ(values[lane], expected[lane % 4]) << lane;
    Counted counted{{}, trace.warp_instructions, trace.meetings_of};
    for (std::size_t i = 0; i < trace.sites.size(); ++i)
        if (trace.sites[i].op == trace::Op::store)
            counted.stores.push_back(trace.counts[i].executions);
    return counted;
}

// Makes all branches of the chain reconverge at these labels, innermost first.
std::function<void(ptx::Module&)> at(std::vector<std::string> labels)
{
    return [labels](ptx::Module& module) {
        module.meetings_of = "sm_00";
        ptx::Function& function = module.functions.front();
        std::vector<int> places;
        for (const std::string& label : labels) places.push_back(function.labels.at(label));
        for (std::size_t i = 0; i < function.instructions.size(); ++i)
            if (function.instructions[i].op == ptx::Op::bra && function.instructions[i].guard)
                function.meetings[static_cast<int>(i)] = places;
    };
}

TEST(Reconvergence, PtxBranchesReconvergeAtEndOfChain)
{
    const Counted counted = run_chain({});
    EXPECT_THAT(counted.stores, ElementsAre(1, 2, 3, 1));
    EXPECT_EQ(counted.rule, "");
}

TEST(Reconvergence, StepwiseReconvergenceExecutesEachStoreOnce)
{
    const Counted counted = run_chain(at({"two", "one", "none"}));
    EXPECT_THAT(counted.stores, ElementsAre(1, 1, 1, 1));
    EXPECT_EQ(counted.rule, "sm_00");
    EXPECT_LT(counted.instructions, run_chain({}).instructions);
}

// If some lanes skip an inner reconvergence point, the others do not wait for them there.
TEST(Reconvergence, StepsMayBeSkipped)
{
    EXPECT_THAT(run_chain(at({"one", "none"})).stores, ElementsAre(1, 2, 1, 1));
    EXPECT_THAT(run_chain(at({"two", "none"})).stores, ElementsAre(1, 1, 2, 1));
}

TEST(Reconvergence, MayOnlyHappenAtExit)
{
    EXPECT_THAT(run_chain(at({})).stores, ElementsAre(1, 2, 3, 4));
}

} // namespace
} // namespace lanescope::simt
