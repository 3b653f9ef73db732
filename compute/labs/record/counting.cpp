// Sites of the same instruction are added up; those of another kernel are appended.
#include "compute/labs/record/counting.h"

#include <algorithm>
#include <utility>

namespace lanescope::labs {
namespace {

bool same_site(const trace::Site& a, const trace::Site& b)
{
    return a.ptx_line == b.ptx_line && a.function == b.function && a.file == b.file &&
           a.ptx == b.ptx;
}

void add(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& more)
{
    to.resize(std::max(to.size(), more.size()));
    for (std::size_t i = 0; i < more.size(); ++i) to[i] += more[i];
}

} // namespace

trace::Trace with_same_requests(const trace::Trace& asked)
{
    trace::Trace trace;
    trace.watched.address = asked.watched.address;
    trace.watched.bytes = asked.watched.bytes;
    trace.footprint = asked.footprint;
    trace.footprint.owners.clear();
    trace.request.site = asked.request.site;
    trace.request.warp = asked.request.warp;
    trace.request.occurrence = asked.request.occurrence;
    trace.watched_block = asked.watched_block;
    trace.lanes = asked.lanes.asked();
    trace.per_warp = asked.per_warp;
    trace.warp_scope = asked.warp_scope;
    return trace;
}

void add_launch(trace::Trace& step, trace::Trace&& launch)
{
    if (step.kernel.empty()) {
        const bool keep = step.keep_on_device;
        step = std::move(launch);
        step.keep_on_device = keep;
        return;
    }
    const bool same_kernel = step.kernel == launch.kernel;
    for (std::size_t i = 0; i < launch.sites.size(); ++i) {
        std::size_t at = i;
        if (at >= step.sites.size() || !same_site(step.sites[at], launch.sites[i]))
            at = std::ranges::find_if(
                     step.sites,
                     [&](const trace::Site& one) { return same_site(one, launch.sites[i]); }) -
                 step.sites.begin();
        if (at == step.sites.size()) {
            step.sites.push_back(launch.sites[i]);
            step.counts.emplace_back();
        }
        step.counts[at] += launch.counts[i];
    }
    const bool same_shape = same_kernel && step.grid == launch.grid && step.block == launch.block;
    if (same_shape)
        for (std::size_t i = 0; i < std::min(step.warps.size(), launch.warps.size()); ++i)
            step.warps[i] += launch.warps[i];
    add(step.watched.touches, launch.watched.touches);
    add(step.watched.warps, launch.watched.warps);
    // Owners are warps of one launch, the first that stored anything: they are coloured by the
    // counts of its warps.
    const auto stored = [](const trace::Trace& trace) {
        return std::ranges::any_of(trace.footprint.owners, [](auto owner) { return owner != 0; });
    };
    if (same_shape) {
        step.footprint.owners.resize(
            std::max(step.footprint.owners.size(), launch.footprint.owners.size()));
        for (std::size_t i = 0; i < launch.footprint.owners.size(); ++i)
            if (launch.footprint.owners[i] != 0)
                step.footprint.owners[i] = launch.footprint.owners[i];
    } else if (!stored(step) && stored(launch)) {
        step.footprint.owners = std::move(launch.footprint.owners);
        step.warps = std::move(launch.warps);
    }
    if (same_kernel && step.request.active == 0 && launch.request.active != 0)
        step.request = launch.request;
    step.warp_instructions += launch.warp_instructions;
    step.thread_instructions += launch.thread_instructions;
    step.faults.insert(step.faults.end(), launch.faults.begin(), launch.faults.end());
}

} // namespace lanescope::labs
