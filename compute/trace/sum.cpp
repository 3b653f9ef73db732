// Adds up sites of the same instruction, and appends those of another kernel.
#include "compute/trace/sum.h"

#include <algorithm>
#include <utility>

namespace lanescope::trace {
namespace {

bool same_site(const Site& a, const Site& b)
{
    return a.ptx_line == b.ptx_line && a.function == b.function && a.file == b.file &&
           a.ptx == b.ptx;
}

void add(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& more)
{
    to.resize(std::max(to.size(), more.size()));
    for (std::size_t i = 0; i < more.size(); ++i) to[i] += more[i];
}

// Adds counts by site and, if there are generic sites, their shared-memory counts, which follow.
void add_counts(std::vector<Counts>& to, std::size_t sites, const std::vector<Counts>& more,
                const std::vector<std::size_t>& places)
{
    const bool parts = more.size() > places.size();
    if (parts && to.size() < 2 * sites) to.resize(2 * sites);
    for (std::size_t i = 0; i < places.size(); ++i) {
        to[places[i]] += more[i];
        if (parts) to[sites + places[i]] += more[places.size() + i];
    }
}

void insert_site(std::vector<Counts>& counts, std::size_t sites)
{
    const bool parts = counts.size() > sites;
    counts.insert(counts.begin() + static_cast<std::ptrdiff_t>(sites), Counts{});
    if (parts) counts.emplace_back();
}

// Index of each of the launch's sites in the step; missing ones are added.
std::vector<std::size_t> joined(Trace& step, const std::vector<Site>& sites)
{
    std::vector<std::size_t> places;
    const bool assembled = step.assembled_counts.size() == step.counts.size();
    for (const Site& site : sites) {
        const std::size_t at = place_of(site, step.sites, places.size());
        places.push_back(at);
        if (at < step.sites.size()) continue;
        insert_site(step.counts, at);
        if (assembled) insert_site(step.assembled_counts, at);
        step.sites.push_back(site);
    }
    return places;
}

// Lowering of a launch's site, with site numbers of the step.
AssembledSite moved(AssembledSite site, const std::vector<std::size_t>& places)
{
    const auto move = [&](int& number) {
        number = static_cast<int>(places[static_cast<std::size_t>(number)]);
    };
    if (site.leader >= 0) move(site.leader);
    for (int& member : site.members) move(member);
    return site;
}

// Combines the lowerings of a step and one more launch; a site that only one of two kernels has
// keeps that one's. Unknown if either is unknown.
std::shared_ptr<const Assembled> joined(const Trace& step, const Trace& launch,
                                        const std::vector<std::size_t>& places)
{
    if (step.assembled == nullptr || launch.assembled == nullptr) return nullptr;
    if (!step.assembled->reason.empty()) return step.assembled;
    if (!launch.assembled->reason.empty()) return launch.assembled;
    const std::vector<AssembledSite>& known = step.assembled->sites;
    std::shared_ptr<Assembled> made;
    for (std::size_t i = 0; i < launch.assembled->sites.size(); ++i) {
        const AssembledSite& site = launch.assembled->sites[i];
        if (places[i] < known.size() &&
            (known[places[i]].as != AssembledAs::removed || site.as == AssembledAs::removed))
            continue;
        if (made == nullptr) {
            made = std::make_shared<Assembled>(*step.assembled);
            made->sites.resize(step.sites.size());
        }
        made->sites[places[i]] = moved(site, places);
    }
    return made != nullptr ? made : step.assembled;
}

void add_assembled(Trace& step, const Trace& launch, const std::vector<std::size_t>& places)
{
    if (places.empty()) return; // nothing to look up
    step.assembled = joined(step, launch, places);
    if (step.assembled != nullptr && !launch.assembled_counts.empty() &&
        !step.assembled_counts.empty())
        add_counts(step.assembled_counts, step.sites.size(), launch.assembled_counts, places);
    else
        step.assembled_counts.clear();
}

void append_warps(Trace& to, Trace& more)
{
    const auto before = static_cast<std::uint32_t>(to.warps.size());
    to.warps.insert(to.warps.end(), more.warps.begin(), more.warps.end());
    auto& owners = to.footprint.owners;
    owners.resize(std::max(owners.size(), more.footprint.owners.size()));
    for (std::size_t i = 0; i < more.footprint.owners.size(); ++i)
        if (more.footprint.owners[i] != 0) owners[i] = before + more.footprint.owners[i];
}

void add_sums(Trace& to, Trace& more)
{
    add(to.watched.touches, more.watched.touches);
    add(to.watched.warps, more.watched.warps);
    to.warp_instructions += more.warp_instructions;
    to.thread_instructions += more.thread_instructions;
    to.device_launches += more.device_launches;
    to.faults.insert(to.faults.end(), more.faults.begin(), more.faults.end());
}

void add_touched(std::vector<Touched>& to, const std::vector<Touched>& more)
{
    for (const Touched& one : more) {
        const auto at = std::ranges::lower_bound(to, one.allocation, {}, &Touched::allocation);
        if (at != to.end() && at->allocation == one.allocation)
            *at += one;
        else
            to.insert(at, one);
    }
}

} // namespace

std::size_t place_of(const Site& site, const std::vector<Site>& all, std::size_t guess)
{
    if (guess < all.size() && same_site(all[guess], site)) return guess;
    return static_cast<std::size_t>(
        std::ranges::find_if(all, [&](const Site& one) { return same_site(one, site); }) -
        all.begin());
}

Trace with_same_requests(const Trace& asked)
{
    Trace trace;
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
    trace.assembler = asked.assembler;
    return trace;
}

void add_launch(Trace& step, Trace&& launch)
{
    if (step.kernel.empty()) {
        const bool keep = step.keep_on_device;
        step = std::move(launch);
        step.keep_on_device = keep;
        return;
    }
    const bool same_kernel = step.kernel == launch.kernel;
    const auto places = joined(step, launch.sites);
    add_counts(step.counts, step.sites.size(), launch.counts, places);
    add_assembled(step, launch, places);
    const bool has_children = step.device_launches + launch.device_launches != 0;
    const bool same_shape = same_kernel && step.grid == launch.grid && step.block == launch.block;
    // Owners are the warps of a single launch, the first one that stored anything: they are
    // coloured by that launch's per-warp counts.
    const auto stored = [](const Trace& trace) {
        return std::ranges::any_of(trace.footprint.owners, [](auto owner) { return owner != 0; });
    };
    if (has_children) {
        append_warps(step, launch);
    } else if (same_shape) {
        for (std::size_t i = 0; i < std::min(step.warps.size(), launch.warps.size()); ++i)
            step.warps[i] += launch.warps[i];
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
    add_sums(step, launch);
}

Trace child_trace(const Trace& parent, const std::vector<Site>& sites)
{
    Trace child;
    child.watched.address = parent.watched.address;
    child.watched.bytes = parent.watched.bytes;
    child.footprint = parent.footprint;
    child.footprint.owners.clear();
    child.per_warp = parent.per_warp;
    child.warp_scope = parent.warp_scope;
    child.records_touches = parent.records_touches;
    const auto before = static_cast<std::uint32_t>(parent.warps.size());
    if (parent.request.site >= 0 && parent.per_warp && parent.request.warp >= before) {
        const auto wanted = static_cast<std::size_t>(parent.request.site);
        const std::size_t at = wanted < parent.sites.size()
                                   ? place_of(parent.sites[wanted], sites, wanted)
                                   : sites.size();
        child.request.site = at < sites.size() ? static_cast<int>(at) : -1;
        child.request.warp = parent.request.warp - before;
        child.request.occurrence = parent.request.occurrence;
    }
    child.assembler = parent.assembler;
    return child;
}

void add_child(Trace& parent, Trace&& child)
{
    const auto places = joined(parent, child.sites);
    add_counts(parent.counts, parent.sites.size(), child.counts, places);
    add_assembled(parent, child, places);
    if (child.request.seen != 0) {
        const trace::WatchedRequest wanted = parent.request;
        parent.request = child.request;
        parent.request.site = wanted.site;
        parent.request.warp = wanted.warp;
    }
    append_warps(parent, child);
    add_touched(parent.touched, child.touched);
    add_sums(parent, child);
    ++parent.device_launches;
}

} // namespace lanescope::trace
