// What a row function depends on, as plain data: the modifiers of an instruction without its words.
// Each instruction set's selectors turn a key into a function; no library code is shared between
// them, so none can leak from one instruction set into another.
#pragma once

#include <cstdint>

#include "compute/ptx/instructions/table.h"
#include "compute/simt/operations/rows/rows.h"

namespace lanescope::simt::rows {

using ptx::Op;
using ptx::Unit;

enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rna, rni, rzi, rmi, rpi };

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

// Which part of a product, which half of the operands, or how a shift amount is taken.
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

// Of a product and a sum that are fused.
enum class Signs : std::uint8_t { plain, product_negated, addend_negated };

struct Key {
    Op op{};
    Unit unit{};                        // the family
    ptx::Type type = ptx::Type::none;   // of the destination where the instruction names two
    ptx::Type source = ptx::Type::none; // of the sources; the same as `type` where it names one
    ptx::Type third = ptx::Type::none;  // where the instruction names three
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
    bool tf32 = false;         // cvt to tf32, which has no type of its own
    bool accumulate = false;   // vabsdiff4.add
    bool packed = false;       // u16x2 and s16x2: `type` names the half
    int elements = 0;          // of the vector that mov packs or unpacks
};

} // namespace lanescope::simt::rows
