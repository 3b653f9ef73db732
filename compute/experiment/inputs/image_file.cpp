// Flips the rows of a decoded picture.
#include "compute/experiment/inputs/image_file.h"

#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "compute/error.h"
#include "compute/pictures/pictures.h"

namespace lanescope::labs {
namespace {

Error unusable_picture(const std::string& name, const std::string& why)
{
    return {ExitStatus::bad_usage, fmt::format("The picture {} cannot be used: {}.", name, why),
            fmt::format(
                "Give a PNG or JPEG of at most {0} × {0} pixels, and {1} million pixels in total.",
                pictures::max_side, pictures::max_pixels / 1'000'000)};
}

} // namespace

Rgba8Image read_image(const std::filesystem::path& path)
{
    std::error_code none;
    std::ifstream file;
    // Opening a pipe would block.
    if (std::filesystem::is_regular_file(path, none)) file.open(path, std::ios::binary);
    if (!file.is_open())
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("The picture {} cannot be opened.", path.string()),
                    "Check its name and your permission to read it.");
    const std::uintmax_t size = std::filesystem::file_size(path, none);
    if (none || size > pictures::max_file_bytes)
        throw unusable_picture(
            path.string(), fmt::format("it is larger than {} MB", pictures::max_file_bytes >> 20));
    std::string bytes(size, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(size));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    return decode_image(bytes, path.string());
}

Rgba8Image decode_image(std::string_view bytes, const std::string& name)
{
    try {
        const pictures::Pixels picture = pictures::decode(bytes);
        const std::size_t row = std::size_t{4} * static_cast<std::size_t>(picture.width);
        Rgba8Image image{picture.width, picture.height,
                         std::vector<std::uint8_t>(picture.rgba.size())};
        for (int y = 0; y < image.height; ++y)
            std::memcpy(&image.pixels[row * static_cast<std::size_t>(image.height - 1 - y)],
                        &picture.rgba[row * static_cast<std::size_t>(y)], row);
        return image;
    } catch (const pictures::Problem& problem) {
        const bool unknown = problem.kind() == pictures::Problem::Kind::unknown;
        throw unusable_picture(name, unknown ? "no picture format was recognised" : problem.what());
    }
}

} // namespace lanescope::labs
