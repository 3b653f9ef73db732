// Data to be counted: generated samples and pictures, with the correct counts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lanescope::labs::histogram {

// Samples are bytes (levels 0 to 255), or 32-bit words (levels 0 to bins - 1) for more than 256
// bins.
struct Stream {
    int sample_bytes = 1;
    int shift = 0; // bin = sample >> shift
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint32_t> words;
};

// `source` is a value of the record's parameter; `image` replaces the generated picture if it isn't
// empty.
Stream make_stream(const std::string& source, int count, int bins, std::uint64_t seed,
                   const std::filesystem::path& image);

// The reference: counts sequentially.
std::vector<std::uint32_t> count(const Stream& stream, int bins);

} // namespace lanescope::labs::histogram
