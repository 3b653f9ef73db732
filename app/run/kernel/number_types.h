// Number types of kernel arguments by their command-line names: conversion from and to text, and
// ways to fill memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::app {

using Bytes = std::vector<std::byte>;

// An error in a value, worded to follow the value's text: "needs a number in place of "x"".
struct ValueProblem {
    std::string text;
};

// i8 to i64, u8 to u64, f16, bf16, f32 and f64.
struct NumberType {
    std::string_view name;
    std::size_t bytes;
    bool is_float;
    void (*parse)(std::string_view text, std::byte* to); // throws ValueProblem
    void (*ramp)(Bytes& bytes);                          // 0, 1, …, rounded or truncated
    void (*random)(std::uint64_t seed, Bytes& bytes);    // full range; floats in [0, 1)
    std::string (*text)(const std::byte* from);          // "0.25", "nan"
};

std::span<const NumberType> number_types();
// Null if the name is unknown.
const NumberType* number_type(std::string_view name);
// "i8, i16, …"
std::string number_type_names();

// Parses an unsigned number for counts, seeds and offsets. Throws ValueProblem.
std::size_t parse_count(std::string_view text);

// Fills are zero, ramp (0, 1, 2, …), const:V, random:SEED, file:PATH (of exactly that size) or
// comma-separated numbers, one per element.
bool is_fill(std::string_view text); // true for the words, false for numbers
// Throws ValueProblem, or Error if the file cannot be read.
Bytes filled(const NumberType& type, std::size_t count, std::string_view fill);

// Reads a file that must have exactly `wanted` bytes. Throws ValueProblem, or Error if it cannot be
// read.
Bytes read_bytes(std::string_view path, std::size_t wanted);

} // namespace lanescope::app
