// Sums of counts by space and operation, over sites.
#include "compute/trace/trace.h"

namespace lanescope::trace {
namespace {

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
