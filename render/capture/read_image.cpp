// Pictures from anywhere: PNG through libspng, JPEG through stb_image, behind checks that end in a
// sentence rather than in a strange picture.
#include "render/capture/png.h"

#include <spng.h>

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#include <stb_image.h>

#include <fmt/format.h>

#include <memory>
#include <string_view>

#include "compute/error.h"
#include "render/capture/file.h"

namespace lanescope::render {
namespace {

constexpr std::uint32_t max_side = 16384;
constexpr std::size_t max_bytes = std::size_t{1} << 28;

[[noreturn]] void fail(const std::string& cause, const char* cure = "Choose a PNG or JPEG picture.")
{
    throw Error(ExitStatus::bad_usage, cause, cure);
}

[[noreturn]] void fail_kind(const std::string& name, const char* reason)
{
    fail(fmt::format("{} is not a PNG or JPEG picture that can be read ({}).", name, reason));
}

[[noreturn]] void fail_damaged(const std::string& name, const char* reason)
{
    fail(fmt::format("{} is damaged or cut short ({}).", name, reason),
         "Choose another picture, or save this one again.");
}

void require_size(std::uint32_t width, std::uint32_t height, const std::string& name)
{
    if (width > max_side || height > max_side)
        fail(fmt::format("{} has {}×{} pixels, more than {} per side.", name, width, height,
                         max_side),
             "Choose a smaller picture.");
}

ImageFile decode_png(std::string_view bytes, const std::string& name)
{
    const std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)> context(spng_ctx_new(0),
                                                                      spng_ctx_free);
    spng_set_png_buffer(context.get(), bytes.data(), bytes.size());
    spng_ihdr header{};
    if (const int status = spng_get_ihdr(context.get(), &header); status != 0)
        fail_kind(name, spng_strerror(status));
    require_size(header.width, header.height, name);
    ImageFile image{static_cast<int>(header.width), static_cast<int>(header.height), {}};
    std::size_t size = 0;
    int status = spng_decoded_image_size(context.get(), SPNG_FMT_RGBA8, &size);
    if (status == 0) {
        image.rgba.resize(size);
        status = spng_decode_image(context.get(), image.rgba.data(), size, SPNG_FMT_RGBA8,
                                   SPNG_DECODE_TRNS);
    }
    if (status == 0) status = spng_decode_chunks(context.get());
    if (status != 0) fail_damaged(name, spng_strerror(status));
    return image;
}

// stb_image pads a JPEG that ends early with grey; a whole one ends with its end marker, maybe
// followed by padding.
bool cut_short(std::string_view bytes)
{
    return bytes.rfind("\xff\xd9") == std::string_view::npos;
}

ImageFile decode_jpeg(std::string_view bytes, const std::string& name)
{
    const auto* data = reinterpret_cast<const stbi_uc*>(bytes.data());
    const int size = static_cast<int>(bytes.size());
    int width = 0, height = 0, channels = 0;
    if (stbi_info_from_memory(data, size, &width, &height, &channels) == 0)
        fail_kind(name, stbi_failure_reason());
    require_size(static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), name);
    const std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> pixels(
        stbi_load_from_memory(data, size, &width, &height, &channels, 4), stbi_image_free);
    if (!pixels || cut_short(bytes)) fail_damaged(name, pixels ? "no end" : stbi_failure_reason());
    const auto count = 4 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    return {width, height, {pixels.get(), pixels.get() + count}};
}

} // namespace

ImageFile decode_image(std::string_view bytes, const std::string& name)
{
    if (bytes.empty()) fail(fmt::format("{} is empty.", name));
    if (bytes.size() > max_bytes)
        fail(fmt::format("{} has {} MB, more than the {} MB that can be read.", name,
                         bytes.size() >> 20, max_bytes >> 20),
             "Choose a smaller picture.");
    return bytes.starts_with("\x89PNG") ? decode_png(bytes, name) : decode_jpeg(bytes, name);
}

ImageFile read_image(const std::filesystem::path& path)
{
    return decode_image(read_file(path), path.string());
}

} // namespace lanescope::render
