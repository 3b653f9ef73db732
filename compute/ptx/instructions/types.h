// PTX types and their names, for tables built at compile time.
#pragma once

#include <array>
#include <string_view>

#include "compute/ptx/instructions/modifiers.h"

namespace lanescope::ptx {

struct TypeRow {
    std::string_view name;
    Type type;
    int bytes;
};

constexpr std::array type_rows{
    TypeRow{"none", Type::none, 0},
    TypeRow{"pred", Type::pred, 1},
    TypeRow{"b8", Type::b8, 1},
    TypeRow{"b16", Type::b16, 2},
    TypeRow{"b32", Type::b32, 4},
    TypeRow{"b64", Type::b64, 8},
    TypeRow{"b128", Type::b128, 16},
    TypeRow{"u8", Type::u8, 1},
    TypeRow{"u16", Type::u16, 2},
    TypeRow{"u32", Type::u32, 4},
    TypeRow{"u64", Type::u64, 8},
    TypeRow{"s8", Type::s8, 1},
    TypeRow{"s16", Type::s16, 2},
    TypeRow{"s32", Type::s32, 4},
    TypeRow{"s64", Type::s64, 8},
    TypeRow{"f16", Type::f16, 2},
    TypeRow{"bf16", Type::bf16, 2},
    TypeRow{"f16x2", Type::f16x2, 4},
    TypeRow{"bf16x2", Type::bf16x2, 4},
    TypeRow{"f32", Type::f32, 4},
    TypeRow{"f64", Type::f64, 8},
    TypeRow{"texref", Type::texref, 8},
    TypeRow{"samplerref", Type::samplerref, 8},
    TypeRow{"surfref", Type::surfref, 8},
    TypeRow{"s4", Type::s4, 1},
    TypeRow{"u4", Type::u4, 1},
    TypeRow{"b1", Type::b1, 1},
    TypeRow{"e4m3x2", Type::e4m3x2, 2},
    TypeRow{"e5m2x2", Type::e5m2x2, 2},
    TypeRow{"e2m1x2", Type::e2m1x2, 1},
    TypeRow{"e2m3x2", Type::e2m3x2, 2},
    TypeRow{"e3m2x2", Type::e3m2x2, 2},
    TypeRow{"ue8m0x2", Type::ue8m0x2, 2},
    TypeRow{"f32x2", Type::f32x2, 8},
    TypeRow{"s2", Type::s2, 1},
    TypeRow{"u2", Type::u2, 1},
    // Matrix instructions name the type of one element; a 32-bit register holds four of them.
    TypeRow{"e4m3", Type::e4m3x2, 2},
    TypeRow{"e5m2", Type::e5m2x2, 2},
};

// Type::none if the word is not a type.
constexpr Type type_named(std::string_view word)
{
    for (const TypeRow& row : type_rows)
        if (row.name == word) return row.type;
    return Type::none;
}

} // namespace lanescope::ptx
