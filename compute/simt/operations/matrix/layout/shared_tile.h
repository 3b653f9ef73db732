// Operands of wgmma in shared memory: the 64-bit matrix descriptor, and the address of each 16-byte
// chunk of the matrix it describes (PTX ISA, "Shared memory matrix layout"; the canonical layouts
// of CUTLASS). A row of 32 bytes along k belongs to each row of a and each column of b.
#pragma once

#include <cstdint>

namespace lanescope::simt {

constexpr std::uint32_t chunk_bytes = 16;
constexpr int row_chunks = 2; // of an operand's row, along k

// Fields of a descriptor, in bytes. Addresses are those of the block's shared memory.
struct MatrixDescriptor {
    std::uint32_t start = 0;
    std::uint32_t leading = 0; // leading dimension byte offset
    std::uint32_t stride = 0;  // stride dimension byte offset
    std::uint32_t base = 0;    // base offset: where the swizzle's pattern starts, in 128 bytes
    std::uint32_t width = 16;  // of the swizzle: 32, 64 or 128; 16: none
};
MatrixDescriptor matrix_descriptor(std::uint64_t bits);

class SharedTile {
public:
    // `across`: elements that are adjacent in memory belong to adjacent rows (M-major, N-major),
    // and have 16 bits; otherwise they are adjacent along k.
    SharedTile(std::uint64_t descriptor, bool across)
        : at_(matrix_descriptor(descriptor)), across_(across)
    {
    }

    bool across() const { return across_; }
    // Address of a chunk of 16 bytes: half `part` of a row or, across, the elements at k = `part`
    // of eight rows, of which `row` is one.
    std::uint32_t chunk(int row, int part) const
    {
        return swizzled(at_.start + (across_ ? offset_across(row, part) : offset_along(row, part)));
    }
    // Number of chunks of `rows` rows, and the address of each. `first` is a multiple of eight.
    static int chunk_count(int rows) { return rows * row_chunks; }
    std::uint32_t nth_chunk(int first, int number) const
    {
        return across_ ? chunk(first + number / 16 * 8, number % 16)
                       : chunk(first + number / row_chunks, number % row_chunks);
    }
    // Copies a row's 32 bytes, in the order of k, from shared memory.
    void read_row(const std::byte* shared, int row, std::byte* to) const;

private:
    std::uint32_t offset_along(int row, int part) const;
    std::uint32_t offset_across(int row, int k) const;
    std::uint32_t swizzled(std::uint32_t address) const;

    MatrixDescriptor at_;
    bool across_;
};

} // namespace lanescope::simt
