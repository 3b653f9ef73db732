// Parses textures and surfaces: an image file or a fill, and sampling options.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "app/run/kernel/value.h"
#include "compute/device/checks.h"
#include "compute/device/formats.h"
#include "render/capture/png.h"

namespace lanescope::app {
namespace {

using device::AddressMode;
using device::Format;

constexpr std::size_t max_texels = std::size_t{1} << 28;

struct Options {
    std::optional<Format> format;
    device::Sampling sampling;
    device::Filter between_levels = device::Filter::point;
    int levels = 1;
    bool unorm = false;
};

// Returns false for a word that is not an option.
bool take_word(std::string_view word, Options& options)
{
    const auto mode = [&](AddressMode all) { options.sampling.address.fill(all); };
    if (const auto format = device::format_named(word))
        options.format = format;
    else if (word == "linear")
        options.sampling.filter = device::Filter::linear;
    else if (word == "point")
        options.sampling.filter = device::Filter::point;
    else if (word == "normalized")
        options.sampling.normalized_coordinates = true;
    else if (word == "trilinear")
        options.sampling.filter = options.between_levels = device::Filter::linear;
    else if (word.starts_with("levels="))
        options.levels = static_cast<int>(std::min<std::size_t>(parse_count(word.substr(7)), 99));
    else if (word == "unorm")
        options.unorm = true;
    else if (word == "clamp")
        mode(AddressMode::clamp);
    else if (word == "wrap")
        mode(AddressMode::wrap);
    else if (word == "mirror")
        mode(AddressMode::mirror);
    else if (word == "border")
        mode(AddressMode::border);
    else
        return false;
    return true;
}

std::optional<Options> parse_options(std::string_view text)
{
    Options options;
    for (;;) {
        const std::size_t comma = text.find(',');
        if (!take_word(text.substr(0, comma), options)) return {};
        if (comma == text.npos) return options;
        text.remove_prefix(comma + 1);
    }
}

// Parses "[64]", "[64x32]" or "[64x32x8]" at the end; empty if there is none.
std::optional<device::ImageShape> extents_of(std::string_view source)
{
    const std::size_t open = source.rfind('[');
    if (open == source.npos || !source.ends_with(']')) return {};
    std::string_view rest = source.substr(open + 1, source.size() - open - 2);
    device::ImageShape shape;
    std::size_t texels = 1;
    for (int* extent : {&shape.width, &shape.height, &shape.depth}) {
        const std::size_t by = rest.find('x');
        const std::size_t size = parse_count(rest.substr(0, by));
        if (size == 0 || size > 131072 || size > max_texels / texels)
            throw ValueProblem{"must have from 1 to 268,435,456 texels, at most 131,072 per side"};
        texels *= size;
        *extent = static_cast<int>(size);
        if (by == rest.npos) return shape;
        rest.remove_prefix(by + 1);
    }
    throw ValueProblem{"has more than three dimensions"};
}

// Converts a picture to texels of the given format, first row first.
Bytes texels_of(const render::ImageFile& image, Format format)
{
    const auto channels = static_cast<std::size_t>(device::channels(format));
    const device::FormatRow& row = device::row_of(format);
    const bool is_signed = row.kind == device::ChannelKind::signed_integer;
    const NumberType& type = *number_type(device::channel_type(format));
    const std::size_t pixels = image.rgba.size() / 4;
    Bytes bytes(pixels * static_cast<std::size_t>(device::bytes_per_pixel(format)));
    std::byte* to = bytes.data();
    for (std::size_t i = 0; i < pixels; ++i) {
        const std::uint8_t* rgba = image.rgba.data() + 4 * i;
        const int grey = (rgba[0] * 77 + rgba[1] * 150 + rgba[2] * 29 + 128) >> 8; // Rec. 601
        for (std::size_t c = 0; c < channels; ++c) {
            const int value = channels == 1 ? grey : rgba[c];
            if (row.kind == device::ChannelKind::real) {
                type.parse(fmt::format("{}", static_cast<float>(value) / 255.0f), to);
            } else { // white is the largest number
                const int largest = (1 << (8 * row.channel_bytes - (is_signed ? 1 : 0))) - 1;
                type.parse(std::to_string((value * largest + 127) / 255), to);
            }
            to += type.bytes;
        }
    }
    return bytes;
}

// Rewrites "const=0.5" of an image as "const:0.5" of a buffer.
std::string fill_of(std::string_view source)
{
    std::string fill(source.substr(0, source.rfind('[')));
    if (const std::size_t equals = fill.find('='); equals != fill.npos) fill[equals] = ':';
    return fill;
}

// Parts of a kind's name: "texlayered2d".
struct Kind {
    bool texture = false;
    bool layered = false;
    bool cube = false;
    int dimensions = 0; // 0: given by the number of extents
};

std::optional<Kind> kind_of(std::string_view name)
{
    Kind kind;
    kind.texture = name.starts_with("tex");
    if (!kind.texture && !name.starts_with("surf")) return {};
    name.remove_prefix(kind.texture ? 3 : 4);
    if (name.empty()) return kind;
    if (name == "cube") {
        kind.cube = kind.layered = true;
        kind.dimensions = 2;
        return kind;
    }
    kind.layered = name.starts_with("layered");
    if (kind.layered) name.remove_prefix(7);
    if (name.size() != 2 || name[1] != 'd' || name[0] < '1' || name[0] > '3') return {};
    kind.dimensions = name[0] - '0';
    return kind;
}

int dimensions_of(const device::ImageShape& shape)
{
    return shape.depth > 0 ? 3 : shape.height > 0 ? 2 : 1;
}

// The last extent of a layered image is its number of layers.
void name_layers(const Kind& kind, device::ImageShape& shape)
{
    if (kind.layered) {
        int& last = shape.depth > 0 ? shape.depth : shape.height;
        if (last == 0) throw ValueProblem{"needs its number of layers, as in ramp[64x32x5]"};
        shape.layers = std::exchange(last, 0);
        shape.cube = kind.cube;
    }
    if (kind.dimensions != 0 && kind.dimensions != dimensions_of(shape))
        throw ValueProblem{fmt::format("is an image of {} dimensions", dimensions_of(shape))};
}

void fill_image(Value& value, const Kind& kind, std::string_view source, const Options& options)
{
    if (source.starts_with('@')) {
        value.image_of = source.substr(1);
        return;
    }
    const std::string fill = fill_of(source);
    const auto extents = is_fill(fill) ? extents_of(source) : std::nullopt;
    if (!extents) {
        if (is_fill(fill)) throw ValueProblem{"needs the image's size, as in ramp[64x32]"};
        if (kind.layered || options.levels != 1)
            throw ValueProblem{"takes its layers and levels from file=PATH[WxHxLAYERS]"};
        const render::ImageFile image = render::read_image(std::string(source));
        value.format = options.format.value_or(Format::rgba8);
        value.shape = {image.width, image.height};
        name_layers(kind, value.shape);
        value.bytes = texels_of(image, value.format);
        return;
    }
    value.format = options.format.value_or(Format::r32f);
    value.shape = *extents;
    value.shape.levels = options.levels;
    name_layers(kind, value.shape);
    device::check_shape(value.shape);
    const NumberType& type = *number_type(device::channel_type(value.format));
    value.bytes = filled(type, device::image_bytes(value.shape, value.format) / type.bytes, fill);
}

} // namespace

bool is_image_kind(std::string_view kind)
{
    return kind_of(kind).has_value();
}

Value parse_image(std::string_view name, std::string_view text)
{
    const Kind kind = kind_of(name).value();
    Value value;
    value.kind = kind.texture ? Value::Kind::texture : Value::Kind::surface;
    Options options;
    std::string_view source = text;
    if (const std::size_t colon = text.rfind(':'); colon != text.npos) {
        if (const auto found = parse_options(text.substr(colon + 1))) {
            options = *found;
            source = text.substr(0, colon);
        } else if (text.find('[') < colon || text.starts_with('@')) {
            throw ValueProblem{
                fmt::format("has an unknown option in \"{}\"", text.substr(colon + 1))};
        }
    }
    fill_image(value, kind, source, options);
    value.sampling = options.sampling;
    value.between_levels = options.between_levels;
    // Also set for floats, which it does not affect: another value's format is not known yet.
    value.sampling.normalized_reads =
        options.unorm || options.sampling.filter == device::Filter::linear;
    value.type = number_type(device::channel_type(value.format));
    value.elements = value.bytes.size() / value.type->bytes;
    return value;
}

} // namespace lanescope::app
