// PTX vocabulary other than instructions: type names and special registers. The parser refuses
// words that are not listed here.
#pragma once

#include <optional>
#include <string_view>

#include "compute/ptx/instructions/modifiers.h"

namespace lanescope::ptx {

// "u32" → Type::u32; nullopt if the word is not a type of a variable or register.
std::optional<Type> type_of(std::string_view word);

// Name of the type in PTX, without the dot.
std::string_view name(Type type);

// Why the lockstep machine doesn't support a modifier that is marked '!' in the instruction table.
std::string_view why_unsupported(std::string_view word);

// True for "tid.x", "laneid", "lanemask_lt", … (without '%').
bool is_special_register(std::string_view name);

} // namespace lanescope::ptx
