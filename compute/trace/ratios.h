// Ratios derived from a trace. Every ratio that is displayed is defined here, and its name says
// which accesses it covers.
#pragma once

#include <cstdint>
#include <optional>

#include "compute/trace/trace.h"

namespace lanescope::trace {

// Sum over the accesses to one kind of memory.
Counts global(const Totals& totals, Scope scope = Scope::all);
Counts shared(const Totals& totals, Scope scope = Scope::all);
Counts texels(const Totals& totals, Scope scope = Scope::all); // textures and surfaces

// Sectors moved divided by the sectors that the same lanes needed; nullopt if none were needed.
std::optional<double> sectors_over_ideal(const Counts& counts);
// Shared-memory wavefronts divided by those that the same lanes need without conflicts.
std::optional<double> wavefronts_over_ideal(const Counts& counts);
// Average number of active lanes per execution, out of 32.
std::optional<double> active_lanes(const Counts& counts);

// Ratios that each summarise a launch as one number.
enum class Ratio : std::uint8_t {
    sectors_per_load,   // per global load request: 4 at best for 32 contiguous 4-byte words
    sectors_per_store,  // per global store request
    sectors_over_ideal, // global memory, all accesses
    load_sectors_over_ideal,
    store_sectors_over_ideal,
    atomic_sectors_over_ideal,
    wavefronts_over_ideal, // shared memory, all accesses
    load_wavefronts_over_ideal,
    store_wavefronts_over_ideal,
    atomic_wavefronts_over_ideal,
    lanes_per_instruction, // active lanes per warp instruction, 32 at best
    instructions_per_item, // warp instructions per item of useful work
    bytes_per_item,        // bytes of global sectors per item of useful work
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

// nullopt if the ratio doesn't apply to the launch. `items` is the amount of useful work of the
// same launch.
std::optional<double> value(Ratio ratio, const Totals& totals, double items = 0);

} // namespace lanescope::trace
