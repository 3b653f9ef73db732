// What a device was measured to do at most.
#pragma once

#include <string_view>

namespace lanescope::app {

struct Roofs {
    double copy_gb_per_s = 0; // 0: not known
    double fp32_gflop_per_s = 0;
    double add_min_gop_per_s = 0; // pairs of an addition and a minimum, each two operations

    // By the name that a record gives it; 0 for others.
    double rate(std::string_view name) const
    {
        return name == "fma" ? fp32_gflop_per_s : name == "add_min" ? add_min_gop_per_s : 0;
    }
};

// "multiply-adds": what a rate is of.
inline const char* rate_words(std::string_view name)
{
    return name == "add_min" ? "add-min pairs" : "multiply-adds";
}

} // namespace lanescope::app
