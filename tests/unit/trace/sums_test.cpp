// Sums of counts: over sites by space and operation, over launches, and for assembled code.
#include <gmock/gmock.h>

#include "compute/trace/sum.h"
#include "compute/trace/trace.h"

namespace lanescope::trace {
namespace {

Site site(Space space, Op op)
{
    Site made;
    made.space = space;
    made.op = op;
    made.width_bytes = op == Op::branch ? 0 : 4;
    return made;
}

Trace example()
{
    Trace trace;
    trace.kernel = "k";
    trace.grid = {2, 1, 1};
    trace.block = {32, 1, 1};
    trace.sites.resize(5);
    trace.counts.resize(10);
    trace.sites[0] = site(Space::global, Op::load);
    trace.counts[0] = {
        .executions = 2, .lanes = 64, .requests = 2, .sectors = 8, .ideal_sectors = 8};
    trace.sites[1] = site(Space::shared, Op::store);
    trace.counts[1] = {
        .executions = 2, .lanes = 60, .requests = 2, .wavefronts = 5, .ideal_wavefronts = 2};
    trace.sites[2] = site(Space::generic, Op::load);
    trace.counts[2] = {.executions = 1,
                       .lanes = 32,
                       .requests = 2,
                       .sectors = 4,
                       .ideal_sectors = 4,
                       .wavefronts = 4,
                       .ideal_wavefronts = 1};
    trace.counts[5 + 2] = {.lanes = 12, .requests = 1, .wavefronts = 3, .ideal_wavefronts = 1};
    trace.sites[3] = site(Space::global, Op::reduction);
    trace.counts[3] = {
        .executions = 1, .lanes = 3, .requests = 1, .sectors = 3, .ideal_sectors = 1};
    trace.sites[4] = site(Space::none, Op::branch);
    trace.counts[4] = {.executions = 7, .lanes = 200, .divergent = 3};
    trace.warp_instructions = 100;
    trace.thread_instructions = 3000;
    return trace;
}

TEST(Sums, TotalPerSpaceAndOperation)
{
    const Totals totals = example().totals();
    EXPECT_EQ(totals.global_load.requests, 3u);
    EXPECT_EQ(totals.global_load.sectors, 12u);
    // The generic load accessed both memory spaces.
    EXPECT_EQ(totals.global_load.lanes, 64u + 20u);
    EXPECT_EQ(totals.global_load.wavefronts, 1u);
    EXPECT_EQ(
        totals.shared_load,
        (Counts{
            .executions = 1, .lanes = 12, .requests = 1, .wavefronts = 3, .ideal_wavefronts = 1}));
    EXPECT_EQ(totals.shared_store.wavefronts, 5u);
    EXPECT_EQ(totals.global_atomic.sectors, 3u);
    EXPECT_EQ(totals.branches, 7u);
    EXPECT_EQ(totals.divergent_branches, 3u);
    EXPECT_EQ(totals.warp_instructions, 100u);
}

Site at_line(const char* function, int line)
{
    Site made = site(Space::global, Op::store);
    made.function = function;
    made.ptx_line = line;
    return made;
}

Trace launch_of(std::vector<Site> sites, std::size_t warps)
{
    Trace trace;
    trace.kernel = sites.front().function;
    trace.grid = {static_cast<std::uint32_t>(warps), 1, 1};
    trace.block = {32, 1, 1};
    trace.counts.resize(sites.size());
    for (std::size_t i = 0; i < sites.size(); ++i) trace.counts[i].executions = i + 1;
    trace.sites = std::move(sites);
    trace.warps.resize(warps);
    for (WarpCounts& warp : trace.warps) warp.warp_instructions = 10;
    trace.warp_instructions = 10 * warps;
    trace.footprint.owners = {0, 0, 0};
    return trace;
}

TEST(ChildLaunches, AreAddedToParent)
{
    Trace parent = launch_of({at_line("parent", 1), at_line("child", 9)}, 2);
    parent.footprint.owners = {2, 0, 2};
    Trace child = launch_of({at_line("child", 9)}, 3);
    child.footprint.owners = {0, 3, 1};
    child.device_launches = 4;
    add_child(parent, std::move(child));
    EXPECT_EQ(parent.kernel, "parent");
    EXPECT_EQ(parent.device_launches, 5u);
    EXPECT_EQ(parent.counts[0].executions, 1u);
    EXPECT_EQ(parent.counts[1].executions, 2u + 1u);
    EXPECT_EQ(parent.warps.size(), 5u);
    EXPECT_EQ(parent.warp_instructions, 50u);
    EXPECT_EQ(parent.footprint.owners, (std::vector<std::uint32_t>{2, 2 + 3, 2 + 1}));
}

// The counts of generic sites' shared parts follow the counts of all sites.
TEST(ChildLaunches, KeepGenericSharedPartSeparate)
{
    Trace parent = launch_of({at_line("parent", 1)}, 1);
    parent.counts.resize(2);
    parent.counts[1].lanes = 7;
    Trace child = launch_of({at_line("other", 5)}, 1);
    child.counts.resize(2);
    child.counts[1].lanes = 11;
    add_child(parent, std::move(child));
    ASSERT_EQ(parent.sites.size(), 2u);
    ASSERT_EQ(parent.counts.size(), 4u);
    EXPECT_EQ(parent.counts[2].lanes, 7u);
    EXPECT_EQ(parent.counts[3].lanes, 11u);
}

TEST(ChildLaunches, MapRequestsToParentSites)
{
    Trace parent = launch_of({at_line("parent", 1), at_line("child", 9)}, 2);
    parent.request.site = 1;
    parent.request.warp = 3;
    const Trace child = child_trace(parent, {at_line("child", 9)});
    EXPECT_EQ(child.request.site, 0);
    EXPECT_EQ(child.request.warp, 1u);
    parent.request.warp = 1; // a warp of the parent, not of the child
    EXPECT_EQ(child_trace(parent, {at_line("child", 9)}).request.site, -1);
}

TEST(ChildLaunches, FollowLaunchOrder)
{
    Trace first = launch_of({at_line("parent", 1)}, 2);
    Trace child = launch_of({at_line("parent", 1)}, 1);
    child.footprint.owners = {0, 1, 0};
    add_child(first, std::move(child));
    Trace step;
    Trace second = first;
    add_launch(step, std::move(first));
    add_launch(step, std::move(second));
    EXPECT_EQ(step.device_launches, 2u);
    EXPECT_EQ(step.warps.size(), 6u);
    EXPECT_EQ(step.footprint.owners, (std::vector<std::uint32_t>{0, 6, 0}));
}

// A launch whose sites are assembled to `made`; each assembled count is twice the count of the PTX.
Trace assembled_launch(std::vector<Site> sites, std::vector<AssembledSite> made)
{
    Trace trace = launch_of(std::move(sites), 1);
    trace.assembled = std::make_shared<Assembled>(
        Assembled{.architecture = "sm_90", .sites = std::move(made), .reason = {}});
    trace.assembled_counts = trace.counts;
    for (Counts& counts : trace.assembled_counts) counts.executions *= 2;
    return trace;
}

// Two loads that are merged: the second one loads the bytes of both.
Trace merging_launch(const char* kernel)
{
    return assembled_launch({at_line(kernel, 1), at_line(kernel, 2)},
                            {{.as = AssembledAs::part, .leader = 1},
                             {.as = AssembledAs::merged, .width_bytes = 8, .members = {0, 1}}});
}

TEST(AssembledSums, AddLaunchesOfSameKernel)
{
    Trace step;
    add_launch(step, merging_launch("k"));
    add_launch(step, merging_launch("k"));
    ASSERT_NE(step.assembled, nullptr);
    EXPECT_EQ(step.assembled->sites.size(), 2u);
    ASSERT_EQ(step.assembled_counts.size(), 2u);
    EXPECT_EQ(step.assembled_counts[1].executions, 2u * 4u);
    EXPECT_EQ(step.counts[1].executions, 2u * 2u);
}

TEST(AssembledSums, AppendSitesOfOtherKernels)
{
    Trace step;
    add_launch(step, assembled_launch({at_line("first", 1)}, {{.as = AssembledAs::itself}}));
    Trace generic = merging_launch("second");
    for (auto* counts : {&generic.counts, &generic.assembled_counts}) {
        counts->resize(4);
        counts->back().lanes = 7;
    }
    add_launch(step, std::move(generic));
    add_launch(step, merging_launch("third"));
    ASSERT_NE(step.assembled, nullptr);
    EXPECT_EQ(step.assembled->architecture, "sm_90");
    const std::vector<AssembledSite>& made = step.assembled->sites;
    ASSERT_EQ(made.size(), 5u);
    EXPECT_EQ(made[0].as, AssembledAs::itself);
    EXPECT_EQ(made[1].leader, 2);
    EXPECT_THAT(made[2].members, testing::ElementsAre(1, 2));
    EXPECT_EQ(made[3].leader, 4);
    EXPECT_THAT(made[4].members, testing::ElementsAre(3, 4));
    ASSERT_EQ(step.assembled_counts.size(), 10u) << "the shared parts come last";
    EXPECT_EQ(step.assembled_counts[0].executions, 2u);
    EXPECT_EQ(step.assembled_counts[2].executions, 4u);
    EXPECT_EQ(step.assembled_counts[4].executions, 4u);
    EXPECT_EQ(step.assembled_counts[5 + 2].lanes, 7u);
    EXPECT_EQ(step.assembled_totals().global_store.executions,
              2 * step.totals().global_store.executions);
}

TEST(AssembledSums, AreUnknownIfOneLaunchIsUnknown)
{
    for (const bool first : {true, false}) {
        for (const char* const reason : {"", "Refused."}) {
            Trace unknown = launch_of({at_line("other", 1)}, 1);
            if (*reason != 0)
                unknown.assembled = std::make_shared<Assembled>(
                    Assembled{.architecture = {}, .sites = {}, .reason = reason});
            Trace step;
            if (first) add_launch(step, Trace(unknown));
            add_launch(step, merging_launch("k"));
            add_launch(step, Trace(unknown));
            add_launch(step, merging_launch("k"));
            EXPECT_TRUE(step.assembled_counts.empty());
            EXPECT_EQ(step.counts.size(), 3u);
            if (*reason == 0)
                EXPECT_EQ(step.assembled, nullptr);
            else
                EXPECT_EQ(step.assembled->reason, reason);
        }
    }
}

TEST(AssembledSums, IncludeChildLaunches)
{
    Trace parent = assembled_launch({at_line("parent", 1), at_line("child", 9)},
                                    {{.as = AssembledAs::itself}, {.as = AssembledAs::removed}});
    Trace child =
        assembled_launch({at_line("child", 9)}, {{.as = AssembledAs::itself, .copies = 3}});
    add_child(parent, std::move(child));
    EXPECT_EQ(parent.assembled->sites[1].copies, 3);
    EXPECT_EQ(parent.assembled_counts[1].executions, 2u * 2u + 2u);
}

TEST(AssembledSums, CoverEveryLaunch)
{
    Trace asked;
    asked.assembler = [](std::string_view ptx, std::string_view kernel) {
        return std::make_shared<const Assembled>(Assembled{
            .architecture = std::string(ptx), .sites = {}, .reason = std::string(kernel)});
    };
    for (Trace trace : {with_same_requests(asked), child_trace(asked, {})}) {
        trace.ask_assembler("text", "k");
        ASSERT_NE(trace.assembled, nullptr);
        EXPECT_EQ(trace.assembled->architecture + trace.assembled->reason, "textk");
    }
}

} // namespace
} // namespace lanescope::trace
