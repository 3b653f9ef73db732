// Which family of row functions an instruction belongs to.
#include "compute/simt/operations/rows/selectors.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

bool is_floating(ptx::Type type)
{
    return type == ptx::Type::f32 || type == ptx::Type::f64;
}
bool is_half_type(ptx::Type type)
{
    return type == ptx::Type::f16 || type == ptx::Type::bf16 || type == ptx::Type::f16x2 ||
           type == ptx::Type::bf16x2;
}

} // namespace

RowFunction select(const Key& key)
{
    switch (key.op) {
    case Op::bfe:
    case Op::bfi:
    case Op::bfind:
    case Op::brev:
    case Op::clz:
    case Op::popc:
    case Op::prmt:
    case Op::dp4a:
    case Op::dp2a:
    case Op::vabsdiff2:
    case Op::vabsdiff4:
    case Op::szext:
    case Op::bmsk:
    case Op::fns: return select_bitfield(key);
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::bit_not:
    case Op::cnot:
    case Op::lop3:
    case Op::shl:
    case Op::shr:
    case Op::shf: return select_bitwise(key);
    case Op::setp:
    case Op::set:
    case Op::selp:
    case Op::slct: return select_comparison(key);
    case Op::cvt:
    case Op::cvt_pack: return select_conversion(key);
    case Op::mov:
    case Op::pack:
    case Op::unpack: return select_move(key);
    default: break;
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
