// Mapping of matrix elements to lanes and registers: the mma fragments of the PTX manual, and the
// wmma fragments, which it leaves unspecified, as observed on an H200.
#pragma once

#include <cstdint>
#include <vector>

namespace lanescope::simt {

enum class MatrixElement : std::uint8_t {
    f16,
    bf16,
    tf32,
    f32,
    f64,
    s32,
    s8,
    u8,
    s4,
    u4,
    b1,
    e4m3,
    e5m2
};

int element_bits(MatrixElement element); // per element, in a register

struct MatrixShape {
    int m = 0;
    int n = 0;
    int k = 0;
    friend bool operator==(const MatrixShape&, const MatrixShape&) = default;
};
enum class MatrixOperand : std::uint8_t { a, b, accumulator };

// The matrix is divided into blocks; each lane holds a run of `run` adjacent elements of each
// block, in consecutive registers. Eight groups of four lanes share a block: a lane's position in
// its group selects the run, the group selects the row (or column).
struct Fragment {
    struct Origin {
        int row = 0;
        int column = 0;
    };
    MatrixElement element = MatrixElement::f16;
    int rows = 0;
    int columns = 0;
    int run = 1;
    bool along_row = true; // elements of a run are in one row, otherwise in one column
    std::vector<Origin> blocks;
    int registers = 0; // some f16 fragments repeat their elements to fill 8 registers

    int elements() const { return static_cast<int>(blocks.size()) * run; }
    Origin place(int lane, int index) const
    {
        const Origin& block = blocks[static_cast<std::size_t>(index / run)];
        const int group = lane >> 2;
        const int along = (lane & 3) * run + index % run;
        return along_row ? Origin{block.row + group, block.column + along}
                         : Origin{block.row + along, block.column + group};
    }
};

// No blocks if the shape doesn't exist.
Fragment mma_fragment(MatrixOperand operand, MatrixShape shape, MatrixElement element);
Fragment wmma_fragment(MatrixOperand operand, MatrixShape shape, MatrixElement element);

} // namespace lanescope::simt
