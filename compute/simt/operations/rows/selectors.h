// One selector per family of instructions; null for a key that the family doesn't support.
#pragma once

#include "compute/simt/operations/rows/key.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

RowFunction select_integer(const Key& key);
RowFunction select_carry(const Key& key);
RowFunction select_bitwise(const Key& key);
RowFunction select_bitfield(const Key& key);
RowFunction select_float(const Key& key);
RowFunction select_float_choice(const Key& key);
RowFunction select_approximate(const Key& key);
RowFunction select_half(const Key& key);
RowFunction select_comparison(const Key& key);
RowFunction select_conversion(const Key& key);
RowFunction select_conversion_to_integer(const Key& key);
RowFunction select_conversion_to_float(const Key& key);
RowFunction select_small_float(const Key& key);
RowFunction select_stochastic(const Key& key);
RowFunction select_move(const Key& key);

// Selector for any key: dispatches on its family.
RowFunction select(const Key& key);

} // namespace lanescope::simt::rows::LANESCOPE_ISA
