// The fixed vocabulary of PTX beside its instructions: type names and special registers. What is
// not here is not understood.
#pragma once

#include <optional>
#include <string_view>

#include "compute/ptx/instructions/modifiers.h"

namespace lanescope::ptx {

// "u32" → Type::u32; nullopt for a word that is no type of a variable or register.
std::optional<Type> type_of(std::string_view word);

// Type as it is written in PTX, without the dot.
std::string_view name(Type type);

// Why the lockstep machine does not run a modifier that the instruction table marks so.
std::string_view reason_of_word(std::string_view word);

// True for "tid.x", "laneid", "lanemask_lt", … (without '%').
bool is_special_register(std::string_view name);

} // namespace lanescope::ptx
