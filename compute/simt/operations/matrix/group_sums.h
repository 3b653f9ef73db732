// The arithmetic of wgmma for one warp: 16 rows of a times all columns of b.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "compute/simt/machine/state/program.h"

namespace lanescope::simt {

constexpr int group_part_rows = 16;           // rows of a and d that one warp computes
constexpr std::size_t operand_row_bytes = 32; // of an operand, along k
using OperandRow = std::array<std::byte, operand_row_bytes>;

// The operands of a product, unpacked. Each sum is formed as on an H100 (products.h).
class GroupSums {
public:
    GroupSums(const GroupProduct& work, const std::vector<OperandRow>& a,
              const std::vector<OperandRow>& b);
    ~GroupSums();
    GroupSums(const GroupSums&) = delete;
    GroupSums& operator=(const GroupSums&) = delete;

    // Returns the bits of c plus the product of a row and a column; c and the result have the type
    // of d.
    std::uint32_t sum(int row, int column, std::uint32_t c) const;

private:
    struct Floats;
    struct Integers;
    const GroupProduct& work_;
    std::unique_ptr<Floats> floats_;     // floating-point elements
    std::unique_ptr<Integers> integers_; // the others
};

} // namespace lanescope::simt
