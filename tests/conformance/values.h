// Inputs of instruction cases: edge values where arithmetic tends to go wrong, then seeded random
// ones.
#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "tests/conformance/case.h"

namespace lanescope::conformance {

// A PTX type, or a special kind of operand: "amount" (of a shift, or a bit position), "byte" (a
// number of bytes), "pred" (0 or 1).
struct Operand {
    std::string_view type;
    int bytes() const;                      // size in memory
    std::string_view register_type() const; // "b16", "b32", "b64", "f32", "f64", "pred"
    Element element() const;
};

// Edge values of a type, as bit patterns.
const std::vector<std::uint64_t>& edges(std::string_view type);

// `count` values per operand: first all pairs of edge values as far as they fit (two operands),
// then mixtures of edge values and random bits. The same on every machine.
std::vector<std::vector<std::uint64_t>> inputs(const std::vector<Operand>& operands, int count);

// `count` seeded random values per operand: edge values and their neighbours, random bits, random
// exponents with few significant bits, and values close to the previous operand.
std::vector<std::vector<std::uint64_t>> drawn_inputs(const std::vector<Operand>& operands,
                                                     int count, std::uint64_t seed);

Bytes to_bytes(const std::vector<std::uint64_t>& values, int bytes_each);

} // namespace lanescope::conformance
