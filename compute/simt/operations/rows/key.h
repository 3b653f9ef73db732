// Key of a row function: an instruction's modifiers as plain data. Each instruction set has
// selectors that map a key to a function. Keys use no library code, so that code for one
// instruction set can't be linked into another.
#pragma once

#include <cstdint>

#include "compute/ptx/instructions/table.h"
#include "compute/simt/operations/rows/rows.h"

namespace lanescope::simt::rows {

using ptx::Op;
using ptx::Unit;

enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rna, rni, rzi, rmi, rpi, rs };

enum class Compare : std::uint8_t {
    eq,
    ne,
    lt,
    le,
    gt,
    ge,
    equ,
    neu,
    ltu,
    leu,
    gtu,
    geu,
    num,
    nan
};

enum class Boolean : std::uint8_t { none, bit_and, bit_or, bit_xor };

// Part of a product, half of the operands, or interpretation of a shift amount.
enum class Part : std::uint8_t {
    none,
    lo,
    hi,
    wide,
    clamp,
    wrap,
    left_clamp,
    left_wrap,
    right_clamp,
    right_wrap
};

enum class PermuteMode : std::uint8_t { indexed, f4e, b4e, rc8, ecl, ecr, rc16 };

enum class Test : std::uint8_t { finite, infinite, number, notanumber, normal, subnormal };

// Signs of a fused multiply-add.
enum class Signs : std::uint8_t { plain, product_negated, addend_negated };

struct Key {
    Op op{};
    Unit unit{};                        // family of the instruction
    ptx::Type type = ptx::Type::none;   // destination type if the instruction names two
    ptx::Type source = ptx::Type::none; // source type; equals `type` if the instruction names one
    ptx::Type third = ptx::Type::none;  // third type, if the instruction names three
    Rounding rounding = Rounding::none;
    Compare compare{};
    Boolean boolean = Boolean::none;
    Part part = Part::none;
    PermuteMode permute = PermuteMode::indexed;
    Test test{};
    Signs signs = Signs::plain;
    bool ftz = false;
    bool sat = false;
    bool satfinite = false;
    bool relu = false;
    bool nan = false; // min.NaN
    bool xorsign = false;
    bool approx = false;
    bool full = false;
    bool carry_in = false;
    bool carry_out = false;
    bool shift_amount = false; // bfind.shiftamt
    bool tf32 = false;         // cvt to tf32, which is not a separate type
    bool accumulate = false;   // vabsdiff4.add
    bool packed = false;       // u16x2 and s16x2: `type` is the type of a half
    bool absolute = false;     // min.abs
    bool three = false;        // min of three values
    bool oob = false;          // fma.oob
    int elements = 0;          // size of the vector that mov packs or unpacks
};

} // namespace lanescope::simt::rows
