// How a kernel uses the elements that it loads from memory: as floating-point numbers, as integers
// in arithmetic, or neither, as when it copies them or takes them apart into bytes.
#pragma once

#include <cstdint>

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

enum class ElementUse : std::uint8_t { unknown, integer, real };

// Use of the elements of 4 or 8 bytes that the load or atomic operation reads. Values are followed
// through moves, but not through memory.
ElementUse element_use(const Function& kernel, int instruction);

} // namespace lanescope::ptx
