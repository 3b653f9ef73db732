// Measured peak rates of a device.
#pragma once

#include <string_view>

namespace lanescope::app {

struct Roofs {
    double copy_gb_per_s = 0; // 0: unknown
    double fp32_gflop_per_s = 0;
    double add_min_gop_per_s = 0; // add + minimum pairs, two operations each

    // Looks a rate up by its name in records; 0 for others.
    double rate(std::string_view name) const
    {
        return name == "fma" ? fp32_gflop_per_s : name == "add_min" ? add_min_gop_per_s : 0;
    }
};

// "multiply-adds": the operations of a rate.
inline const char* rate_words(std::string_view name)
{
    return name == "add_min" ? "add-min pairs" : "multiply-adds";
}

} // namespace lanescope::app
