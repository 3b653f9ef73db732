// Reads pictures through compute/pictures, and turns its errors into sentences for the user.
#include <fmt/format.h>

#include <utility>

#include "compute/error.h"
#include "compute/pictures/pictures.h"
#include "render/capture/file.h"
#include "render/capture/png.h"

namespace lanescope::render {
namespace {

using Kind = pictures::Problem::Kind;

Error error_of(const std::string& name, const pictures::Problem& problem)
{
    switch (problem.kind()) {
    case Kind::too_large:
        return {ExitStatus::bad_usage, fmt::format("{} cannot be used: {}.", name, problem.what()),
                "Choose a smaller picture."};
    case Kind::damaged:
        return {ExitStatus::bad_usage,
                fmt::format("{} is damaged or cut short ({}).", name, problem.what()),
                "Choose another picture, or save this one again."};
    case Kind::unknown: break;
    }
    return {
        ExitStatus::bad_usage,
        fmt::format("{} is not a PNG or JPEG picture that can be read ({}).", name, problem.what()),
        "Choose a PNG or JPEG picture."};
}

} // namespace

ImageFile decode_image(std::string_view bytes, const std::string& name)
{
    if (bytes.empty())
        throw Error(ExitStatus::bad_usage, fmt::format("{} is empty.", name),
                    "Choose a PNG or JPEG picture.");
    try {
        pictures::Pixels pixels = pictures::decode(bytes);
        return {pixels.width, pixels.height, std::move(pixels.rgba)};
    } catch (const pictures::Problem& problem) {
        throw error_of(name, problem);
    }
}

ImageFile read_image(const std::filesystem::path& path)
{
    return decode_image(read_file(path, pictures::max_file_bytes), path.string());
}

} // namespace lanescope::render
