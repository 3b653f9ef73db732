// The part of WebAssembly's binary format that modules generated in a browser need, and the
// program's function table, to which their functions are added.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace lanescope::simt::wasm {

using Bytes = std::initializer_list<int>;

class Binary {
public:
    Binary& operator<<(Bytes bytes)
    {
        for (const int byte : bytes) bytes_.push_back(static_cast<std::uint8_t>(byte));
        return *this;
    }
    Binary& operator<<(const Binary& code)
    {
        bytes_.insert(bytes_.end(), code.bytes_.begin(), code.bytes_.end());
        return *this;
    }
    Binary& number(std::uint64_t value)
    {
        for (; value >= 0x80; value >>= 7)
            bytes_.push_back(static_cast<std::uint8_t>(value | 0x80));
        bytes_.push_back(static_cast<std::uint8_t>(value));
        return *this;
    }
    Binary& signed_number(std::int64_t value)
    {
        for (; value < -64 || value >= 64; value >>= 7)
            bytes_.push_back(static_cast<std::uint8_t>(value | 0x80));
        bytes_.push_back(static_cast<std::uint8_t>(value & 0x7f));
        return *this;
    }
    Binary& section(std::uint8_t id, const Binary& content)
    {
        bytes_.push_back(id);
        return counted(content);
    }
    Binary& counted(const Binary& content) { return number(content.bytes_.size()) << content; }
    std::span<const std::uint8_t> bytes() const { return bytes_; }
    std::size_t size() const { return bytes_.size(); }

private:
    std::vector<std::uint8_t> bytes_;
};

enum Opcode : std::uint8_t {
    unreachable = 0x00,
    block = 0x02,
    loop = 0x03,
    if_ = 0x04,
    else_ = 0x05,
    end = 0x0b,
    br = 0x0c,
    br_if = 0x0d,
    br_table = 0x0e,
    return_ = 0x0f,
    call_indirect = 0x11,
    select = 0x1b,
    select_typed = 0x1c,
    local_get = 0x20,
    local_set = 0x21,
    local_tee = 0x22,
    global_get = 0x23,
    i32_load = 0x28,
    i64_load = 0x29,
    i32_load8_u = 0x2d,
    i32_store = 0x36,
    i64_store = 0x37,
    i32_const = 0x41,
    i64_const = 0x42,
    i32_eqz = 0x45,
    i32_eq = 0x46,
    i32_ne = 0x47,
    i32_lt_u = 0x49,
    i64_ge_u = 0x5a,
    i32_add = 0x6a,
    i32_sub = 0x6b,
    i32_and = 0x71,
    i32_or = 0x72,
    i32_xor = 0x73,
    i32_shl = 0x74,
    i32_shr_u = 0x76,
    i64_add = 0x7c,
    vector = 0xfd, // prefix of the instructions below
};
enum Type : std::uint8_t { i32 = 0x7f, i64 = 0x7e, v128 = 0x7b, funcref = 0x70, nothing = 0x40 };

// Opcodes that follow the prefix `vector`.
enum Vector : std::uint16_t {
    v128_load = 0x00,
    v128_load32_splat = 0x09,
    v128_store = 0x0b,
    v128_const = 0x0c,
    i8x16_shuffle = 0x0d,
    i32x4_splat = 0x11,
    i64x2_splat = 0x12,
    i32x4_eq = 0x37,
    i32x4_ne = 0x38,
    i32x4_lt_s = 0x39,
    i32x4_lt_u = 0x3a,
    i32x4_gt_s = 0x3b,
    i32x4_gt_u = 0x3c,
    i32x4_le_s = 0x3d,
    i32x4_le_u = 0x3e,
    i32x4_ge_s = 0x3f,
    i32x4_ge_u = 0x40,
    f32x4_eq = 0x41,
    f32x4_ne = 0x42,
    f32x4_lt = 0x43,
    f32x4_gt = 0x44,
    f32x4_le = 0x45,
    f32x4_ge = 0x46,
    f64x2_eq = 0x47,
    f64x2_ne = 0x48,
    f64x2_lt = 0x49,
    f64x2_gt = 0x4a,
    f64x2_le = 0x4b,
    f64x2_ge = 0x4c,
    v128_not = 0x4d,
    v128_and = 0x4e,
    v128_andnot = 0x4f,
    v128_or = 0x50,
    v128_xor = 0x51,
    v128_bitselect = 0x52,
    demote_f64x2 = 0x5e,
    promote_f32x4 = 0x5f,
    f32x4_ceil = 0x67,
    f32x4_floor = 0x68,
    f32x4_trunc = 0x69,
    f32x4_nearest = 0x6a,
    i32x4_abs = 0xa0,
    i32x4_neg = 0xa1,
    i32x4_bitmask = 0xa4,
    i32x4_shl = 0xab,
    i32x4_shr_s = 0xac,
    i32x4_shr_u = 0xad,
    i32x4_add = 0xae,
    i32x4_sub = 0xb1,
    i32x4_mul = 0xb5,
    i32x4_min_s = 0xb6,
    i32x4_min_u = 0xb7,
    i32x4_max_s = 0xb8,
    i32x4_max_u = 0xb9,
    i64x2_neg = 0xc1,
    i64x2_extend_low_s = 0xc7,
    i64x2_extend_high_s = 0xc8,
    i64x2_extend_low_u = 0xc9,
    i64x2_extend_high_u = 0xca,
    i64x2_shl = 0xcb,
    i64x2_shr_s = 0xcc,
    i64x2_shr_u = 0xcd,
    i64x2_add = 0xce,
    i64x2_sub = 0xd1,
    i64x2_mul = 0xd5,
    i64x2_eq = 0xd6,
    i64x2_ne = 0xd7,
    i64x2_lt_s = 0xd8,
    i64x2_gt_s = 0xd9,
    i64x2_le_s = 0xda,
    i64x2_ge_s = 0xdb,
    i64x2_extmul_low_s = 0xdc,
    i64x2_extmul_high_s = 0xdd,
    i64x2_extmul_low_u = 0xde,
    i64x2_extmul_high_u = 0xdf,
    f32x4_abs = 0xe0,
    f32x4_neg = 0xe1,
    f32x4_sqrt = 0xe3,
    f32x4_add = 0xe4,
    f32x4_sub = 0xe5,
    f32x4_mul = 0xe6,
    f32x4_div = 0xe7,
    f64x2_add = 0xf0,
    f64x2_sub = 0xf1,
    f64x2_mul = 0xf2,
    f64x2_div = 0xf3,
    i32x4_trunc_s = 0xf8,
    i32x4_trunc_u = 0xf9,
    f32x4_convert_s = 0xfa,
    f32x4_convert_u = 0xfb,
    f64x2_convert_s = 0xfe,
    f64x2_convert_u = 0xff,
    f32x4_relaxed_madd = 0x105,
};

inline Binary constant(const std::array<std::uint32_t, 4>& words)
{
    Binary code;
    (code << Bytes{vector}).number(v128_const);
    for (const std::uint32_t word : words)
        for (int byte = 0; byte < 4; ++byte)
            code << Bytes{static_cast<int>(word >> (8 * byte) & 0xffu)};
    return code;
}

// Imports of a module: m.m, m.t and m.p are the program's memory, its table, and the index at which
// the exported function f is placed.
Binary imports();

// Returns the table index of the module's function, which is also its function pointer; 0 if the
// browser rejects the module.
int add_to_table(std::span<const std::uint8_t> module);
// Frees the index for reuse.
void remove_from_table(int place);

} // namespace lanescope::simt::wasm
