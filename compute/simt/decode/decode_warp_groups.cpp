// wgmma: determines the registers, layouts and types of a product. Also setmaxnreg.
#include <algorithm>

#include <fmt/format.h>

#include "compute/simt/decode/decoder.h"

namespace lanescope::simt {

namespace {

using Kind = ptx::Operand::Kind;
using ptx::Op;
using ptx::Word;

constexpr int operand_bits = 256; // of a row of a or a column of b

bool is_fp8(MatrixElement element)
{
    return element == MatrixElement::e4m3 || element == MatrixElement::e5m2;
}
bool is_octet_integer(MatrixElement element)
{
    return element == MatrixElement::s8 || element == MatrixElement::u8;
}

bool exists(const GroupProduct& work, MatrixElement d)
{
    const int n = work.shape.n;
    switch (work.a) {
    case MatrixElement::f16:
        return work.b == work.a && (d == MatrixElement::f16 || d == MatrixElement::f32);
    case MatrixElement::bf16:
    case MatrixElement::tf32: return work.b == work.a && d == MatrixElement::f32;
    case MatrixElement::e4m3:
    case MatrixElement::e5m2:
        return is_fp8(work.b) && (d == MatrixElement::f16 || d == MatrixElement::f32);
    case MatrixElement::s8:
    case MatrixElement::u8:
        return is_octet_integer(work.b) && d == MatrixElement::s32 && (n <= 32 || n % 16 == 0);
    case MatrixElement::b1:
        return work.b == work.a && d == MatrixElement::s32 && (n <= 32 || n % 16 == 0);
    default: return false;
    }
}

// Accumulators: 16 rows per warp, in blocks of 8 × 8.
Fragment result_fragment(int n, MatrixElement element)
{
    Fragment fragment;
    fragment.element = element;
    fragment.rows = 16;
    fragment.columns = n;
    fragment.run = 2;
    for (int column = 0; column < n; column += 8)
        for (const int row : {0, 8}) fragment.blocks.push_back({row, column});
    fragment.registers = fragment.elements() * std::min(element_bits(element), 32) / 32;
    return fragment;
}

} // namespace

// Value of an immediate operand that has two legal values; `otherwise` if it is missing.
bool FunctionDecoder::is_second(const ptx::Instruction& in, std::size_t operand, std::int64_t first,
                                std::int64_t second)
{
    if (operand >= in.operands.size()) return false;
    const ptx::Operand& given = in.operands[operand];
    const auto value = static_cast<std::int64_t>(given.bits);
    if (given.kind != Kind::immediate || (value != first && value != second))
        refuse(in, fmt::format("operand {} must be {} or {}", operand + 1, first, second));
    return value == second;
}

void FunctionDecoder::group_product(const ptx::Instruction& in, GroupProduct& work)
{
    const bool tf32 = in.has(Word::tf32);
    if (in.modifiers.type_count() != (tf32 ? 1 : 3))
        refuse(in, "the types of its matrices do not match");
    const auto& shape = in.modifiers.shape;
    work.shape = {shape[0], shape[1], shape[2]};
    const MatrixElement d = matrix_element(in.modifiers.type(0));
    work.a = tf32 ? MatrixElement::tf32 : matrix_element(in.modifiers.type(1));
    work.b = tf32 ? MatrixElement::tf32 : matrix_element(in.modifiers.type(2));
    if (!exists(work, d) || work.shape.k * element_bits(work.a) != operand_bits)
        refuse(in, "there is no such matrix product");
    const bool floats = d != MatrixElement::s32;
    const bool single_bits = work.a == MatrixElement::b1;
    if ((in.has(Word::bit_and) && in.has(Word::popc)) != single_bits ||
        in.has(Word::bit_and) != in.has(Word::popc))
        refuse(in, "products of single bits have .and.popc, others do not");
    work.saturate = in.has(Word::satfinite);
    if (work.saturate && !is_octet_integer(work.a)) refuse(in, ".satfinite is only for integers");
    work.result = result_fragment(work.shape.n, d);
    work.rows_d = matrix_rows(in, in.operands[0], work.result, true);
    const bool registers = in.operands[1].kind == Kind::vector;
    if (registers) {
        work.first = mma_fragment(MatrixOperand::a, {16, 8, work.shape.k}, work.a);
        work.rows_a = matrix_rows(in, in.operands[1], work.first, false);
    } else {
        work.descriptor_a = source_row(in, in.operands[1], ptx::Type::b64);
    }
    work.descriptor_b = source_row(in, in.operands[2], ptx::Type::b64);
    work.adds = source_row(in, in.operands[3], ptx::Type::pred);
    work.adds_inverted = in.operands[3].negated;

    const bool transposes = element_bits(work.a) == 16;
    const std::size_t more = (floats ? 2u : 0u) + (transposes ? (registers ? 1u : 2u) : 0u);
    if (in.operands.size() != 4 + more)
        refuse(in, fmt::format("it has {} operands, not {}", in.operands.size(), 4 + more));
    work.negates_a = floats && is_second(in, 4, 1, -1);
    work.negates_b = floats && is_second(in, 5, 1, -1);
    work.across_a = transposes && !registers && is_second(in, 6, 0, 1);
    work.across_b = transposes && is_second(in, registers ? 6 : 7, 0, 1);
}

bool FunctionDecoder::warp_group(const ptx::Instruction& in, Instruction& out)
{
    Operands operands; // all lanes participate
    operands.rows[0] = shared.constant32(full_mask);
    switch (in.op) {
    case Op::wgmma: {
        GroupProduct work;
        group_product(in, work);
        work.unfenced = early_uses.unfenced[out.source];
        operands.values[0] = static_cast<std::int64_t>(function.products.size());
        function.products.push_back(std::move(work));
        shared.program.group_products = true;
        out.use(warp_group_handlers(GroupAction::multiply));
        break;
    }
    case Op::wgmma_fence: out.use(warp_group_handlers(GroupAction::fence)); break;
    case Op::wgmma_commit: out.use(warp_group_handlers(GroupAction::commit)); break;
    case Op::setmaxnreg: {
        const ptx::Operand& count = in.operands[0];
        if (count.kind != Kind::immediate || count.bits < 24 || count.bits > 256 ||
            count.bits % 8 != 0)
            refuse(in, "its number of registers must be a multiple of 8 from 24 to 256");
        operands.values[0] = static_cast<std::int64_t>(count.bits);
        operands.values[1] = in.has(Word::inc) ? 1 : 0;
        out.use(warp_group_handlers(GroupAction::registers));
        break;
    }
    default:
        if (in.operands[0].kind != Kind::immediate) refuse(in, "its operand is not a number");
        operands.values[0] = static_cast<std::int64_t>(
            std::min<std::uint64_t>(in.operands[0].bits, std::uint64_t{1} << 32));
        out.use(warp_group_handlers(GroupAction::wait));
        break;
    }
    out.extra = add_operands(operands);
    return true;
}

// An uncounted instruction before one that may use registers of a pending product.
void FunctionDecoder::add_look(int index)
{
    if (!is_suspect(index)) return;
    const ptx::Instruction& in = source.instructions[static_cast<std::size_t>(index)];
    Instruction look;
    look.use(warp_group_handlers(GroupAction::look));
    look.counted = 0;
    look.source = static_cast<std::uint32_t>(index);
    if (in.guard) {
        look.guarded = true;
        look.guard_negated = in.guard->negated;
        look.guard = register_row(in.guard->reg);
    }
    function.code.push_back(look);
}

} // namespace lanescope::simt
