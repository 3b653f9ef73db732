// Maps instructions to families of row functions.
#include "compute/simt/operations/rows/selectors.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

bool is_floating(ptx::Type type)
{
    return type == ptx::Type::f32 || type == ptx::Type::f64 || type == ptx::Type::f32x2;
}
bool is_half_type(ptx::Type type)
{
    return type == ptx::Type::f16 || type == ptx::Type::bf16 || type == ptx::Type::f16x2 ||
           type == ptx::Type::bf16x2;
}

} // namespace

RowFunction select(const Key& key)
{
    switch (key.unit) {
    case Unit::bitfield: return select_bitfield(key);
    case Unit::logic: return select_bitwise(key);
    case Unit::comparison: return select_comparison(key);
    case Unit::conversion: return select_conversion(key);
    case Unit::move: return select_move(key);
    case Unit::arithmetic: break;
    default: return nullptr;
    }
    if (key.approx || key.full) return select_approximate(key);
    if (is_half_type(key.type)) return select_half(key);
    if (is_floating(key.type)) {
        const bool choice = key.op == Op::min || key.op == Op::max || key.op == Op::abs ||
                            key.op == Op::neg || key.op == Op::copysign || key.op == Op::testp;
        return choice ? select_float_choice(key) : select_float(key);
    }
    return key.carry_in || key.carry_out ? select_carry(key) : select_integer(key);
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
