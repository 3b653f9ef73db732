// The fixed vocabulary of PTX: type names, special registers and instructions. What is not here is
// not understood.
#pragma once

#include <optional>
#include <string_view>

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

// "u32" → Type::u32; nullopt for a word that is no type of a variable or register.
std::optional<Type> type_of(std::string_view word);

// Type as it is written in PTX, without the dot.
std::string_view name(Type type);

// True for "tid.x", "laneid", "lanemask_lt", … (without '%').
bool is_special_register(std::string_view name);

// How many operands an instruction takes, and which of them must be an address (-1: none).
struct Opcode {
    std::string_view name;
    int fewest = 0;
    int most = 0;
    int address = -1;
};

// Null when PTX has no such instruction.
const Opcode* find_opcode(std::string_view name);

} // namespace lanescope::ptx
