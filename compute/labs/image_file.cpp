// Reading pictures through stb_image, whose code is compiled here.
#include "compute/labs/image_file.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

#include <fmt/format.h>

#include "compute/error.h"

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#include <stb_image.h>

namespace lanescope::labs {
namespace {

constexpr int max_side = 16384;
constexpr std::size_t max_file_bytes = std::size_t{1} << 30;

} // namespace

Rgba8Image read_image(const std::filesystem::path& path)
{
    std::error_code none;
    std::ifstream file;
    // A pipe would be waited for.
    if (std::filesystem::is_regular_file(path, none)) file.open(path, std::ios::binary);
    if (!file.is_open())
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("The picture {} cannot be opened.", path.string()),
                    "Check its name and that you may read it.");
    const std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
    return decode_image({text.data(), text.size()}, path.string());
}

Rgba8Image decode_image(std::string_view text, const std::string& name)
{
    const auto refuse = [&](std::string_view why) {
        throw Error(ExitStatus::bad_usage,
                    fmt::format("The picture {} cannot be used: {}.", name, why),
                    fmt::format("Give a PNG or JPEG of at most {0} × {0} pixels.", max_side));
    };
    if (text.size() > max_file_bytes) refuse("it is larger than 1 GiB");

    const auto* bytes = reinterpret_cast<const stbi_uc*>(text.data());
    const int size = static_cast<int>(text.size());
    Rgba8Image image;
    int channels = 0;
    // The header is read first: a forged size must not make us allocate.
    if (!stbi_info_from_memory(bytes, size, &image.width, &image.height, &channels))
        refuse("no picture format was recognised");
    if (image.width > max_side || image.height > max_side)
        refuse(fmt::format("it has {} × {} pixels", image.width, image.height));

    const std::unique_ptr<stbi_uc, void (*)(void*)> pixels(
        stbi_load_from_memory(bytes, size, &image.width, &image.height, &channels, 4),
        stbi_image_free);
    if (!pixels) refuse(stbi_failure_reason());

    const std::size_t row = std::size_t{4} * image.width;
    image.pixels.resize(row * image.height);
    for (int y = 0; y < image.height; ++y)
        std::memcpy(&image.pixels[row * (image.height - 1 - y)], pixels.get() + row * y, row);
    return image;
}

} // namespace lanescope::labs
