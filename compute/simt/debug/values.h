// Values in source terms: the bytes of one lane with their type, and their text.
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

// A variable or expression of a warp: one value per lane.
struct LaneValues {
    TypePointer type;
    std::array<std::vector<std::byte>, warp_lanes> lanes; // empty if the lane has no value
    std::uint32_t lanes_with = 0;

    // In source notation; empty for lanes without a value.
    std::string text(int lane) const;
    // Integers and booleans; nullopt for other types and lanes without a value.
    std::optional<double> number(int lane) const;
};

// "0.25", "-3", "true", "0x7000…", "{1, 2, 3, …}": distinct values have distinct texts.
std::string text_of(const ptx::SourceType& type, std::span<const std::byte> bytes);
// The part of a value that begins at `offset`; nullopt if it is not inside the value. Offsets and
// sizes come from untrusted debug information.
std::optional<std::span<const std::byte>> part_of(std::span<const std::byte> whole,
                                                  std::uint64_t offset, std::uint64_t bytes);
// Text of a PTX register's bits: .f32 as a number, .b32 as hexadecimal unless it is a small
// integer.
std::string text_of(ptx::Type type, std::uint64_t bits);
// Source type used to display a PTX register.
TypePointer shown_as(ptx::Type type);

} // namespace lanescope::simt
