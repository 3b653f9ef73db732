// Drops the lowest bits of each colour until at most 256 colours are left.
#include "render/capture/small_png.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>

namespace lanescope::render {
namespace {

constexpr std::size_t max_colours = 256;

// Drops the lowest `dropped` bits of each colour and uses the mean of the merged colours. Empty if
// more than max_colours are left.
std::optional<IndexedPixels> indexed(const Pixels& pixels, int dropped)
{
    struct Colour {
        std::array<std::uint64_t, 3> sum{};
        std::uint64_t count = 0;
        std::uint8_t place = 0;
    };
    std::map<std::uint32_t, Colour> colours;
    const auto key_at = [&](std::size_t i) {
        const auto part = [&](std::size_t j) -> std::uint32_t {
            return pixels.rgb[i + j] >> dropped;
        };
        return part(0) << 16 | part(1) << 8 | part(2);
    };
    for (std::size_t i = 0; i < pixels.rgb.size(); i += 3) {
        Colour& colour = colours[key_at(i)];
        for (std::size_t j = 0; j < 3; ++j) colour.sum[j] += pixels.rgb[i + j];
        ++colour.count;
        if (colours.size() > max_colours) return std::nullopt;
    }
    IndexedPixels made{pixels.width, pixels.height, {}, {}};
    for (auto& [key, colour] : colours) {
        const auto mean = [&colour](std::size_t j) {
            return static_cast<std::uint8_t>((colour.sum[j] + colour.count / 2) / colour.count);
        };
        colour.place = static_cast<std::uint8_t>(made.colours.size());
        made.colours.push_back({mean(0), mean(1), mean(2)});
    }
    for (std::size_t i = 0; i < pixels.rgb.size(); i += 3)
        made.pixels.push_back(colours[key_at(i)].place);
    return made;
}

} // namespace

std::string encode_small_png(const Pixels& pixels, const PngText& text)
{
    constexpr int max_dropped = 4;
    for (int dropped = 0; dropped <= max_dropped; ++dropped)
        if (const auto few = indexed(pixels, dropped)) return encode_png(*few, text);
    return encode_png(pixels, text);
}

} // namespace lanescope::render
