// Every ratio is one sum divided by another, never a mean of ratios.
#include "compute/trace/ratios.h"

namespace lanescope::trace {
namespace {

std::optional<double> over(std::uint64_t part, std::uint64_t whole)
{
    if (whole == 0) return {};
    return static_cast<double>(part) / static_cast<double>(whole);
}

Counts chosen(const Counts& loads, const Counts& stores, const Counts& atomics, Scope scope)
{
    switch (scope) {
    case Scope::loads: return loads;
    case Scope::stores: return stores;
    case Scope::atomics: return atomics;
    case Scope::all: break;
    }
    Counts all = loads;
    all += stores;
    all += atomics;
    return all;
}

} // namespace

Counts global(const Totals& totals, Scope scope)
{
    return chosen(totals.global_load, totals.global_store, totals.global_atomic, scope);
}

Counts shared(const Totals& totals, Scope scope)
{
    return chosen(totals.shared_load, totals.shared_store, totals.shared_atomic, scope);
}

Counts texels(const Totals& totals, Scope scope)
{
    Counts loads = totals.texture_load;
    loads += totals.surface_load;
    return chosen(loads, totals.surface_store, {}, scope);
}

std::optional<double> sectors_over_ideal(const Counts& counts)
{
    return over(counts.sectors, counts.ideal_sectors);
}

std::optional<double> wavefronts_over_ideal(const Counts& counts)
{
    return over(counts.wavefronts, counts.ideal_wavefronts);
}

std::optional<double> active_lanes(const Counts& counts)
{
    return over(counts.lanes, counts.executions);
}

std::optional<double> value(Ratio ratio, const Totals& totals, double items)
{
    switch (ratio) {
    case Ratio::sectors_per_load:
        return over(totals.global_load.sectors, totals.global_load.requests);
    case Ratio::sectors_per_store:
        return over(totals.global_store.sectors, totals.global_store.requests);
    case Ratio::sectors_over_ideal: return sectors_over_ideal(global(totals));
    case Ratio::load_sectors_over_ideal: return sectors_over_ideal(totals.global_load);
    case Ratio::store_sectors_over_ideal: return sectors_over_ideal(totals.global_store);
    case Ratio::atomic_sectors_over_ideal: return sectors_over_ideal(totals.global_atomic);
    case Ratio::wavefronts_over_ideal: return wavefronts_over_ideal(shared(totals));
    case Ratio::load_wavefronts_over_ideal: return wavefronts_over_ideal(totals.shared_load);
    case Ratio::store_wavefronts_over_ideal: return wavefronts_over_ideal(totals.shared_store);
    case Ratio::atomic_wavefronts_over_ideal: return wavefronts_over_ideal(totals.shared_atomic);
    case Ratio::lanes_per_instruction:
        return over(totals.thread_instructions, totals.warp_instructions);
    case Ratio::instructions_per_item:
        if (!(items > 0)) return {};
        return static_cast<double>(totals.warp_instructions) / items;
    case Ratio::bytes_per_item: {
        const Counts moved = global(totals);
        if (!(items > 0) || moved.requests == 0) return {};
        return 32 * static_cast<double>(moved.sectors) / items;
    }
    }
    return {};
}

} // namespace lanescope::trace
