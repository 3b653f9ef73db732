// Launches with the same inputs on every run, so that results can be compared bit by bit.
#include "tests/unit/probes/runs.h"

#include <bit>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace lanescope::probes {
namespace {

constexpr int n = 4096;

std::vector<std::uint32_t> random_numbers()
{
    std::mt19937 random(7);
    std::vector<std::uint32_t> numbers(n);
    for (auto& number : numbers) number = random() % 1000;
    return numbers;
}

std::string text(const trace::Counts& counts)
{
    std::string text;
    for (const trace::CountRow& row : trace::count_rows)
        if (row.of != trace::CountOf::model)
            text += fmt::format("{} {} ", row.name, counts.*row.field);
    return text;
}

std::string text(const trace::WarpCounts& warp)
{
    std::string text;
    for (const trace::WarpCountRow& row : trace::warp_count_rows)
        if (row.field != &trace::WarpCounts::texel_sectors)
            text += fmt::format("{} {} ", row.name, warp.*row.field);
    return text;
}

} // namespace

Run run(device::Device& device, std::string_view ptx, const std::string& kernel, const Shape& shape,
        bool maps, const trace::WatchedRequest& request, trace::Scope warp_scope)
{
    const auto out = device.allocate(4 * n * sizeof(std::uint32_t));
    const auto in = device.allocate(n * sizeof(std::uint32_t));
    device::upload<std::uint32_t>(device, in->address(), random_numbers());
    device.fill(out->address(), 0, out->bytes());
    Run run;
    if (maps) {
        run.trace.footprint.address = out->address();
        run.trace.footprint.bytes = out->bytes();
        run.trace.watched = {in->address(), in->bytes(), {}, {}};
    }
    run.trace.request = request;
    run.trace.warp_scope = warp_scope;
    const auto module = device.load(ptx);
    device.launch(module->kernel(kernel), {shape.grid, shape.block, 0, {*out, *in, n}, &run.trace});
    run.out = device::download<std::uint32_t>(device, out->address(), 4 * n);
    return run;
}

void expect_equal(const trace::Trace& machine, const trace::Trace& probes)
{
    ASSERT_FALSE(machine.sites.empty());
    ASSERT_EQ(machine.sites.size(), probes.sites.size());
    std::uint64_t executions = 0;
    ASSERT_EQ(machine.counts.size(), probes.counts.size());
    for (std::size_t i = machine.sites.size(); i < machine.counts.size(); ++i)
        EXPECT_EQ(text(machine.counts[i]), text(probes.counts[i]))
            << "in shared memory: " << machine.sites[i - machine.sites.size()].ptx;
    for (std::size_t i = 0; i < machine.sites.size(); ++i) {
        EXPECT_EQ(machine.sites[i].ptx, probes.sites[i].ptx);
        EXPECT_EQ(text(machine.counts[i]), text(probes.counts[i]))
            << machine.sites[i].ptx << " at " << machine.sites[i].line;
        executions += machine.counts[i].executions;
    }
    EXPECT_GT(executions, 0u);
    ASSERT_EQ(machine.warps.size(), probes.warps.size());
    for (std::size_t i = 0; i < machine.warps.size(); ++i)
        EXPECT_EQ(text(machine.warps[i]), text(probes.warps[i])) << "warp " << i;
    EXPECT_EQ(machine.warp_instructions, probes.warp_instructions);
    EXPECT_EQ(machine.thread_instructions, probes.thread_instructions);
    EXPECT_EQ(machine.device_launches, probes.device_launches);
    EXPECT_EQ(machine.footprint.owners, probes.footprint.owners);
    EXPECT_EQ(machine.watched.touches, probes.watched.touches);
    EXPECT_EQ(machine.watched.warps, probes.watched.warps);
    expect_equal(machine.request, probes.request, "the request", machine.device_launches != 0);
}

std::vector<trace::WatchedRequest> sample_requests(const trace::Trace& counted)
{
    const auto last = static_cast<std::uint32_t>(counted.warps.size() - 1);
    std::vector<std::size_t> executed;
    for (std::size_t site = 0; site < counted.counts.size(); ++site)
        if (counted.counts[site].requests != 0 &&
            trace::is_watchable(counted.sites[site % counted.sites.size()]))
            executed.push_back(site);
    const std::size_t stride = 1 + executed.size() / 24; // unrolled loops have many similar sites
    std::vector<trace::WatchedRequest> all;
    for (std::size_t i = 0; i < executed.size(); i += stride)
        for (const auto& [warp, occurrence] : {std::pair(0u, 0u), {last / 2, 1u}, {last, 0u}}) {
            trace::WatchedRequest request;
            request.site = static_cast<int>(executed[i]);
            request.warp = warp;
            request.occurrence = occurrence;
            all.push_back(request);
        }
    return all;
}

void expect_equal(const trace::WatchedRequest& machine, const trace::WatchedRequest& probes,
                  const std::string& name, bool launches)
{
    const std::string which = fmt::format("{}: site {}, warp {}, occurrence {}", name, machine.site,
                                          machine.warp, machine.occurrence);
    EXPECT_EQ(machine.seen, probes.seen) << which;
    EXPECT_EQ(machine.active, probes.active) << which;
    EXPECT_EQ(machine.space, probes.space) << which;
    constexpr std::uint64_t alignment = 256;
    const auto first = static_cast<std::size_t>(std::countr_zero(machine.active)) % 32;
    const std::uint64_t apart = machine.addresses[first] - probes.addresses[first];
    const std::uint64_t between = launches && apart % alignment == 0 ? apart : 0;
    for (std::size_t lane = 0; lane < machine.addresses.size(); ++lane) {
        const std::uint64_t moved = machine.active >> lane & 1 ? between : 0;
        EXPECT_EQ(machine.addresses[lane], probes.addresses[lane] + moved)
            << which << ", lane " << lane;
    }
}

} // namespace lanescope::probes
