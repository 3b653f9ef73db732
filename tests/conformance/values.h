// Inputs of instruction cases: the values at which arithmetic goes wrong, then seeded random ones.
#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "tests/conformance/case.h"

namespace lanescope::conformance {

// The types of PTX, and what some operands need: "amount" (shifts and positions), "byte" counts,
// "pred" (0 or 1).
struct Operand {
    std::string_view type;
    int bytes() const;                      // in memory
    std::string_view register_type() const; // "b16", "b32", "b64", "f32", "f64", "pred"
    Element element() const;
};

// The interesting bit patterns of a type.
const std::vector<std::uint64_t>& edges(std::string_view type);

// `count` values for each operand: first all combinations of edges as far as they fit (two
// operands), then mixtures of edges and random bits. The same on every machine.
std::vector<std::vector<std::uint64_t>> inputs(const std::vector<Operand>& operands, int count);

// `count` values for each operand, drawn by a seed: edges and their neighbours, any bits, any
// exponent with few digits, and what is close to the operand before.
std::vector<std::vector<std::uint64_t>> drawn_inputs(const std::vector<Operand>& operands,
                                                     int count, std::uint64_t seed);

Bytes to_bytes(const std::vector<std::uint64_t>& values, int bytes_each);

} // namespace lanescope::conformance
