// mma, wmma, ldmatrix, stmatrix and movmatrix: determines the matrices in their registers.
#include <algorithm>

#include <fmt/format.h>

#include "compute/simt/decode/decoder.h"

namespace lanescope::simt {

namespace {

using Kind = ptx::Operand::Kind;

using ptx::Op;
using ptx::Type;
using ptx::Word;

MatrixShape shape_of(const ptx::Instruction& in)
{
    const auto& shape = in.modifiers.shape;
    return {shape[0], shape[1], shape[2]};
}

bool is_integer(MatrixElement element)
{
    return element == MatrixElement::s8 || element == MatrixElement::u8 ||
           element == MatrixElement::s4 || element == MatrixElement::u4 ||
           element == MatrixElement::b1;
}

bool is_octet(MatrixElement element)
{
    return element == MatrixElement::e4m3 || element == MatrixElement::e5m2;
}

// Valid mma shapes, by element size of a.
bool has_mma_shape(MatrixElement element, MatrixShape shape)
{
    const auto any = [&](std::initializer_list<MatrixShape> shapes) {
        return std::ranges::find(shapes, shape) != shapes.end();
    };
    switch (element) {
    case MatrixElement::f16:
    case MatrixElement::bf16: return any({{16, 8, 8}, {16, 8, 16}});
    case MatrixElement::tf32: return any({{16, 8, 4}, {16, 8, 8}});
    case MatrixElement::f64: return any({{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}});
    case MatrixElement::s8:
    case MatrixElement::u8: return any({{8, 8, 16}, {16, 8, 16}, {16, 8, 32}});
    case MatrixElement::s4:
    case MatrixElement::u4: return any({{8, 8, 32}, {16, 8, 32}, {16, 8, 64}});
    case MatrixElement::e4m3:
    case MatrixElement::e5m2: return any({{16, 8, 16}, {16, 8, 32}});
    case MatrixElement::b1: return any({{8, 8, 128}, {16, 8, 128}, {16, 8, 256}});
    default: return false;
    }
}

// Valid mma.sp shapes, and the number of lanes in four that hold the metadata.
int metadata_lanes(MatrixElement element, MatrixShape shape)
{
    const auto one_of = [&](int k, int twice) {
        if (shape.m != 16 || shape.n != 8) return 0;
        return shape.k == k ? 1 : shape.k == twice ? 2 : 0;
    };
    switch (element) {
    case MatrixElement::f16:
    case MatrixElement::bf16: return one_of(16, 32);
    case MatrixElement::tf32: return one_of(8, 16);
    case MatrixElement::s8:
    case MatrixElement::u8: return 2 * one_of(32, 64);
    case MatrixElement::s4:
    case MatrixElement::u4: return 2 * one_of(64, 128);
    case MatrixElement::e4m3:
    case MatrixElement::e5m2: return shape == MatrixShape{16, 8, 64} ? 4 : 0;
    default: return 0;
    }
}

bool has_wmma_shape(MatrixElement element, MatrixShape shape)
{
    switch (element) {
    case MatrixElement::f16:
    case MatrixElement::bf16:
    case MatrixElement::s8:
    case MatrixElement::u8: return shape.k == 16;
    case MatrixElement::tf32: return shape == MatrixShape{16, 16, 8};
    case MatrixElement::f64: return shape == MatrixShape{8, 8, 4};
    case MatrixElement::s4:
    case MatrixElement::u4: return shape == MatrixShape{8, 8, 32};
    case MatrixElement::b1: return shape == MatrixShape{8, 8, 128};
    default: return false;
    }
}

bool accumulates(MatrixElement element, MatrixElement accumulator)
{
    if (is_integer(element)) return accumulator == MatrixElement::s32;
    if (element == MatrixElement::f64) return accumulator == MatrixElement::f64;
    return accumulator == MatrixElement::f32 ||
           ((element == MatrixElement::f16 || is_octet(element)) &&
            accumulator == MatrixElement::f16);
}

} // namespace

MatrixElement matrix_element(Type type)
{
    switch (type) {
    case Type::f16: return MatrixElement::f16;
    case Type::bf16: return MatrixElement::bf16;
    case Type::f64: return MatrixElement::f64;
    case Type::s32: return MatrixElement::s32;
    case Type::s8: return MatrixElement::s8;
    case Type::u8: return MatrixElement::u8;
    case Type::s4: return MatrixElement::s4;
    case Type::u4: return MatrixElement::u4;
    case Type::b1: return MatrixElement::b1;
    case Type::e4m3x2: return MatrixElement::e4m3;
    case Type::e5m2x2: return MatrixElement::e5m2;
    default: return MatrixElement::f32;
    }
}

// Rows of a vector's registers, or of a single register.
std::vector<RowRef> FunctionDecoder::matrix_rows(const ptx::Instruction& in,
                                                 const ptx::Operand& operand,
                                                 const Fragment& fragment, bool writes)
{
    const ptx::Type type = fragment.element == MatrixElement::f64 ? ptx::Type::b64 : ptx::Type::b32;
    std::vector<RowRef> rows;
    const auto add = [&](const ptx::Operand& element) {
        rows.push_back(writes ? destination_row(in, element, type) : source_row(in, element, type));
    };
    if (operand.kind == Kind::vector)
        for (const ptx::Operand& element : operand.elements) add(element);
    else
        add(operand);
    if (static_cast<int>(rows.size()) != fragment.registers)
        refuse(in, fmt::format("its matrix needs {} registers, but {} are given",
                               fragment.registers, rows.size()));
    return rows;
}

void FunctionDecoder::matrix_product(const ptx::Instruction& in, MatrixWork& work)
{
    const bool wmma = in.op == Op::wmma_mma;
    const int types = in.modifiers.type_count();
    // wmma on f16 names only the accumulator types, and tf32 is not a register type.
    const bool tf32 = in.has(Word::tf32);
    if (types != (tf32 || (wmma && types == 2) ? 2 : 4))
        refuse(in, "the types of its matrices do not match");
    const MatrixElement d = matrix_element(in.modifiers.type(0));
    const MatrixElement c = matrix_element(in.modifiers.type(types - 1));
    const MatrixElement a = tf32         ? MatrixElement::tf32
                            : types == 2 ? MatrixElement::f16
                                         : matrix_element(in.modifiers.type(1));
    const MatrixElement b = types == 2 ? a : matrix_element(in.modifiers.type(2));
    work.shape = shape_of(in);
    const bool same_kind =
        a == b || (is_octet(a) && is_octet(b)) ||
        (is_integer(a) && element_bits(a) == element_bits(b) && a != MatrixElement::b1);
    const bool sparse = in.op == Op::mma_sp;
    const int lanes = sparse ? metadata_lanes(a, work.shape) : 0;
    const bool known = wmma     ? has_wmma_shape(a, work.shape)
                       : sparse ? lanes != 0
                                : has_mma_shape(a, work.shape);
    if (!same_kind || !known || (is_octet(a) && (c != d || (sparse && d == MatrixElement::f16))) ||
        !accumulates(a, c) || !accumulates(a, d))
        refuse(in, "there is no such matrix product");
    if (in.has(Word::popc) != (a == MatrixElement::b1))
        refuse(in, "products of single bits have .xor.popc or .and.popc, others do not");
    const auto fragment = wmma ? wmma_fragment : mma_fragment;
    MatrixShape stored = work.shape;
    if (sparse) stored.k /= 2;
    work.first = fragment(MatrixOperand::a, stored, a);
    work.second = fragment(MatrixOperand::b, work.shape, b);
    work.accumulator = fragment(MatrixOperand::accumulator, work.shape, c);
    work.result = fragment(MatrixOperand::accumulator, work.shape, d);
    // wmma computes tf32 in two steps, as observed on an H200.
    work.products = wmma && tf32 ? 4 : stored.k;
    work.saturate = in.has(Word::satfinite);
    if (work.saturate && !is_integer(a)) refuse(in, ".satfinite is only for integers here");
    work.conjunction = in.has(Word::bit_and);
    work.d = matrix_rows(in, in.operands[0], work.result, true);
    work.a = matrix_rows(in, in.operands[1], work.first, false);
    work.b = matrix_rows(in, in.operands[2], work.second, false);
    work.c = matrix_rows(in, in.operands[3], work.accumulator, false);
    if (!sparse) return;
    work.metadata = source_row(in, in.operands[4], Type::b32);
    work.metadata_bits = 16 * lanes;
    const ptx::Operand& selector = in.operands[5];
    if (selector.kind != Kind::immediate || selector.bits >= static_cast<std::uint64_t>(4 / lanes))
        refuse(in, fmt::format("its sparsity selector must be a number below {}", 4 / lanes));
    work.selector = static_cast<int>(selector.bits);
}

void FunctionDecoder::matrix_access(const ptx::Instruction& in, const ptx::Operand& place,
                                    bool stores, MatrixWork& work)
{
    work.access.op = stores ? trace::Op::store : trace::Op::load;
    work.access.space = in.modifiers.space;
    address(in, place, work.access);
    if (work.access.space != ptx::Space::shared) work.access.cache = shared.program.cache_slots++;
}

// wmma.load.{a,b,c}, wmma.store.d.
void FunctionDecoder::matrix_transfer(const ptx::Instruction& in, MatrixWork& work)
{
    const bool stores = in.op == Op::wmma_store;
    const MatrixOperand operand = in.op == Op::wmma_load_a   ? MatrixOperand::a
                                  : in.op == Op::wmma_load_b ? MatrixOperand::b
                                                             : MatrixOperand::accumulator;
    work.shape = shape_of(in);
    const MatrixElement element =
        in.has(Word::tf32) ? MatrixElement::tf32 : matrix_element(in.modifiers.type());
    work.first = wmma_fragment(operand, work.shape, element);
    const bool known = operand == MatrixOperand::accumulator || has_wmma_shape(element, work.shape);
    if (work.first.blocks.empty() || !known) refuse(in, "there is no such matrix");
    work.transposed = in.has(Word::col);
    const bool packed = element_bits(element) < 8;
    if (packed && work.transposed != (operand == MatrixOperand::b))
        refuse(in, "matrices of elements below 8 bits are .row for a and .col for b");
    matrix_access(in, in.operands[stores ? 0 : 1], stores, work);
    if (in.operands.size() > 2)
        work.stride = source_row(in, in.operands[2], ptx::Type::u32);
    else
        work.stride = shared.constant32(
            static_cast<std::uint32_t>(work.transposed ? work.first.rows : work.first.columns));
    (stores ? work.c : work.d) = matrix_rows(in, in.operands[stores ? 1 : 0], work.first, !stores);
}

// Element bits in memory of an ldmatrix or stmatrix; refuses forms that don't exist.
int FunctionDecoder::matrix_octets(const ptx::Instruction& in)
{
    const bool octets = in.modifiers.type() == Type::b8;
    const bool packed = in.has(Word::b8x16);
    const int bits = in.has(Word::b6x16_p32) ? 6 : in.has(Word::b4x16_p64) ? 4 : octets ? 8 : 0;
    const bool trans = in.has(Word::trans);
    const bool known = in.has(Word::m16n16)  ? trans && bits != 0 && !in.has(Word::x4)
                       : in.has(Word::m8n16) ? !trans && packed
                       : in.has(Word::m16n8) ? trans && octets
                                             : bits == 0;
    if (!known || packed != (bits == 6 || bits == 4)) refuse(in, "there is no such matrix");
    return bits;
}

// ldmatrix, stmatrix and movmatrix.
void FunctionDecoder::matrix_rows_transfer(const ptx::Instruction& in, MatrixWork& work)
{
    work.transposed = in.has(Word::trans);
    work.matrices = in.has(Word::x4) ? 4 : in.has(Word::x2) ? 2 : 1;
    work.first = mma_fragment(MatrixOperand::a, {8, 8, 8}, MatrixElement::f16);
    work.square = in.has(Word::m16n16);
    work.first.registers = work.matrices * (work.square ? 2 : 1);
    if (in.op == Op::movmatrix) {
        work.d = matrix_rows(in, in.operands[0], work.first, true);
        work.a = matrix_rows(in, in.operands[1], work.first, false);
        return;
    }
    work.octet_bits = matrix_octets(in);
    const bool stores = in.op == Op::stmatrix;
    matrix_access(in, in.operands[stores ? 0 : 1], stores, work);
    work.access.element_bytes = work.access.width_bytes = 16;
    (stores ? work.c : work.d) = matrix_rows(in, in.operands[stores ? 1 : 0], work.first, !stores);
}

bool FunctionDecoder::matrix(const ptx::Instruction& in, Instruction& out)
{
    MatrixWork work;
    switch (in.op) {
    case Op::wgmma:
    case Op::wgmma_fence:
    case Op::wgmma_commit:
    case Op::wgmma_wait:
    case Op::setmaxnreg: return warp_group(in, out);
    case Op::mma:
    case Op::mma_sp:
    case Op::wmma_mma:
        matrix_product(in, work);
        out.use(matrix_handlers(MatrixAction::multiply));
        break;
    case Op::wmma_load_a:
    case Op::wmma_load_b:
    case Op::wmma_load_c:
        matrix_transfer(in, work);
        out.use(matrix_handlers(MatrixAction::load));
        break;
    case Op::wmma_store:
        matrix_transfer(in, work);
        out.use(matrix_handlers(MatrixAction::store));
        break;
    default:
        matrix_rows_transfer(in, work);
        if (work.octet_bits != 0)
            out.use(matrix_handlers(in.op == Op::ldmatrix ? MatrixAction::load_octets
                                                          : MatrixAction::store_octets));
        else
            out.use(matrix_handlers(in.op == Op::ldmatrix   ? MatrixAction::load_rows
                                    : in.op == Op::stmatrix ? MatrixAction::store_rows
                                                            : MatrixAction::transpose));
        break;
    }
    Operands operands; // all lanes participate
    operands.rows[0] = shared.constant32(full_mask);
    operands.values[0] = static_cast<std::int64_t>(function.matrices.size());
    function.matrices.push_back(std::move(work));
    out.extra = add_operands(operands);
    return true;
}

} // namespace lanescope::simt
