// Values as the source has them: bytes of one lane with their type, and how they are written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compute/ptx/debug/dwarf.h"
#include "compute/ptx/instructions/modifiers.h"
#include "compute/simt/operations/rows/rows.h"

namespace lanescope::simt {

using TypePointer = std::shared_ptr<const ptx::SourceType>;

// One variable or expression of a warp: a value for each lane that has one.
struct LaneValues {
    TypePointer type;
    std::array<std::vector<std::byte>, warp_lanes> lanes; // empty: the lane has none (lanes_with)
    std::uint32_t lanes_with = 0;

    // As the source would write it; empty for a lane that has none.
    std::string text(int lane) const;
    // Integers and booleans; nothing for other types and for lanes that have none.
    std::optional<double> number(int lane) const;
};

// "0.25", "-3", "true", "0x7000…", "{1, 2, 3, …}": so that two different values look different.
std::string text_of(const ptx::SourceType& type, std::span<const std::byte> bytes);
// The part of a value that begins at `offset`; nothing where it does not lie in the value. Offsets
// and sizes are what a text says of its types.
std::optional<std::span<const std::byte>> part_of(std::span<const std::byte> whole,
                                                  std::uint64_t offset, std::uint64_t bytes);
// A PTX register's bits by its type: .f32 as a number, .b32 as hexadecimal where it is no small
// integer.
std::string text_of(ptx::Type type, std::uint64_t bits);
// The type that a PTX register's values are shown as.
TypePointer shown_as(ptx::Type type);

} // namespace lanescope::simt
