// A mangled name whose readable form doubles with each level.
#pragma once

#include <string>

namespace lanescope::test {

// kk<P<P<…>, P<…>>>(int*): each level of P names the one below it twice, the second time as a
// reference to the first.
inline std::string long_name(int levels)
{
    constexpr const char* digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    std::string inner = "iiE";
    for (int level = 1; level < levels; ++level) {
        const int number = level; // S_ is kk, S0_ is P, S1_ the innermost P<int, int>
        inner += "S";
        if (number >= 36) inner += digits[number / 36];
        inner += digits[number % 36];
        inner += "_E";
    }
    std::string name = "_Z2kkI1PI";
    for (int level = 1; level < levels; ++level) name += "S0_I";
    return name + inner + "EvPi";
}

} // namespace lanescope::test
