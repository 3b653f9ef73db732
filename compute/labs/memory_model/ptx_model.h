// The outcomes of the litmus tests that the memory model of PTX allows, found by trying all
// executions.
#pragma once

#include <array>
#include <cstddef>

namespace lanescope::labs::memory_model {

// Each access and fence of a test is executed in one of these forms; the threads are in different
// blocks.
enum class Form : unsigned char { relaxed, block_fence, acquire_release, device_fence };
inline constexpr std::size_t forms = 4;

inline constexpr std::size_t tests = 6;    // in the order of litmus.cu
inline constexpr std::size_t outcomes = 4; // as litmus.cu counts them; the last one is the weak one
inline constexpr std::size_t weak = 3;

// Which outcomes the model allows, by test.
using Allowed = std::array<std::array<bool, outcomes>, tests>;
Allowed allowed_outcomes(Form form);

} // namespace lanescope::labs::memory_model
