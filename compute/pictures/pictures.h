// Decodes untrusted PNG and JPEG files: the sizes that a file declares are checked against limits
// before memory is allocated, and only its pixels and texts are unpacked.
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
                                              << 20; // for all texts of a PNG, unpacked

// Why a file cannot be used as a picture; what() is part of a sentence: "no end".
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

// RGBA, top row first.
struct Pixels {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgba;
};

bool is_png(std::string_view bytes);

// Throws Problem.
Pixels decode(std::string_view bytes);

// Texts of a PNG by key; of equal keys, the first one. Reads the whole file, so a damaged one is
// refused. Throws Problem.
std::map<std::string, std::string> png_texts(std::string_view bytes);

} // namespace lanescope::pictures
