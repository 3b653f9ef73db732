// Blocks are listed in the order of the registers that hold them.
#include "compute/simt/operations/matrix/layout/fragment.h"

#include <algorithm>

namespace lanescope::simt {

namespace {

// One register per run, except for accumulators wider than 16 bits.
int registers_of(const Fragment& fragment)
{
    return std::max(1, fragment.elements() * std::min(element_bits(fragment.element), 32) / 32);
}

Fragment start(MatrixOperand operand, MatrixShape shape, MatrixElement element)
{
    Fragment fragment;
    fragment.element = element;
    fragment.rows = operand == MatrixOperand::b ? shape.k : shape.m;
    fragment.columns = operand == MatrixOperand::a ? shape.k : shape.n;
    fragment.run =
        operand == MatrixOperand::accumulator ? 2 : std::max(1, 32 / element_bits(element));
    fragment.along_row = operand != MatrixOperand::b;
    return fragment;
}

} // namespace

int element_bits(MatrixElement element)
{
    switch (element) {
    case MatrixElement::f64: return 64;
    case MatrixElement::tf32:
    case MatrixElement::f32:
    case MatrixElement::s32: return 32;
    case MatrixElement::f16:
    case MatrixElement::bf16: return 16;
    case MatrixElement::s8:
    case MatrixElement::u8:
    case MatrixElement::e4m3:
    case MatrixElement::e5m2: return 8;
    case MatrixElement::s4:
    case MatrixElement::u4: return 4;
    case MatrixElement::b1: return 1;
    }
    return 0;
}

Fragment mma_fragment(MatrixOperand operand, MatrixShape shape, MatrixElement element)
{
    Fragment fragment = start(operand, shape, element);
    const int step = 4 * fragment.run; // extent of a block along k
    if ((shape.m != 8 && shape.m != 16) || shape.n != 8 ||
        (operand != MatrixOperand::accumulator && shape.k % step != 0))
        return fragment;
    switch (operand) {
    case MatrixOperand::a:
        for (int k = 0; k < shape.k; k += step)
            for (int row = 0; row < shape.m; row += 8) fragment.blocks.push_back({row, k});
        break;
    case MatrixOperand::b:
        for (int k = 0; k < shape.k; k += step) fragment.blocks.push_back({k, 0});
        break;
    case MatrixOperand::accumulator:
        for (int row = 0; row < shape.m; row += 8) fragment.blocks.push_back({row, 0});
        break;
    }
    fragment.registers = registers_of(fragment);
    return fragment;
}

// m16n16 is two m16n8 products side by side, m32n8 two stacked ones, and m8n32 is m32n8 transposed.
Fragment wmma_fragment(MatrixOperand operand, MatrixShape shape, MatrixElement element)
{
    if (shape.m == 8 && shape.n == 8) return mma_fragment(operand, shape, element);
    Fragment fragment = start(operand, shape, element);
    const bool square = shape.m == 16 && shape.n == 16;
    const bool tall = shape.m == 32 && shape.n == 8;
    const bool flat = shape.m == 8 && shape.n == 32;
    const int step = 4 * fragment.run;
    if ((!square && !tall && !flat) || shape.k % step != 0) return fragment;
    switch (operand) {
    case MatrixOperand::a:
        for (int high = 0; high < shape.m; high += 16)
            for (int k = 0; k < shape.k; k += step)
                for (int row = high; row < std::min(high + 16, shape.m); row += 8)
                    fragment.blocks.push_back({row, k});
        break;
    case MatrixOperand::b:
        if (flat) {
            for (int high = 0; high < shape.n; high += 16)
                for (int k = 0; k < shape.k; k += step)
                    for (int column = high; column < high + 16; column += 8)
                        fragment.blocks.push_back({k, column});
        } else {
            for (int column = 0; column < shape.n; column += 8)
                for (int k = 0; k < shape.k; k += step) fragment.blocks.push_back({k, column});
        }
        break;
    case MatrixOperand::accumulator:
        fragment.along_row = !flat;
        for (int column = 0; column < shape.n; column += 8)
            for (int row = 0; row < shape.m; row += 8) fragment.blocks.push_back({row, column});
        break;
    }
    fragment.registers = registers_of(fragment);
    // Volta's fragments had 8 registers; later architectures keep that
    // size for code that relies on it.
    if (element == MatrixElement::f16 && operand != MatrixOperand::accumulator)
        fragment.registers = 8;
    return fragment;
}

} // namespace lanescope::simt
