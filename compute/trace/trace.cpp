// Sums of counts: by site over launches, by space and operation over sites.
#include "compute/trace/trace.h"

#include <algorithm>

#include "compute/error.h"

namespace lanescope::trace {

namespace {

WarpCounts& operator+=(WarpCounts& to, const WarpCounts& from)
{
    to.warp_instructions += from.warp_instructions;
    to.thread_instructions += from.thread_instructions;
    to.global_requests += from.global_requests;
    to.global_sectors += from.global_sectors;
    to.global_ideal_sectors += from.global_ideal_sectors;
    to.shared_requests += from.shared_requests;
    to.shared_wavefronts += from.shared_wavefronts;
    to.shared_ideal_wavefronts += from.shared_ideal_wavefronts;
    to.branches += from.branches;
    to.divergent_branches += from.divergent_branches;
    to.memory_lanes += from.memory_lanes;
    return to;
}

template <class T>
void add_each(std::vector<T>& to, const std::vector<T>& from)
{
    if (to.size() < from.size()) to.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

// The space that a site's counts belong to: as written, or for generic accesses the one that they
// reached.
Space reached(const Site& site, const Counts& counts)
{
    if (site.space != Space::generic) return site.space;
    if (counts.sectors != 0) return Space::global;
    return counts.wavefronts != 0 ? Space::shared : Space::local;
}

} // namespace

std::string_view name(Space space)
{
    switch (space) {
    case Space::global: return "global";
    case Space::shared: return "shared";
    case Space::local: return "local";
    case Space::constant: return "const";
    case Space::texture: return "texture";
    case Space::generic: return "generic";
    default: return "none";
    }
}

std::string_view name(Op op)
{
    switch (op) {
    case Op::load: return "load";
    case Op::store: return "store";
    case Op::atomic: return "atomic";
    case Op::reduction: return "reduction";
    default: return "branch";
    }
}

double Counts::excess() const
{
    const std::uint64_t moved = ideal_sectors > 0 ? sectors : wavefronts;
    const std::uint64_t needed = ideal_sectors > 0 ? ideal_sectors : ideal_wavefronts;
    return needed == 0 ? 1 : static_cast<double>(moved) / static_cast<double>(needed);
}

Counts& Counts::operator+=(const Counts& other)
{
    executions += other.executions;
    lanes += other.lanes;
    requests += other.requests;
    sectors += other.sectors;
    ideal_sectors += other.ideal_sectors;
    wavefronts += other.wavefronts;
    ideal_wavefronts += other.ideal_wavefronts;
    divergent += other.divergent;
    return *this;
}

void Trace::add(const Trace& other)
{
    if (kernel.empty()) {
        const Trace asked = *this;
        *this = other;
        watched.address = asked.watched.address;
        watched.bytes = asked.watched.bytes;
        if (request.site < 0) request = asked.request;
        return;
    }
    if (kernel != other.kernel || sites.size() != other.sites.size() || !(grid == other.grid) ||
        !(block == other.block))
        throw Error(ExitStatus::bad_usage,
                    "Traces of different kernels or launch shapes cannot be added.",
                    "Keep one trace for each kernel.");
    add_each(counts, other.counts);
    add_each(warps, other.warps);
    add_each(watched.touches, other.watched.touches);
    if (watched.warps.size() < other.watched.warps.size())
        watched.warps.resize(other.watched.warps.size());
    for (std::size_t i = 0; i < other.watched.warps.size(); ++i)
        watched.warps[i] = std::max(watched.warps[i], other.watched.warps[i]);
    if (footprint.owners.size() < other.footprint.owners.size())
        footprint.owners.resize(other.footprint.owners.size());
    for (std::size_t i = 0; i < other.footprint.owners.size(); ++i)
        if (other.footprint.owners[i] != 0) footprint.owners[i] = other.footprint.owners[i];
    warp_instructions += other.warp_instructions;
    thread_instructions += other.thread_instructions;
    faults.insert(faults.end(), other.faults.begin(), other.faults.end());
}

Totals Trace::totals() const
{
    Totals totals;
    for (std::size_t i = 0; i < sites.size() && i < counts.size(); ++i) {
        const Site& site = sites[i];
        if (site.op == Op::branch) {
            totals.branches += counts[i].executions;
            totals.divergent_branches += counts[i].divergent;
            continue;
        }
        const Space space = reached(site, counts[i]);
        const bool is_shared = space == Space::shared;
        if (!is_shared && space != Space::global) continue;
        if (site.op == Op::load)
            (is_shared ? totals.shared_load : totals.global_load) += counts[i];
        else if (site.op == Op::store)
            (is_shared ? totals.shared_store : totals.global_store) += counts[i];
        else
            (is_shared ? totals.shared_atomic : totals.global_atomic) += counts[i];
    }
    totals.warp_instructions = warp_instructions;
    totals.thread_instructions = thread_instructions;
    return totals;
}

} // namespace lanescope::trace
