// Probed kernels count what the machine counts, per site and per warp, and compute the same results
// as the plain kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "assets/assets.h"
#include "compute/error.h"
#include "compute/ptx/probes/rewrite.h"
#include "compute/ptx/text/parser.h"
#include "compute/trace/ratios.h"
#include "tests/unit/probes/probing_device.h"
#include "tests/unit/probes/runs.h"

namespace lanescope::probes {
namespace {

using testing::HasSubstr;

struct Case {
    const char* file;
    const char* kernel;
};

void PrintTo(const Case& tested, std::ostream* stream)
{
    *stream << tested.kernel;
}

std::string_view ptx_of(const Case& tested)
{
    const auto found = assets::find(fmt::format("tests/unit/probes/{}.ptx", tested.file));
    if (!found) throw std::runtime_error(fmt::format("{}.ptx is not embedded", tested.file));
    return *found;
}

class Probes : public testing::TestWithParam<Case> {};

simt::Options one_core()
{
    simt::Options options;
    options.threads = 1;
    return options;
}

void compare(const Case& tested, const Shape& shape, bool maps)
{
    const auto machine = simt::make_device(one_core());
    ProbingDevice probing(simt::make_device(one_core()));
    const Run plain = run(*machine, ptx_of(tested), tested.kernel, shape, maps);
    const Run probed = run(probing, ptx_of(tested), tested.kernel, shape, maps);
    expect_equal(plain.trace, probed.trace);
    EXPECT_EQ(plain.out, probed.out);
}

TEST_P(Probes, OddBlockShape)
{
    compare(GetParam(), {{1, 1, 1}, {45, 3, 1}}, false);
}
TEST_P(Probes, ManyBlocksWithMaps)
{
    compare(GetParam(), {{3, 2, 1}, {16, 5, 2}}, true);
}
TEST_P(Probes, SingleThread)
{
    compare(GetParam(), {{2, 1, 1}, {1, 1, 1}}, false);
}

// Counts per warp of loads, stores and atomics, from three launches, add up to all accesses.
TEST_P(Probes, SelectedAccessesSumToAll)
{
    const Shape shape{{3, 1, 1}, {16, 5, 1}};
    const auto text = ptx_of(GetParam());
    const std::string kernel = GetParam().kernel;
    const auto whole_machine = simt::make_device(one_core());
    const auto all = run(*whole_machine, text, kernel, shape, false);
    std::vector<trace::WarpCounts> parts(all.trace.warps.size());
    for (const trace::Scope scope :
         {trace::Scope::loads, trace::Scope::stores, trace::Scope::atomics}) {
        const auto machine = simt::make_device(one_core());
        ProbingDevice probing(simt::make_device(one_core()));
        const auto plain = run(*machine, text, kernel, shape, false, {}, scope);
        const auto probed = run(probing, text, kernel, shape, false, {}, scope);
        expect_equal(plain.trace, probed.trace);
        ASSERT_EQ(plain.trace.warps.size(), parts.size());
        trace::Counts global;
        trace::Counts shared;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const trace::WarpCounts& warp = plain.trace.warps[i];
            parts[i].global_requests += warp.global_requests;
            parts[i].global_sectors += warp.global_sectors;
            parts[i].global_ideal_sectors += warp.global_ideal_sectors;
            parts[i].shared_requests += warp.shared_requests;
            parts[i].shared_wavefronts += warp.shared_wavefronts;
            parts[i].shared_ideal_wavefronts += warp.shared_ideal_wavefronts;
            global.sectors += warp.global_sectors;
            global.ideal_sectors += warp.global_ideal_sectors;
            shared.wavefronts += warp.shared_wavefronts;
        }
        // The launch's totals are the sums over its warps.
        const trace::Totals totals = plain.trace.totals();
        EXPECT_EQ(global.sectors, trace::global(totals, scope).sectors);
        EXPECT_EQ(global.ideal_sectors, trace::global(totals, scope).ideal_sectors);
        EXPECT_EQ(shared.wavefronts, trace::shared(totals, scope).wavefronts);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const trace::WarpCounts& warp = all.trace.warps[i];
        EXPECT_EQ(parts[i].global_requests, warp.global_requests);
        EXPECT_EQ(parts[i].global_sectors, warp.global_sectors);
        EXPECT_EQ(parts[i].global_ideal_sectors, warp.global_ideal_sectors);
        EXPECT_EQ(parts[i].shared_requests, warp.shared_requests);
        EXPECT_EQ(parts[i].shared_wavefronts, warp.shared_wavefronts);
        EXPECT_EQ(parts[i].shared_ideal_wavefronts, warp.shared_ideal_wavefronts);
    }
}

TEST_P(Probes, RequestsMatchMachine)
{
    const Shape shape{{2, 2, 1}, {21, 3, 1}};
    const auto text = ptx_of(GetParam());
    const std::string kernel = GetParam().kernel;
    const auto first = simt::make_device(one_core());
    const trace::Trace counted = run(*first, text, kernel, shape, false).trace;
    int noted = 0;
    for (const trace::WatchedRequest& wanted : sample_requests(counted)) {
        const auto machine = simt::make_device(one_core()); // new devices each time, so that
                                                            // addresses are equal
        ProbingDevice probing(simt::make_device(one_core()));
        const auto plain = run(*machine, text, kernel, shape, false, wanted);
        const auto probed = run(probing, text, kernel, shape, false, wanted);
        expect_equal(plain.trace, probed.trace);
        EXPECT_EQ(plain.out, probed.out);
        noted += plain.trace.request.active != 0 ? 1 : 0;
    }
    EXPECT_GT(noted, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Probes,
    testing::Values(
        Case{"kernels/divergence", "trip_counts"}, Case{"kernels/divergence", "nested_choices"},
        Case{"kernels/divergence", "break_and_continue"}, Case{"kernels/divergence", "many_cases"},
        Case{"kernels/divergence", "early_return_in_loop"}, Case{"kernels/divergence", "warp_vote"},
        Case{"kernels/memory", "unit_stride"}, Case{"kernels/memory", "offsets"},
        Case{"kernels/memory", "strides"}, Case{"kernels/memory", "gather"},
        Case{"kernels/memory", "bytes_and_shorts"}, Case{"kernels/memory", "wide_types"},
        Case{"kernels/memory", "collisions"}, Case{"kernels/memory", "reached_space"},
        Case{"kernels/memory", "local_array"}, Case{"kernels/shared", "bank_strides"},
        Case{"kernels/shared", "columns"}, Case{"kernels/shared", "wide_words"},
        Case{"kernels/shared", "narrow"}, Case{"kernels/shared", "shared_histogram"},
        Case{"kernels/calls", "recursion"}, Case{"kernels/calls", "chosen_function"},
        Case{"kernels/calls", "exit_in_function"}, Case{"kernels/launches", "launches_wide"},
        Case{"kernels/launches", "launches_tree"}, Case{"patterns", "jump_table"},
        Case{"patterns", "guarded_accesses"}, Case{"patterns", "wide_shared"},
        Case{"patterns", "copied_asynchronously"}, Case{"patterns", "matrix_rows"}),
    [](const auto& info) { return std::string(info.param.kernel); });

// One warp whose lanes execute more than 2^32 instructions, which takes a GPU half a second.
TEST(ProbedWarps, CountBeyond32Bits)
{
    std::string text = ".version 8.0\n.target sm_75\n.address_size 64\n"
                       ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"
                       ".reg .pred %p;\n.reg .b32 %a, %turns;\n"
                       "mov.u32 %a, 0;\nmov.u32 %turns, 1048576;\nagain:\n";
    for (int i = 0; i < 160; ++i) text += "add.u32 %a, %a, 1;\n";
    text += "sub.u32 %turns, %turns, 1;\nsetp.ne.u32 %p, %turns, 0;\n@%p bra again;\nret;\n}\n";
    const auto machine = simt::make_device(one_core());
    ProbingDevice probing(simt::make_device(one_core()));
    const Shape one_warp{{1, 1, 1}, {32, 1, 1}};
    const auto counted = run(*machine, text, "k", one_warp, false);
    const auto probed = run(probing, text, "k", one_warp, false);
    EXPECT_EQ(counted.trace.thread_instructions, 32 * (163ull << 20) + 32 * 3);
    EXPECT_EQ(counted.trace.warps[0].thread_instructions, counted.trace.thread_instructions);
    expect_equal(counted.trace, probed.trace);
}

std::string refusal(std::string_view text, const std::string& kernel)
{
    try {
        ptx::probe(ptx::parse(text), {kernel});
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

TEST(ProbeRefusals, NameKernel)
{
    const Case gather{"kernels/memory", "gather"};
    EXPECT_THAT(refusal(ptx_of(gather), "nosuch"), HasSubstr("There is no kernel 'nosuch'"));
    EXPECT_THAT(refusal(".version 6.0 .target sm_50 .address_size 64 .entry k() { ret; }", "k"),
                HasSubstr("Kernel 'k' cannot be probed: its PTX is version 6.0 for sm_50"));
    const std::string probed = ptx::probe(ptx::parse(ptx_of(gather)), {"gather"}).text;
    EXPECT_THAT(refusal(probed, "gather"), HasSubstr("holds probes already"));
}

// The lanes of a generic access count in the memory spaces that they access.
TEST(GenericAccesses, CountInTheSpaceEachLaneReaches)
{
    const auto machine = simt::make_device(one_core());
    const auto trace = run(*machine, ptx_of({"kernels/memory", "reached_space"}), "reached_space",
                           {{2, 1, 1}, {64, 1, 1}}, false)
                           .trace;
    trace::Counts generic;
    trace::Counts in_shared;
    for (std::size_t i = 0; i < trace.sites.size(); ++i)
        if (trace.sites[i].space == trace::Space::generic && trace.sites[i].op == trace::Op::load) {
            generic += trace.counts[i];
            in_shared += trace.counts[trace.sites.size() + i];
        }
    EXPECT_GT(in_shared.requests, 0u);
    EXPECT_GT(generic.requests, in_shared.requests);
    const trace::Totals totals = trace.totals();
    std::uint64_t explicit_global = 0;
    std::uint64_t written_shared = 0;
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        if (trace.sites[i].op != trace::Op::load) continue;
        if (trace.sites[i].space == trace::Space::global)
            explicit_global += trace.counts[i].requests;
        if (trace.sites[i].space == trace::Space::shared)
            written_shared += trace.counts[i].requests;
    }
    EXPECT_EQ(totals.shared_load.requests, written_shared + in_shared.requests);
    EXPECT_EQ(totals.global_load.requests, explicit_global + generic.requests - in_shared.requests);
}

// A barrier within a basic block: groups of lanes may reach it one after another.
TEST(ProbedText, ReadsActiveMaskAgainAfterBarrier)
{
    const std::string text = ptx::probe(ptx::parse(R"(.version 7.8
.target sm_80
.address_size 64
.shared .align 4 .b32 words[32];
.visible .entry k()
{
    .reg .b32 %r<3>;
    mov.u32 %r0, %tid.x;
    shl.b32 %r0, %r0, 2;
    mov.u32 %r1, words;
    add.u32 %r1, %r1, %r0;
    st.shared.u32 [%r1], %r0;
    st.shared.u32 [%r1], %r0;
    bar.sync 0;
    ld.shared.u32 %r2, [%r1];
    ret;
}
)"),
                                        {.kernel = "k"})
                                 .text;
    const std::size_t first = text.find("st.shared.u32"),
                      second = text.find("st.shared.u32", first + 1),
                      barrier = text.find("bar.sync 0"), load = text.find("ld.shared.u32", barrier);
    ASSERT_NE(load, std::string::npos);
    const auto asks = [&](std::size_t begin, std::size_t end) {
        return text.substr(begin, end - begin).find("activemask") != std::string::npos;
    };
    EXPECT_FALSE(asks(first, second));
    EXPECT_TRUE(asks(barrier, load));
}

// The parser appends "@" and the function's name to variables declared in functions; the probed
// text must not contain that suffix.
TEST(ProbedText, KeepsFunctionScopeModuleVariables)
{
    const std::string text = ptx::probe(ptx::parse(R"(.version 7.8
.target sm_80
.address_size 64
.visible .entry k()
{
    .reg .b32 %r<2>;
    .global .align 4 .u32 total;
    {
        .reg .b32 %r<2>;
        .global .align 4 .u32 total;
        ld.global.u32 %r1, [total];
    }
    ld.global.u32 %r1, [total];
    ret;
}
)"),
                                        {.kernel = "k"})
                                 .text;
    EXPECT_NE(text.find(", total;"), std::string::npos) << text;
    EXPECT_NO_THROW(ptx::parse(text));
    EXPECT_FALSE(ptx::parse(text).find_function("k")->refusal) << text;
}

TEST(ProbedText, ContainsOnlyKernelAndSetup)
{
    const ptx::Probed probed =
        ptx::probe(ptx::parse(ptx_of({"kernels/memory", "gather"})), {"gather"});
    EXPECT_THAT(ptx::parse(probed.text).kernel_names(),
                testing::UnorderedElementsAre("gather", ptx::setup_kernel));
}

} // namespace
} // namespace lanescope::probes
