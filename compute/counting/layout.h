// Layouts of a tile in shared memory, as CuTe writes them: which element of memory holds row r and
// column c. A layout is a shape, a stride for each of its parts, and a swizzle that exchanges
// chunks of a row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::counting {

// CuTe's Swizzle<bits, base, shift>: the `bits` bits of an offset that begin at bit
// base + max(shift, 0) are added without carry (XOR) to those that begin at base - min(shift, 0).
struct Swizzle {
    int bits = 0; // 0: none
    int base = 0;
    int shift = 0;

    std::uint64_t operator()(std::uint64_t offset) const;
    friend bool operator==(const Swizzle&, const Swizzle&) = default;
};

// Rows and columns of elements. All numbers count elements, from 0.
class Layout {
public:
    // Reads one of:
    //   (8,64):(64,1)                    shape and strides, nested as in CuTe
    //   (8,(2,32))                       a shape alone: the first part is contiguous, as in CuTe
    //   Sw<3,3,3> o (8,64):(64,1)        the same with a swizzle; "o OFFSET o" and CuTe's
    //                                    "o smem_ptr[16b](unset) o" may stand in between
    //   32x33                            rows × columns, rows contiguous
    //   32x32+1                          the same with one unused element after each row
    // Throws Error (bad_usage) that names the part it cannot read, and for layouts of more than
    // max_elements elements or offsets.
    static Layout read(std::string_view text);
    static Layout padded(std::uint64_t rows, std::uint64_t columns, std::uint64_t padding);
    static constexpr std::uint64_t max_elements = std::uint64_t{1} << 20;

    std::uint64_t rows() const { return rows_.size(); }
    std::uint64_t columns() const { return columns_.size(); }
    // Offset of an element. The row and column must exist.
    std::uint64_t operator()(std::uint64_t row, std::uint64_t column) const;
    // Elements of memory that the layout needs, unused ones included.
    std::uint64_t memory() const;
    const Swizzle& swizzle() const { return swizzle_; }
    // The same layout with another swizzle.
    Layout swizzled(const Swizzle& swizzle) const;
    std::string text() const; // as CuTe writes it

private:
    // One coordinate, split into digits: the first one changes fastest.
    struct Mode {
        std::vector<std::uint64_t> extents;
        std::vector<std::uint64_t> strides;
        std::uint64_t size() const;
        std::uint64_t offset(std::uint64_t coordinate) const;
    };
    class Reader;

    Mode rows_{{1}, {0}};
    Mode columns_{{1}, {0}};
    Swizzle swizzle_;
    std::uint64_t begin_ = 0; // added before the swizzle
};

} // namespace lanescope::counting
