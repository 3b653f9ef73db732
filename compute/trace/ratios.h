// What a trace comes down to: every ratio that is shown anywhere is defined here, and named by what
// it covers.
#pragma once

#include <cstdint>
#include <optional>

#include "compute/trace/trace.h"

namespace lanescope::trace {

// Sums over the accesses of one kind of memory.
Counts global(const Totals& totals, Scope scope = Scope::all);
Counts shared(const Totals& totals, Scope scope = Scope::all);
Counts texels(const Totals& totals, Scope scope = Scope::all); // textures and surfaces

// Sectors moved over those that the same lanes needed; nothing where none were needed.
std::optional<double> sectors_over_ideal(const Counts& counts);
// Wavefronts in shared memory over those that the same lanes need without conflicts.
std::optional<double> wavefronts_over_ideal(const Counts& counts);
// Lanes that took part, of 32, in an execution.
std::optional<double> active_lanes(const Counts& counts);

// A launch in one number.
enum class Ratio : std::uint8_t {
    sectors_per_load,   // of a global load request: 4 at best for 32 neighbouring numbers
    sectors_per_store,  // the same of stores
    sectors_over_ideal, // global memory, all accesses
    load_sectors_over_ideal,
    store_sectors_over_ideal,
    atomic_sectors_over_ideal,
    wavefronts_over_ideal, // shared memory, all accesses
    load_wavefronts_over_ideal,
    store_wavefronts_over_ideal,
    atomic_wavefronts_over_ideal,
    lanes_per_instruction, // active lanes of a warp instruction, 32 at best
    instructions_per_item, // warp instructions for an item of useful work
    bytes_per_item,        // of global sectors, for an item of useful work
};
inline constexpr Ratio all_ratios[] = {Ratio::sectors_per_load,
                                       Ratio::sectors_per_store,
                                       Ratio::sectors_over_ideal,
                                       Ratio::load_sectors_over_ideal,
                                       Ratio::store_sectors_over_ideal,
                                       Ratio::atomic_sectors_over_ideal,
                                       Ratio::wavefronts_over_ideal,
                                       Ratio::load_wavefronts_over_ideal,
                                       Ratio::store_wavefronts_over_ideal,
                                       Ratio::atomic_wavefronts_over_ideal,
                                       Ratio::lanes_per_instruction,
                                       Ratio::instructions_per_item,
                                       Ratio::bytes_per_item};
constexpr bool is_per_item(Ratio ratio)
{
    return ratio == Ratio::instructions_per_item || ratio == Ratio::bytes_per_item;
}

// Nothing where the launch did none of what the ratio is about. `items` are those of the same
// launch's useful work.
std::optional<double> value(Ratio ratio, const Totals& totals, double items = 0);

} // namespace lanescope::trace
