// Finds the access, the warp and the request that are recorded for a choice.
#include "app/run/side/request_finder.h"

#include <algorithm>
#include <functional>
#include <span>
#include <tuple>

#include "compute/ptx/sites/sites.h"

namespace lanescope::app {
namespace {

// Source lines with this kind of access, in program order. An unrolled loop has several sites for
// one line.
std::vector<int> lines_where(std::span<const trace::Site> sites,
                             const std::function<bool(const trace::Site&)>& like)
{
    std::vector<int> lines;
    for (const trace::Site& site : sites)
        if (like(site) && std::ranges::find(lines, site.line) == lines.end())
            lines.push_back(site.line);
    return lines;
}

// Atomics have the same role whether they return a value or not.
trace::Scope scope_of(const trace::Site& site)
{
    for (const trace::Scope scope :
         {trace::Scope::loads, trace::Scope::stores, trace::Scope::atomics})
        if (trace::covers(scope, site.op)) return scope;
    return trace::Scope::all;
}

// The site in `to` with the role of `site` in `from`: the n-th line with this kind of access to
// this memory; atomics match in any memory. -1 if there is none.
int matching_site(std::span<const trace::Site> from, int site, std::span<const trace::Site> to)
{
    if (site < 0 || site >= std::ssize(from)) return -1;
    const trace::Site& one = from[static_cast<std::size_t>(site)];
    const auto same_kind = [&](const trace::Site& other) {
        return other.op != trace::Op::branch && scope_of(other) == scope_of(one);
    };
    const auto same_kind_and_space = [&](const trace::Site& other) {
        return same_kind(other) && other.space == one.space;
    };
    std::function<bool(const trace::Site&)> like = same_kind_and_space;
    if (scope_of(one) == trace::Scope::atomics && std::ranges::none_of(to, like)) like = same_kind;
    const auto lines = lines_where(to, like);
    if (lines.empty()) return -1;
    const auto before = lines_where(from, like);
    const auto place = std::ranges::find(before, one.line) - before.begin();
    const int line = lines[std::min(static_cast<std::size_t>(place), lines.size() - 1)];
    const auto found = std::ranges::find_if(
        to, [&](const trace::Site& other) { return like(other) && other.line == line; });
    return static_cast<int>(found - to.begin());
}

} // namespace

RequestFinder::RequestFinder(const labs::Lab& lab) : lab_(lab) {}

void RequestFinder::forget_values()
{
    median_ = {};
    stand_in_.reset();
}

bool RequestFinder::has_stand_in(const RequestChoice& wanted, const std::string& variant) const
{
    return stand_in_ && stand_in_->wanted == wanted && stand_in_->variant == variant;
}

void RequestFinder::ask(const RequestChoice& wanted, const std::string& variant,
                        const trace::Trace& counted, trace::WatchedRequest& request)
{
    const RequestChoice& choice = has_stand_in(wanted, variant) ? stand_in_->counted : wanted;
    request.site = site_of(choice, variant, counted);
    request.warp = choice.warp < 0 ? median_warp(request.site, counted)
                                   : static_cast<std::uint32_t>(choice.warp);
    request.occurrence = static_cast<std::uint32_t>(choice.request);
}

const std::vector<trace::Site>& RequestFinder::sites_of(const std::string& variant)
{
    const auto [found, is_new] = sites_.try_emplace(variant);
    if (is_new)
        if (const labs::Variant* const known = lab_.find_variant(variant))
            found->second = ptx::sites_of(ptx::parse(lab_.ptx(*known)), known->kernel).sites;
    return found->second;
}

// The busiest load of modelled memory (texels, local memory) that the lab would show, if no fewer
// requests go there than to `other`; -1: there is none.
int RequestFinder::busier_modelled_site(const trace::Trace& trace, int other) const
{
    int busiest = -1;
    std::uint64_t requests = other < 0 ? 0 : trace.counts[static_cast<std::size_t>(other)].requests;
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        const trace::Site& site = trace.sites[i];
        const std::uint64_t own = trace.counts[i].requests;
        if (!trace::is_modelled(site.space) || site.op != trace::Op::load || own == 0 ||
            own < requests || (busiest >= 0 && own == requests) ||
            !trace::covers(lab_.opens.request_of, site.op))
            continue;
        busiest = static_cast<int>(i);
        requests = own;
    }
    return busiest;
}

// The site that a choice refers to, in the last launch with counts per site. If the choice names no
// site: the site with the most excess traffic or, if none has any, memory that only a model counts
// if most requests go there, else the site that plays the same role as the last choice, else
// constant memory, else the site with the most requests. -1 if nothing has been counted yet.
int RequestFinder::site_of(const RequestChoice& choice, const std::string& variant,
                           const trace::Trace& trace)
{
    const auto like = [&](const RequestChoice& other) {
        if (other.site < 0 || other.variant.empty()) return other.site;
        if (other.variant == variant) return other.site;
        return matching_site(sites_of(other.variant), other.site, trace.sites);
    };
    if (const int site = like(choice); site >= 0) return site;
    if (trace.sites.empty()) return -1;
    int worst = -1;
    std::tuple<double, bool, std::uint64_t> highest{};
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        if (!may_be_shown(trace.sites[i], trace)) continue;
        const std::tuple paid{trace.counts[i].excess(),
                              trace.sites[i].space == trace::Space::constant,
                              trace.counts[i].requests};
        if (worst >= 0 && paid <= highest) continue;
        worst = static_cast<int>(i);
        highest = paid;
    }
    if (std::get<0>(highest) <= 1) {
        if (const int site = busier_modelled_site(trace, worst); site >= 0) return site;
        if (const int site = like(last_request_); site >= 0) return site;
    }
    return std::max(worst, 0);
}

// True if the request may be shown by default, that is, if it is of the lab's kind of access, or
// the kernel has no access of that kind.
bool RequestFinder::may_be_shown(const trace::Site& site, const trace::Trace& counted) const
{
    const trace::Scope scope = lab_.opens.request_of;
    if (!trace::is_watchable(site)) return false;
    if (trace::covers(scope, site.op)) return true;
    return std::ranges::none_of(counted.sites, [&](const trace::Site& one) {
        return trace::is_watchable(one) && trace::covers(scope, one.op);
    });
}

double RequestFinder::worst_excess(const trace::Trace& counted) const
{
    double max_excess = 0;
    for (std::size_t i = 0; i < counted.counts.size(); ++i)
        if (may_be_shown(counted.sites[i], counted))
            max_excess = std::max(max_excess, counted.counts[i].excess());
    return max_excess;
}

// If the chosen warp makes no such request, selects one that exists: at the same access if any warp
// executes it, else at the access with the most requests; by a warp near the start or end of the
// launch.
void RequestFinder::find(const RequestChoice& wanted, const std::string& variant,
                         labs::Experiment& experiment, trace::Trace& trace)
{
    if (has_stand_in(wanted, variant)) return;
    trace::WatchedRequest& request = trace.request;
    if (request.active != 0) {
        last_request_ = {request.site, 0, 0, variant};
        return;
    }
    const auto site = static_cast<std::size_t>(request.site);
    if (site >= trace.counts.size()) return;
    if (trace::is_modelled(trace.sites[site].space) && trace.counts[site].requests != 0) return;
    StandIn found{wanted, variant, wanted};
    if (trace.counts[site].requests == 0) { // selects a different access
        const auto busiest = std::ranges::max_element(trace.counts, {}, &trace::Counts::requests);
        if (busiest->requests == 0) return;
        request.site = static_cast<int>(busiest - trace.counts.begin());
        request.seen = 0;
    }
    const std::uint64_t own = trace.grid.count() * ((trace.block.count() + 31) / 32);
    const std::uint64_t warps = std::max<std::uint64_t>(own, trace.warps.size());
    constexpr std::uint64_t near = 8;
    std::vector<RequestChoice> others;
    if (request.seen > 0)
        others.push_back({request.site, static_cast<std::int64_t>(request.warp), request.seen - 1});
    for (std::uint64_t warp = 0; warp < std::min(near, warps); ++warp) {
        others.push_back({request.site, static_cast<std::int64_t>(warp), 0});
        others.push_back({request.site, static_cast<std::int64_t>(warps - 1 - warp), 0});
        if (own + warp < warps) // in the first device-side launch
            others.push_back({request.site, static_cast<std::int64_t>(own + warp), 0});
    }
    for (const RequestChoice& other : others) {
        trace::Trace again;
        again.request.site = other.site;
        again.request.warp = static_cast<std::uint32_t>(other.warp);
        again.request.occurrence = static_cast<std::uint32_t>(other.request);
        experiment.recount(again);
        if (again.request.active == 0) continue;
        request = again.request;
        found.counted = other;
        break;
    }
    stand_in_ = std::move(found);
}

// A warp whose traffic in the site's memory is the median over the warps of the last counted launch
// that have any: the first such warp. It stays the same until variant or parameters change.
std::uint32_t RequestFinder::median_warp(int site, const trace::Trace& trace)
{
    if (site < 0 || static_cast<std::size_t>(site) >= trace.sites.size()) return 0;
    if (median_ && median_->site == site) return median_->warp;
    const bool shared = trace.sites[static_cast<std::size_t>(site)].space == trace::Space::shared;
    const auto paid = [shared](const trace::WarpCounts& warp) {
        return shared ? warp.shared_wavefronts : warp.global_sectors;
    };
    std::vector<std::uint64_t> costs;
    for (const trace::WarpCounts& warp : trace.warps)
        if (paid(warp) != 0) costs.push_back(paid(warp));
    if (costs.empty()) return 0;
    const auto middle = costs.begin() + static_cast<std::ptrdiff_t>((costs.size() - 1) / 2);
    std::ranges::nth_element(costs, middle);
    const auto found = std::ranges::find(trace.warps, *middle, paid);
    median_ = MedianWarp{site, static_cast<std::uint32_t>(found - trace.warps.begin())};
    return median_->warp;
}

} // namespace lanescope::app
