// The registers that a SASS instruction reads and writes.
#pragma once

#include <cstdint>
#include <vector>

#include "compute/assembled/sass.h"

namespace lanescope::predicted {

// A register by file and number: R3, UR4, P0, UP1.
using Register = std::uint16_t;
constexpr std::size_t register_count = 4 * 256;

struct Operands {
    std::vector<Register> read;
    std::vector<Register> written;
};

Operands operands_of(const assembled::SassInstruction& instruction);

// Registers of a thread, as ptxas allocates them for compute capability 9.0.
int registers_of(const assembled::SassFunction& function);

} // namespace lanescope::predicted
