// How often each outcome of the litmus tests was seen in other orders on the lockstep machine.
// tests/unit/labs/memory_model_test.cpp compares the table, and writes it again with
// UPDATE_LITMUS=1.
#pragma once

#include <array>
#include <cstdint>

#include "compute/labs/memory_model/ptx_model.h"

namespace lanescope::labs::memory_model {

using Counts = std::array<std::array<std::int32_t, outcomes>, tests>;

inline constexpr int recorded_orders = 256;   // orders 1 to this one
inline constexpr int recorded_instances = 32; // of each test in each order

// By form.
inline constexpr std::array<Counts, forms> seen_in_orders{{
#include "compute/labs/memory_model/orders.def"
}};

// The same on an H200, in 50,000 launches with 256 instances of each test.
inline constexpr std::array<Counts, forms> seen_on_h200{{
#include "compute/labs/memory_model/h200.def"
}};

} // namespace lanescope::labs::memory_model
