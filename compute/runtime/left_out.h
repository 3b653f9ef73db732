// Elements of an output that no thread writes because the number of blocks was rounded down:
// n / 256 blocks of 256 threads leave out the last n % 256 elements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compute/dim3.h"

namespace lanescope::runtime {

// The last launch that has written to an allocation.
struct Writer {
    std::string kernel{}; // empty: none
    Dim3 grid{}, block{};
};

// An allocation of which some bytes were never written.
struct Unwritten {
    std::uint64_t bytes = 0;     // size of the allocation
    std::uint64_t first = 0;     // offset of the first such byte
    std::uint64_t unwritten = 0; // number of such bytes
};

// A sentence with the elements left out and the number of blocks needed, if the unwritten bytes are
// exactly those of a one- or two-dimensional array whose size exceeds the grid's threads by less
// than one block in each direction.
std::optional<std::string> left_out_elements(const Writer& writer, const Unwritten& memory);

} // namespace lanescope::runtime
