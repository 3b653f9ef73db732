// Colours lose their lowest bits until there are few enough of them.
#include "render/capture/small_png.h"

#include <spng.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <optional>

namespace lanescope::render {
namespace {

struct Palette {
    spng_plte colours{};
    std::vector<std::uint8_t> pixels;
};

// The pixels' colours without their lowest bits, each as the mean of those that became it.
std::optional<Palette> palette_of(const Pixels& pixels, int dropped)
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
        if (colours.size() > std::size(spng_plte{}.entries)) return std::nullopt;
    }
    Palette made;
    for (auto& [key, colour] : colours) {
        const auto mean = [&colour](std::size_t j) {
            return static_cast<std::uint8_t>((colour.sum[j] + colour.count / 2) / colour.count);
        };
        colour.place = static_cast<std::uint8_t>(made.colours.n_entries);
        made.colours.entries[made.colours.n_entries++] = {mean(0), mean(1), mean(2), 255};
    }
    for (std::size_t i = 0; i < pixels.rgb.size(); i += 3)
        made.pixels.push_back(colours[key_at(i)].place);
    return made;
}

} // namespace

std::string encode_small_png(const Pixels& pixels, const PngText& text)
{
    constexpr int most_dropped = 4, smallest = 9;
    std::optional<Palette> palette;
    for (int dropped = 0; dropped <= most_dropped && !palette; ++dropped)
        palette = palette_of(pixels, dropped);
    if (!palette) return encode_png(pixels, text);
    const std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)> context(
        spng_ctx_new(SPNG_CTX_ENCODER), spng_ctx_free);
    spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1);
    spng_set_option(context.get(), SPNG_IMG_COMPRESSION_LEVEL, smallest);
    spng_set_option(context.get(), SPNG_FILTER_CHOICE, SPNG_DISABLE_FILTERING);
    spng_ihdr header{};
    header.width = static_cast<std::uint32_t>(pixels.width);
    header.height = static_cast<std::uint32_t>(pixels.height);
    header.bit_depth = 8;
    header.color_type = SPNG_COLOR_TYPE_INDEXED;
    spng_set_ihdr(context.get(), &header);
    spng_set_plte(context.get(), &palette->colours);
    std::vector<spng_text> texts;
    static char nothing[] = "";
    for (const auto& [key, value] : text) {
        spng_text& one = texts.emplace_back();
        key.copy(one.keyword, sizeof one.keyword - 1);
        one.type = SPNG_ITXT;
        one.length = value.size();
        one.text = const_cast<char*>(value.c_str());
        one.language_tag = one.translated_keyword = nothing;
    }
    if (!texts.empty())
        spng_set_text(context.get(), texts.data(), static_cast<std::uint32_t>(texts.size()));
    int status = spng_encode_image(context.get(), palette->pixels.data(), palette->pixels.size(),
                                   SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
    std::size_t size = 0;
    const std::unique_ptr<void, decltype(&std::free)> file(
        status == 0 ? spng_get_png_buffer(context.get(), &size, &status) : nullptr, std::free);
    if (!file || status != 0) throw std::bad_alloc();
    return {static_cast<const char*>(file.get()), size};
}

} // namespace lanescope::render
