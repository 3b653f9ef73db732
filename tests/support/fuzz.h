// Number of inputs for fuzzing tests: few by default, a million with LANESCOPE_FUZZ_INPUTS=1000000;
// LANESCOPE_FUZZ_SEED selects other inputs.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace lanescope::test {

inline std::int64_t fuzz_inputs(std::int64_t usual)
{
    const char* const wanted = std::getenv("LANESCOPE_FUZZ_INPUTS");
    return wanted != nullptr ? std::atoll(wanted) : usual;
}

inline std::uint32_t fuzz_seed(std::uint32_t usual)
{
    const char* const wanted = std::getenv("LANESCOPE_FUZZ_SEED");
    return wanted != nullptr ? static_cast<std::uint32_t>(std::atoll(wanted)) : usual;
}

} // namespace lanescope::test
