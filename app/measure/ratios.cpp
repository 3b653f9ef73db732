// See ratios.h.
#include "app/measure/ratios.h"

namespace lanescope::app {
namespace {

std::optional<double> over(std::uint64_t part, std::uint64_t whole)
{
    if (whole == 0) return {};
    return static_cast<double>(part) / static_cast<double>(whole);
}

trace::Counts sum(trace::Counts a, const trace::Counts& b, const trace::Counts& c)
{
    a += b;
    a += c;
    return a;
}

trace::Counts global(const trace::Totals& totals)
{
    return sum(totals.global_load, totals.global_store, totals.global_atomic);
}

} // namespace

RatioText text(labs::Ratio ratio)
{
    switch (ratio) {
    case labs::Ratio::sectors_per_load:
        return {"sectors_per_load", "sectors of 32 B a load request", 0, 8};
    case labs::Ratio::sectors_per_store:
        return {"sectors_per_store", "sectors of 32 B a store request", 0, 8};
    case labs::Ratio::sectors_over_ideal:
        return {"sectors_over_ideal", "global sectors moved / needed", 0, 2};
    case labs::Ratio::wavefronts_over_ideal:
        return {"wavefronts_over_ideal", "shared wavefronts / conflict-free", 0, 2};
    case labs::Ratio::lanes_per_instruction:
        return {"lanes_per_instruction", "active lanes of 32 an instruction", 0, 32};
    case labs::Ratio::instructions_per_item:
        return {"instructions_per_item", "warp instructions an item", 0, 0};
    }
    return {};
}

std::optional<double> value(labs::Ratio ratio, const trace::Totals& totals, double items)
{
    switch (ratio) {
    case labs::Ratio::sectors_per_load:
        return over(totals.global_load.sectors, totals.global_load.requests);
    case labs::Ratio::sectors_per_store:
        return over(totals.global_store.sectors, totals.global_store.requests);
    case labs::Ratio::sectors_over_ideal: {
        const trace::Counts all = global(totals);
        return over(all.sectors, all.ideal_sectors);
    }
    case labs::Ratio::wavefronts_over_ideal: {
        const trace::Counts all =
            sum(totals.shared_load, totals.shared_store, totals.shared_atomic);
        return over(all.wavefronts, all.ideal_wavefronts);
    }
    case labs::Ratio::lanes_per_instruction:
        return over(totals.thread_instructions, totals.warp_instructions);
    case labs::Ratio::instructions_per_item:
        if (!(items > 0)) return {};
        return static_cast<double>(totals.warp_instructions) / items;
    }
    return {};
}

std::uint64_t global_sectors(const trace::Totals& totals)
{
    return global(totals).sectors;
}

} // namespace lanescope::app
