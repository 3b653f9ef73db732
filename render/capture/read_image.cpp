// Pictures from anywhere, through stb_image, behind checks that end in a sentence rather than in a
// strange picture.
#include "render/capture/png.h"

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
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

constexpr int most_side = 16384;
constexpr std::size_t most_bytes = std::size_t{1} << 28;

[[noreturn]] void fail(const std::string& cause, const char* cure = "Choose a PNG or JPEG picture.")
{
    throw Error(ExitStatus::bad_usage, cause, cure);
}

// stb_image pads a JPEG that ends early with grey; a whole one ends with its end marker, maybe
// followed by padding.
bool cut_short(std::string_view bytes)
{
    return bytes.starts_with("\xff\xd8") && bytes.rfind("\xff\xd9") == std::string_view::npos;
}

} // namespace

ImageFile decode_image(std::string_view bytes, const std::string& name)
{
    if (bytes.empty()) fail(fmt::format("{} is empty.", name));
    if (bytes.size() > most_bytes)
        fail(fmt::format("{} has {} MB, more than the {} MB that can be read.", name,
                         bytes.size() >> 20, most_bytes >> 20),
             "Choose a smaller picture.");
    const auto* data = reinterpret_cast<const stbi_uc*>(bytes.data());
    const int size = static_cast<int>(bytes.size());
    int width = 0, height = 0, channels = 0;
    if (stbi_info_from_memory(data, size, &width, &height, &channels) == 0)
        fail(fmt::format("{} is not a PNG or JPEG picture that can be read ({}).", name,
                         stbi_failure_reason()));
    if (width > most_side || height > most_side)
        fail(fmt::format("{} has {}×{} pixels, more than {} a side.", name, width, height,
                         most_side),
             "Choose a smaller picture.");
    const std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> pixels(
        stbi_load_from_memory(data, size, &width, &height, &channels, 4), stbi_image_free);
    if (!pixels || cut_short(bytes))
        fail(fmt::format("{} is damaged or cut short ({}).", name,
                         pixels ? "no end" : stbi_failure_reason()),
             "Choose another picture, or save this one again.");
    const auto count = 4 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    return {width, height, {pixels.get(), pixels.get() + count}};
}

ImageFile read_image(const std::filesystem::path& path)
{
    return decode_image(read_file(path), path.string());
}

} // namespace lanescope::render
