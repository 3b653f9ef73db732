// Table of ratios, one row each: id, names and unit.
#include "app/measure/ratios.h"

#include <fmt/format.h>

namespace lanescope::app {

using trace::Ratio;

RatioText text(Ratio ratio)
{
    switch (ratio) {
    case Ratio::sectors_per_load:
        return {"sectors_per_load", "sectors per load", "sectors of 32 B per load request", 0, 8};
    case Ratio::sectors_per_store:
        return {"sectors_per_store", "sectors per store", "sectors of 32 B per store request", 0,
                8};
    case Ratio::sectors_over_ideal:
        return {"sectors_over_ideal", "sectors / ideal, all", "global sectors / ideal, all", 0, 2};
    case Ratio::load_sectors_over_ideal:
        return {"load_sectors_over_ideal", "sectors / ideal, loads",
                "global sectors / ideal, loads", 0, 2};
    case Ratio::store_sectors_over_ideal:
        return {"store_sectors_over_ideal", "sectors / ideal, stores",
                "global sectors / ideal, stores", 0, 2};
    case Ratio::atomic_sectors_over_ideal:
        return {"atomic_sectors_over_ideal", "sectors / ideal, atomics",
                "global sectors / ideal, atomics", 0, 2};
    case Ratio::wavefronts_over_ideal:
        return {"wavefronts_over_ideal", "wavefronts / ideal, all",
                "shared wavefronts / ideal, all", 0, 2};
    case Ratio::load_wavefronts_over_ideal:
        return {"load_wavefronts_over_ideal", "wavefronts / ideal, loads",
                "shared wavefronts / ideal, loads", 0, 2};
    case Ratio::store_wavefronts_over_ideal:
        return {"store_wavefronts_over_ideal", "wavefronts / ideal, stores",
                "shared wavefronts / ideal, stores", 0, 2};
    case Ratio::atomic_wavefronts_over_ideal:
        return {"atomic_wavefronts_over_ideal", "wavefronts / ideal, atomics",
                "shared wavefronts / ideal, atomics", 0, 2};
    case Ratio::lanes_per_instruction:
        return {"lanes_per_instruction", "active lanes", "active lanes of 32 per instruction", 0,
                32};
    case Ratio::instructions_per_item:
        return {"instructions_per_item", "warp instructions per item", "warp instructions per item",
                0, 0};
    case Ratio::bytes_per_item:
        return {"bytes_per_item", "bytes moved per item", "bytes of sectors moved per item", 0, 0};
    }
    return {};
}

Ratio to_ratio(labs::Ratio named)
{
    switch (named) {
    case labs::Ratio::sectors_per_load: return Ratio::sectors_per_load;
    case labs::Ratio::sectors_per_store: return Ratio::sectors_per_store;
    case labs::Ratio::sectors_over_ideal: return Ratio::sectors_over_ideal;
    case labs::Ratio::wavefronts_over_ideal: return Ratio::wavefronts_over_ideal;
    case labs::Ratio::lanes_per_instruction: return Ratio::lanes_per_instruction;
    case labs::Ratio::bytes_per_item: return Ratio::bytes_per_item;
    case labs::Ratio::instructions_per_item: break;
    }
    return Ratio::instructions_per_item;
}

std::string ratio_text(Ratio ratio, const std::optional<double>& value)
{
    if (!value) return "–";
    const bool relative_to_ideal = text(ratio).id.ends_with("_over_ideal");
    return fmt::format("{:.2f}{}", *value, relative_to_ideal ? "×" : "");
}

} // namespace lanescope::app
