// Pictures in files that may come from anywhere, PNG and JPEG: what a file asks for is compared
// with limits before any of it is taken, and only what the pixels and the texts need is unpacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::pictures {

inline constexpr std::uint32_t max_side = 16384;
inline constexpr std::uint64_t max_pixels = std::uint64_t{1} << 27;
inline constexpr std::size_t max_file_bytes = std::size_t{1} << 28;
inline constexpr std::size_t max_text_bytes = std::size_t{16}
                                              << 20; // of all unpacked texts of a PNG

// Why a file is no picture that can be used; what() is a part of a sentence: "no end".
class Problem : public std::runtime_error {
public:
    enum class Kind : std::uint8_t {
        unknown,   // another format
        damaged,   // or cut short
        too_large, // more bytes, pixels or text than the limits above
    };
    Problem(Kind kind, const std::string& why) : std::runtime_error(why), kind_(kind) {}
    Kind kind() const noexcept { return kind_; }

private:
    Kind kind_;
};

// RGBA, the first row at the top.
struct Pixels {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgba;
};

bool is_png(std::string_view bytes);

// Throws Problem.
Pixels decode(std::string_view bytes);

// The texts of a PNG by their keys, of equal keys the first. The whole file is looked through: a
// damaged one is refused. Throws Problem.
std::map<std::string, std::string> png_texts(std::string_view bytes);

} // namespace lanescope::pictures
