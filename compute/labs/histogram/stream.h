// The data that is counted: generated streams and pictures, with the counts that are right for
// them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lanescope::labs::histogram {

// Samples are bytes (levels 0 to 255), or 32-bit words (levels 0 to bins - 1) when there are more
// than 256 bins.
struct Stream {
    int sample_bytes = 1;
    int shift = 0; // bin = sample >> shift
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint32_t> words;
};

// `source` is a word of the record's parameter; `image` replaces the generated picture when it is
// not empty.
Stream make_stream(const std::string& source, int count, int bins, std::uint64_t seed,
                   const std::filesystem::path& image);

// Counting as one would on paper: the oracle.
std::vector<std::uint32_t> count(const Stream& stream, int bins);

} // namespace lanescope::labs::histogram
