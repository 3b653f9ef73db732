// Accesses of one warp to a tile in shared memory: the elements that each lane asks for, and their
// addresses under a layout.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "compute/counting/layout.h"

namespace lanescope::app {

// The first element of each lane; the others follow along the row.
struct TileAccess {
    enum class Kind { load, store, load_matrix, store_matrix };
    struct Coordinate {
        std::uint64_t row = 0;
        std::uint64_t column = 0;
    };

    std::string text; // as given
    Kind kind = Kind::load;
    std::array<Coordinate, 32> lanes{};
    std::uint32_t active = 0xffffffff;
    int width_bytes = 4; // per lane
    int matrices = 0;    // of ldmatrix and stmatrix
};

// Reads an access of a layout whose elements have `element_bytes` (1, 2, 4, 8 or 16):
//   row R, row         lane i takes element i of row R (default 0)
//   column C, column   lane i takes row i of column C
//   ROW, COLUMN        formulas of `lane`, with floor, mod and xor: "floor(lane/4), mod(lane,4)*2"
//   ldmatrix.x4        lanes give the rows of 8 × 16-byte matrices, as CUTLASS does: x1, x2, x4;
//   stmatrix.x4        ".trans" changes no address
// before them "store" (else a load), after them "x4" for 4 consecutive elements per lane: then
// lane i of `row` and `column` begins at element 4 i of the row. Throws Error (bad_usage), also for
// coordinates that the layout does not have.
TileAccess read_access(std::string_view text, const counting::Layout& layout, int element_bytes);

// Byte offsets in the tile. Throws Error (bad_usage) if a lane's elements are not consecutive
// there, or not aligned to their size.
std::array<std::uint64_t, 32> offsets_of(const TileAccess& access, const counting::Layout& layout,
                                         int element_bytes);
// The same without the check, for a search: false if it would throw.
bool offsets_of(const TileAccess& access, const counting::Layout& layout, int element_bytes,
                std::array<std::uint64_t, 32>& offsets);

} // namespace lanescope::app
