// Modifiers of an opcode as fields: parsed once, by the instruction table.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace lanescope::ptx {

enum class Type : std::uint8_t {
    none,
    pred,
    b8,
    b16,
    b32,
    b64,
    b128,
    u8,
    u16,
    u32,
    u64,
    s8,
    s16,
    s32,
    s64,
    f16,
    bf16,
    f16x2,
    bf16x2,
    f32,
    f64,
    texref,
    samplerref,
    surfref,
    // Matrix elements only.
    s4,
    u4,
    b1,
    // Two packed FP8 values (conversions only).
    e4m3x2,
    e5m2x2,
    // Small formats that only conversions name: two FP4 values in a byte, two FP6 values or scale
    // factors in 16 bits.
    e2m1x2,
    e2m3x2,
    e3m2x2,
    ue8m0x2,
    f32x2, // two f32 in a 64-bit register
    s2,    // cvt.pack only
    u2,
};

// Size of one value of the type in memory; a predicate counts as 1.
int size_bytes(Type type);

enum class Space : std::uint8_t { none, reg, constant, global, local, param, shared };

enum class Op : std::uint16_t;  // row of the instruction table (table.h)
enum class Word : std::uint8_t; // modifier that code refers to by name (table.h)

class Modifiers {
public:
    bool has(Word word) const { return (words_[index(word) / 64] >> (index(word) % 64) & 1u) != 0; }
    bool has_any(const Modifiers& of) const
    {
        bool any = false;
        for (std::size_t i = 0; i < words_.size(); ++i) any |= (words_[i] & of.words_[i]) != 0;
        return any;
    }
    constexpr void add(Word word)
    {
        words_[index(word) / 64] |= std::uint64_t{1} << (index(word) % 64);
    }
    void add(Type type)
    {
        if (count_ < types_.size()) types_[count_++] = type;
    }

    // Types in text order; none if there are fewer. source() returns the second type, or the first
    // if there is no second.
    Type type() const { return types_[0]; }
    Type source() const { return count_ > 1 ? types_[1] : types_[0]; }
    Type third() const { return types_[2]; }
    Type type(int index) const { return types_[static_cast<std::size_t>(index)]; }
    int type_count() const { return count_; }

    // Matrix instructions: m, n and k of the shape, .m64n8k16; zero if there is none.
    std::array<std::uint16_t, 3> shape{};
    Space space = Space::none;  // none: not specified
    std::uint8_t elements = 1;  // .v2, .v4, .v8
    std::string_view not_run{}; // a valid PTX modifier that the lockstep machine does not support

private:
    static constexpr std::size_t index(Word word) { return static_cast<std::size_t>(word); }

    std::array<std::uint64_t, 4> words_{};
    std::array<Type, 4> types_{};
    std::uint8_t count_ = 0;
};

} // namespace lanescope::ptx
