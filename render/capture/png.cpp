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
#include "render/capture/file.h"

namespace lanescope::render {
namespace {

constexpr int smallest = 9;
constexpr int compression = 4; // a third of the time of the default for a few per cent more bytes
constexpr std::size_t max_text_bytes = std::size_t{1} << 26;

using Context = std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)>;

Context reader_of(std::string_view bytes)
{
    Context context(spng_ctx_new(0), spng_ctx_free);
    spng_set_png_buffer(context.get(), bytes.data(), bytes.size());
    spng_set_chunk_limits(context.get(), max_text_bytes, max_text_bytes);
    return context;
}

[[noreturn]] void fail_damaged(const std::string& name)
{
    throw Error(ExitStatus::bad_usage, fmt::format("{} is damaged or cut short.", name),
                "Save it again.");
}

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

// Rows one by one to the end, so that what stands behind the picture is read too and a large
// picture needs little memory.
bool pass_picture(spng_ctx* context)
{
    spng_ihdr header{};
    std::size_t bytes = 0;
    if (spng_get_ihdr(context, &header) != 0 ||
        spng_decoded_image_size(context, SPNG_FMT_PNG, &bytes) != 0 ||
        spng_decode_image(context, nullptr, 0, SPNG_FMT_PNG, SPNG_DECODE_PROGRESSIVE) != 0)
        return false;
    std::vector<char> row(bytes / header.height);
    int status = 0;
    while (status == 0) status = spng_decode_row(context, row.data(), row.size());
    return status == SPNG_EOI && spng_decode_chunks(context) == 0;
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
    if (!bytes.starts_with("\x89PNG\r\n\x1a\n"))
        throw Error(ExitStatus::bad_usage, fmt::format("{} is not a PNG picture.", name),
                    "Choose a picture that Lanescope saved.");
    constexpr std::string_view end{"\0\0\0\0IEND\xae\x42\x60\x82", 12}; // libspng does without it
    const Context context = reader_of(bytes);
    if (!pass_picture(context.get()) || bytes.rfind(end) == std::string_view::npos)
        fail_damaged(name);
    std::uint32_t count = 0;
    PngText text;
    if (spng_get_text(context.get(), nullptr, &count) != 0) return text; // there are none
    std::vector<spng_text> texts(count);
    if (spng_get_text(context.get(), texts.data(), &count) != 0) fail_damaged(name);
    for (const spng_text& one : texts) text.try_emplace(one.keyword, one.text, one.length);
    return text;
}

} // namespace lanescope::render
