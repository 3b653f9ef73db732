// The number types that kernels take, by the names that the command line has for them: their values
// as texts and as bytes, and the ways to fill memory with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::app {

using Bytes = std::vector<std::byte>;

// What is wrong with a text, as the end of a sentence that begins with it: "needs a number in place
// of "x"".
struct ValueProblem {
    std::string text;
};

// i8 to i64, u8 to u64, f16, bf16, f32 and f64.
struct NumberType {
    std::string_view name;
    std::size_t bytes;
    bool is_float;
    void (*parse)(std::string_view text, std::byte* to); // throws ValueProblem
    void (*ramp)(Bytes& bytes);                          // 0, 1, …, rounded or cut off
    void (*random)(std::uint64_t seed, Bytes& bytes);    // the whole range; floats in [0, 1)
    std::string (*text)(const std::byte* from);          // "0.25", "nan"
};

std::span<const NumberType> number_types();
// Null when there is none of the name.
const NumberType* number_type(std::string_view name);
// "i8, i16, …"
std::string number_type_names();

// An unsigned number for counts, seeds and offsets. Throws ValueProblem.
std::size_t parse_count(std::string_view text);

// Fills are zero, ramp (0, 1, 2, …), const:V, random:SEED, file:PATH (exactly as long) or numbers
// with commas between them, as many as elements.
bool is_fill(std::string_view text); // one of the words, not numbers
// Throws ValueProblem; Error when the file cannot be read.
Bytes filled(const NumberType& type, std::size_t count, std::string_view fill);

// The file's bytes, exactly so many. Throws ValueProblem; Error when it cannot be read.
Bytes read_bytes(std::string_view path, std::size_t wanted);

} // namespace lanescope::app
