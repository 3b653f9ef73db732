// Which element of a matrix each lane of a warp holds in which register: the fragments of mma, as
// the PTX manual draws them, and those of wmma, which it leaves open, as an H200 showed them.
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

int element_bits(MatrixElement element); // in a register

struct MatrixShape {
    int m = 0;
    int n = 0;
    int k = 0;
    friend bool operator==(const MatrixShape&, const MatrixShape&) = default;
};
enum class MatrixOperand : std::uint8_t { a, b, accumulator };

// The matrix is cut into blocks; each lane holds `run` neighbours of every block, in registers one
// after the other. Eight groups of four lanes share a block: a lane's place in its group says which
// neighbours it holds, its group which row (or column) they are in.
struct Fragment {
    struct Origin {
        int row = 0;
        int column = 0;
    };
    MatrixElement element = MatrixElement::f16;
    int rows = 0;
    int columns = 0;
    int run = 1;
    bool along_row = true; // neighbours of a run lie in one row, else in one column
    std::vector<Origin> blocks;
    int registers = 0; // some fragments of f16 repeat theirs until 8 are full

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

// Empty blocks where there is no such shape.
Fragment mma_fragment(MatrixOperand operand, MatrixShape shape, MatrixElement element);
Fragment wmma_fragment(MatrixOperand operand, MatrixShape shape, MatrixElement element);

} // namespace lanescope::simt
