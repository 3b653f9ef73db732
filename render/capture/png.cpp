// PNG by libspng; the session travels as an international text (iTXt) before the picture.
#include "render/capture/png.h"

#include <spng.h>

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>

#include "compute/error.h"
#include "compute/pictures/pictures.h"
#include "render/capture/file.h"

namespace lanescope::render {
namespace {

constexpr int smallest = 9;
constexpr int compression = 4; // a third of the time of the default for a few per cent more bytes

using Context = std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)>;

void require(int status)
{
    if (status == SPNG_EMEM) throw std::bad_alloc();
    if (status != 0) throw std::runtime_error(fmt::format("libspng: {}", spng_strerror(status)));
}

// The texts as libspng has them: it only points at what is kept elsewhere.
std::vector<spng_text> spng_texts(const PngText& text)
{
    static char nothing[] = "";
    std::vector<spng_text> texts;
    for (const auto& [key, value] : text) {
        spng_text& one = texts.emplace_back();
        key.copy(one.keyword, sizeof one.keyword - 1);
        one.type = SPNG_ITXT;
        one.length = value.size();
        one.text = const_cast<char*>(value.c_str());
        one.language_tag = nothing;
        one.translated_keyword = nothing;
    }
    return texts;
}

Context writer(int level)
{
    Context context(spng_ctx_new(SPNG_CTX_ENCODER), spng_ctx_free);
    spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1);
    spng_set_option(context.get(), SPNG_IMG_COMPRESSION_LEVEL, level);
    return context;
}

struct Shape {
    int width = 0;
    int height = 0;
    spng_color_type colours = SPNG_COLOR_TYPE_TRUECOLOR;
    spng_plte* palette = nullptr;
};

std::string encode(spng_ctx* context, const Shape& shape, std::span<const std::uint8_t> pixels,
                   const PngText& text)
{
    spng_ihdr header{};
    header.width = static_cast<std::uint32_t>(shape.width);
    header.height = static_cast<std::uint32_t>(shape.height);
    header.bit_depth = 8;
    header.color_type = static_cast<std::uint8_t>(shape.colours);
    require(spng_set_ihdr(context, &header));
    if (shape.palette != nullptr) require(spng_set_plte(context, shape.palette));
    std::vector<spng_text> texts = spng_texts(text);
    if (!texts.empty())
        require(spng_set_text(context, texts.data(), static_cast<std::uint32_t>(texts.size())));
    require(spng_encode_image(context, pixels.data(), pixels.size(), SPNG_FMT_PNG,
                              SPNG_ENCODE_FINALIZE));
    int status = 0;
    std::size_t size = 0;
    const std::unique_ptr<void, decltype(&std::free)> file(
        spng_get_png_buffer(context, &size, &status), std::free);
    require(status);
    return {static_cast<const char*>(file.get()), size};
}

} // namespace

std::string encode_png(const Pixels& pixels, const PngText& text)
{
    const Context context = writer(compression);
    return encode(context.get(), {pixels.width, pixels.height, SPNG_COLOR_TYPE_TRUECOLOR},
                  pixels.rgb, text);
}

std::string encode_png(const IndexedPixels& pixels, const PngText& text)
{
    const Context context = writer(smallest);
    spng_set_option(context.get(), SPNG_FILTER_CHOICE, SPNG_DISABLE_FILTERING);
    spng_plte palette{};
    for (const auto& [red, green, blue] : pixels.colours)
        palette.entries[palette.n_entries++] = {red, green, blue, 255};
    return encode(context.get(), {pixels.width, pixels.height, SPNG_COLOR_TYPE_INDEXED, &palette},
                  pixels.pixels, text);
}

void write_png(const std::filesystem::path& path, const Pixels& pixels, const PngText& text)
{
    write_file(path, encode_png(pixels, text));
}

PngText decode_png_text(std::string_view bytes, const std::string& name)
{
    if (!pictures::is_png(bytes))
        throw Error(ExitStatus::bad_usage, fmt::format("{} is not a PNG picture.", name),
                    "Choose a picture that Lanescope saved.");
    try {
        return pictures::png_texts(bytes);
    } catch (const pictures::Problem& problem) {
        if (problem.kind() == pictures::Problem::Kind::too_large)
            throw Error(ExitStatus::bad_usage,
                        fmt::format("{} cannot be opened: {}.", name, problem.what()),
                        "Choose a picture that Lanescope saved.");
        throw Error(ExitStatus::bad_usage, fmt::format("{} is damaged or cut short.", name),
                    "Save it again.");
    }
}

} // namespace lanescope::render
