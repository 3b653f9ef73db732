// Converts coordinates to texel indices and weights; address modes apply to each tap separately.
// Precision of weights and coordinates follows an H100: recorded one- and two-dimensional samples
// match bit for bit.
#include "compute/simt/operations/images/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "compute/device/formats.h"
#include "compute/simt/operations/lanes/half.h"

namespace lanescope::simt {

namespace {

thread_local TexelListener* listener = nullptr; // the active listener of this thread

using device::AddressMode;
using device::Filter;
using device::Format;

// One axis: two neighbouring texel indices before the address mode, and the second one's weight in
// units of 1/256.
struct Taps {
    std::int64_t first = 0;
    int second_weight = 0;
};

// Fractional bits of a normalised coordinate: truncated at 21 bits, or at 1/256 of a texel if that
// is finer. Measured on an H200: linear filtering in images of 4,096, 16,384 and 32,768 texels
// rules out fewer bits; the last of these and rotated images of 384 texels rule out more.
int coordinate_bits(std::int64_t size)
{
    const auto texels = static_cast<std::uint64_t>(std::max<std::int64_t>(size, 1));
    return std::max(21, static_cast<int>(std::bit_width(texels - 1)) + 8);
}

// 2^exponent, for small exponents.
double power_of_two(int exponent)
{
    constexpr std::int64_t bias = 1023;
    constexpr int fraction_bits = 52;
    return std::bit_cast<double>((bias + exponent) << fraction_bits);
}

// Without a hardware instruction, std::floor() is a function call.
double floor_of(double x)
{
    constexpr double whole = 4503599627370496.0; // 2^52: all larger doubles are integers
    if (!(x > -whole && x < whole)) return x;
    const auto cut = static_cast<double>(static_cast<std::int64_t>(x));
    return cut > x ? cut - 1.0 : cut;
}

constexpr double coordinate_limit = 1 << 30; // beyond every image, and representable as an integer

double sanitize_coordinate(double x)
{
    return x == x ? std::clamp(x, -coordinate_limit, coordinate_limit) : 0.0;
}

AddressMode effective(AddressMode mode, bool normalized)
{
    const bool needs_normalized = mode == AddressMode::wrap || mode == AddressMode::mirror;
    return needs_normalized && !normalized ? AddressMode::clamp : mode;
}

// Texel index after applying the address mode; -1 for the border.
std::int64_t address(std::int64_t i, std::int64_t size, AddressMode mode)
{
    switch (mode) {
    case AddressMode::clamp: return std::clamp<std::int64_t>(i, 0, size - 1);
    case AddressMode::border: return i < 0 || i >= size ? -1 : i;
    case AddressMode::wrap: return ((i % size) + size) % size;
    case AddressMode::mirror: {
        const std::int64_t period = ((i % (2 * size)) + 2 * size) % (2 * size);
        return period < size ? period : 2 * size - 1 - period;
    }
    }
    return -1;
}

Taps taps(float coordinate, std::int64_t size, AddressMode mode, bool normalized, Filter filter)
{
    double x = coordinate;
    if (normalized) {
        if (mode == AddressMode::wrap)
            x = sanitize_coordinate(x) - std::floor(sanitize_coordinate(x));
        // Mirrored coordinates are folded into one period, so that large ones stay exact.
        if (mode == AddressMode::mirror)
            x = sanitize_coordinate(x) - 2.0 * std::floor(sanitize_coordinate(x) / 2.0);
        const int bits = coordinate_bits(size);
        x = floor_of(sanitize_coordinate(x) * power_of_two(bits)) * power_of_two(-bits) *
            static_cast<double>(size);
    }
    x = sanitize_coordinate(x);
    if (filter == Filter::point) return {static_cast<std::int64_t>(floor_of(x)), 0};
    const auto steps = static_cast<std::int64_t>(floor_of((x - 0.5) * 256.0 + 0.5));
    return {steps >> 8, static_cast<int>(steps & 255)};
}

// One layer of one mip level: offset of its texels, and its size along each axis.
struct Plane {
    std::size_t begin = 0; // in bytes
    std::array<std::int64_t, 3> size{};
};

Plane plane_of(const ImageData& image, int level, std::int64_t layer)
{
    const auto bytes = static_cast<std::size_t>(device::bytes_per_pixel(image.format));
    Plane plane;
    for (int i = 0;; ++i) {
        plane.size = {std::max(image.width >> i, 1), std::max(image.height >> i, 1),
                      std::max(image.depth >> i, 1)};
        const auto texels =
            static_cast<std::size_t>(plane.size[0] * plane.size[1] * plane.size[2]) * bytes;
        if (i == level) {
            plane.begin += texels * static_cast<std::size_t>(layer);
            return plane;
        }
        plane.begin += texels * static_cast<std::size_t>(std::max(image.layers, 1));
    }
}

std::int64_t layer_of(const ImageData& image, std::uint32_t layer)
{
    return std::min<std::int64_t>(layer, std::max(image.layers, 1) - 1);
}

// Weights of eight taps (bit 0 of the index is x, bit 2 is z) in units of 1/256. The far
// corner's product is rounded, and the other taps share the remaining weight of each axis, so
// that all weights add up to one.
std::array<int, 8> tap_weights(int x, int y, int z)
{
    const int xy = (x * y + 128) >> 8;
    const int xz = (x * z + 128) >> 8;
    const int yz = (y * z + 128) >> 8;
    const int xyz = (x * y * z + 32768) >> 16;
    return {256 - x - y - z + xy + xz + yz - xyz,
            x - xy - xz + xyz,
            y - xy - yz + xyz,
            xy - xyz,
            z - xz - yz + xyz,
            xz - xyz,
            yz - xyz,
            xyz};
}

using device::ChannelKind;
using device::FormatRow;

// One channel as stored: integers sign- or zero-extended, halves widened.
std::uint32_t stored_channel(const std::byte* texel, std::size_t channel, const FormatRow& row)
{
    const std::byte* const from = texel + channel * static_cast<std::size_t>(row.channel_bytes);
    if (row.channel_bytes == 1) {
        const auto value = std::to_integer<std::uint8_t>(*from);
        return row.kind == ChannelKind::signed_integer
                   ? static_cast<std::uint32_t>(std::int32_t{static_cast<std::int8_t>(value)})
                   : value;
    }
    if (row.channel_bytes == 2) {
        std::uint16_t value = 0;
        std::memcpy(&value, from, sizeof value);
        if (row.kind == ChannelKind::real) return std::bit_cast<std::uint32_t>(widen_half(value));
        return row.kind == ChannelKind::signed_integer
                   ? static_cast<std::uint32_t>(std::int32_t{static_cast<std::int16_t>(value)})
                   : value;
    }
    std::uint32_t value = 0;
    std::memcpy(&value, from, sizeof value);
    return value;
}

// The integer that a normalised read returns as 1.
int full_scale(const FormatRow& row)
{
    const int bits = 8 * row.channel_bytes - (row.kind == ChannelKind::signed_integer ? 1 : 0);
    return (1 << bits) - 1;
}

// Border colour in each channel that the texels have, as from stored_channel(). Normalised reads
// convert it to the texels' integers; ties round down, as on an H200.
Texel border_texel(const TextureData& texture)
{
    const FormatRow& row = device::row_of(texture.image.format);
    Texel texel{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(row.channels); ++i) {
        const std::uint32_t given = texture.sampling.border[i];
        const bool is_signed = row.kind == ChannelKind::signed_integer;
        if (row.kind == ChannelKind::real) {
            texel[i] = given;
        } else if (!texture.sampling.normalized_reads) {
            const int unused = 32 - 8 * row.channel_bytes;
            texel[i] = is_signed ? static_cast<std::uint32_t>(
                                       static_cast<std::int32_t>(given << unused) >> unused)
                                 : given << unused >> unused;
        } else {
            const auto value = std::bit_cast<float>(given);
            const double inside =
                value == value ? std::clamp<double>(value, is_signed ? -1 : 0, 1) : 0.0;
            texel[i] = static_cast<std::uint32_t>(
                static_cast<std::int32_t>(std::ceil(inside * full_scale(row) - 0.5)));
        }
    }
    return texel;
}

// Address of the texel's bytes, after reporting it to the listener; null at the border.
const std::byte* texel_at(const ImageData& image, const Plane& plane,
                          const std::array<std::int64_t, 3>& at)
{
    if (at[0] < 0 || at[1] < 0 || at[2] < 0) return nullptr;
    const auto& size = plane.size;
    const FormatRow& row = device::row_of(image.format);
    const int bytes = row.channels * row.channel_bytes;
    const auto pixel = static_cast<std::size_t>((at[2] * size[1] + at[1]) * size[0] + at[0]);
    const std::size_t offset = image.pitch_bytes == 0
                                   ? plane.begin + pixel * static_cast<std::size_t>(bytes)
                                   : static_cast<std::size_t>(at[1]) * image.pitch_bytes +
                                         static_cast<std::size_t>(at[0] * bytes);
    if (listener != nullptr)
        listener->read(plane.begin, at[0] * bytes, at[1], at[2], bytes, offset);
    return image.texels.data() + offset;
}

Texel read_texel(const TextureData& texture, const Plane& plane,
                 const std::array<std::int64_t, 3>& at)
{
    const FormatRow& row = device::row_of(texture.image.format);
    const auto channels = static_cast<std::size_t>(row.channels);
    Texel texel{};
    if (const std::byte* const from = texel_at(texture.image, plane, at))
        for (std::size_t i = 0; i < channels; ++i) texel[i] = stored_channel(from, i, row);
    else
        texel = border_texel(texture);
    if (row.kind == ChannelKind::real || !texture.sampling.normalized_reads) return texel;
    const auto scale = static_cast<float>(full_scale(row));
    for (std::size_t i = 0; i < channels; ++i) {
        // The lowest signed integer also reads as -1.
        const float value =
            row.kind == ChannelKind::signed_integer
                ? std::max(static_cast<float>(std::bit_cast<std::int32_t>(texel[i])) / scale, -1.0f)
                : static_cast<float>(texel[i]) / scale;
        texel[i] = std::bit_cast<std::uint32_t>(value);
    }
    return texel;
}

// Rounds to the nearest half, ties away from zero.
float nearest_half(double value)
{
    constexpr double too_large = 65520;
    if (!(std::abs(value) < too_large))
        return value != value ? static_cast<float>(value)
                              : std::copysign(std::numeric_limits<float>::infinity(),
                                              static_cast<float>(value));
    constexpr int lowest_exponent = -14, fraction_bits = 10;
    const int exponent =
        value == 0 ? lowest_exponent : std::max(std::ilogb(value), lowest_exponent);
    const double unit = power_of_two(exponent - fraction_bits);
    return static_cast<float>(std::round(value / unit) * unit);
}

// Converts a weighted sum of channels, in units of 1/256. Integers of 8 bits are expanded to 16
// bits, sums of integers are rounded to 16 bits, and sums of halves to halves. Sums of unsigned and
// of 16-bit integers match an H200 bit for bit; 1 in 13 of signed 8-bit ones differs by 2^-15, and
// 1 in 200 of halves by one step of a half.
std::uint32_t texel_from_weighted_sum(double sum, const FormatRow& row)
{
    const bool is_signed = row.kind == ChannelKind::signed_integer;
    if (row.kind == ChannelKind::real)
        return std::bit_cast<std::uint32_t>(
            row.channel_bytes == 2 ? nearest_half(sum / 256.0) : static_cast<float>(sum / 256.0));
    constexpr double signed_scale = 32767.0;
    double steps = 0;
    if (row.channel_bytes == 1)
        steps =
            is_signed ? sum * signed_scale / 127.0 / 256.0 + 0.5 : (sum * 257.0 + 128.0) / 256.0;
    else
        steps = (sum + 128.0) / 256.0;
    const double whole = floor_of(steps);
    return std::bit_cast<std::uint32_t>(
        static_cast<float>(is_signed ? std::max(whole / signed_scale, -1.0) : whole / 65535.0));
}

// Texels that one plane contributes to a sample.
struct Neighbours {
    std::array<Taps, 3> axis{};
    std::array<AddressMode, 3> mode{};
    int axes = 2;

    std::array<std::int64_t, 3> place(int tap, const Plane& plane) const
    {
        std::array<std::int64_t, 3> at{};
        for (int i = 0; i < axes; ++i)
            at[i] = address(axis[i].first + (tap >> i & 1), plane.size[i], mode[i]);
        return at;
    }
};

Neighbours neighbours(const TextureData& texture, int dimensions, const Plane& plane,
                      const std::array<float, 3>& at, Filter filter)
{
    const device::Sampling& sampling = texture.sampling;
    // Faces of a cube are clamped at their edges.
    const bool cube = texture.image.cube;
    Neighbours found;
    // One dimension is treated as two, at y = 0: half of the filter footprint is outside, which
    // border mode makes visible.
    found.axes = std::max(dimensions, 2);
    for (int i = 0; i < found.axes; ++i) {
        found.mode[i] = cube ? AddressMode::clamp
                             : effective(sampling.address[i], sampling.normalized_coordinates);
        found.axis[i] = taps(i < dimensions ? at[i] : 0.0f, plane.size[i], found.mode[i],
                             cube || sampling.normalized_coordinates, filter);
    }
    return found;
}

// A channel in the form of stored_channel(), as a number.
double number_of(std::uint32_t channel, const FormatRow& row)
{
    if (row.kind == ChannelKind::real) return std::bit_cast<float>(channel);
    if (row.kind == ChannelKind::signed_integer) return std::bit_cast<std::int32_t>(channel);
    return channel;
}

void add_weighted(const TextureData& texture, const Plane& plane, const Neighbours& taps,
                  std::span<const int> weights, std::array<double, 4>& sum)
{
    const FormatRow& row = device::row_of(texture.image.format);
    const auto channels = static_cast<std::size_t>(row.channels);
    const std::array<std::array<std::int64_t, 3>, 2> corners{taps.place(0, plane),
                                                             taps.place(7, plane)};
    for (std::size_t tap = 0; tap < weights.size(); ++tap) {
        if (weights[tap] == 0) continue; // an infinity with weight zero must not count
        const std::array<std::int64_t, 3> at{corners[tap & 1][0], corners[tap >> 1 & 1][1],
                                             corners[tap >> 2 & 1][2]};
        const std::byte* const texel = texel_at(texture.image, plane, at);
        if (texel == nullptr) {
            const Texel border = border_texel(texture);
            for (std::size_t channel = 0; channel < channels; ++channel)
                sum[channel] += weights[tap] * number_of(border[channel], row);
            continue;
        }
        for (std::size_t channel = 0; channel < channels; ++channel)
            sum[channel] += weights[tap] * number_of(stored_channel(texel, channel, row), row);
    }
}

// Weights of the four texels of a mip level that contributes `share`/256: first split by column,
// then each column by row. Ties round up, except in the first column.
std::array<int, 4> level_weights(int x, int y, int share)
{
    const int right = (x * share + 128) >> 8;
    const int upper_right = (y * right + 128) >> 8;
    const int upper_left = (y * (share - right) + 127) >> 8;
    return {share - right - upper_left, right - upper_right, upper_left, upper_right};
}

// The cube face that a direction hits (z before y before x at edges), and the position on it in [0,
// 1].
struct FacePlace {
    std::uint32_t face = 0;
    std::array<float, 3> at{};
};

FacePlace face_of(const std::array<float, 3>& direction)
{
    const auto [x, y, z] = direction;
    const float size = std::max({std::abs(x), std::abs(y), std::abs(z)});
    const auto face = [&](std::uint32_t positive, float axis, float right, float down) {
        const bool negative = std::signbit(axis);
        const auto place = [&](double along) {
            return size == 0 ? 0.5f : static_cast<float>((along / size + 1.0) / 2.0);
        };
        return FacePlace{positive + (negative ? 1u : 0u), {place(right), place(down), 0.0f}};
    };
    if (std::abs(z) == size) return face(4, z, std::signbit(z) ? -x : x, -y);
    if (std::abs(y) == size) return face(2, y, x, std::signbit(y) ? -z : z);
    return face(0, x, std::signbit(x) ? z : -z, -y);
}

} // namespace

TexelListener::TexelListener()
{
    listener = this;
}

TexelListener::~TexelListener()
{
    listener = nullptr;
}

bool TexelSectors::pack(const Sector& sector, std::uint64_t& packed)
{
    constexpr int x_bits = 24, y_bits = 24, z_bits = 16;
    const auto x = static_cast<std::uint64_t>(sector.x), y = static_cast<std::uint64_t>(sector.y),
               z = static_cast<std::uint64_t>(sector.z);
    packed = (z << y_bits | y) << x_bits | x;
    return x >> x_bits == 0 && y >> y_bits == 0 && z >> z_bits == 0;
}

void TexelSectors::touch(std::uint64_t plane, std::int64_t x, std::int64_t y, std::int64_t z,
                         int bytes)
{
    // Adjacent lanes mostly read the same sectors as recent ones.
    constexpr std::ptrdiff_t remembered = 6;
    constexpr std::size_t usual = 64; // two per lane
    if (packed_.empty()) {
        packed_.reserve(usual);
        plane_ = plane;
    }
    for (std::int64_t column = x / 16; column <= (x + bytes - 1) / 16; ++column) {
        const Sector sector{plane, column, y / 2, z};
        std::uint64_t packed = 0;
        if (!pack(sector, packed) || plane != plane_) {
            others_.push_back(sector);
            continue;
        }
        const auto from = packed_.end() - std::min(remembered, std::ssize(packed_));
        if (std::find(from, packed_.end(), packed) == packed_.end()) packed_.push_back(packed);
    }
}

namespace {

// Counts distinct values in a short list; a hash table is cheaper than sorting.
std::uint32_t count_distinct(const std::vector<std::uint64_t>& numbers)
{
    constexpr int bits = 9;
    struct Place {
        std::uint64_t number = 0;
        std::uint64_t turn = 0; // the call that inserted it
    };
    thread_local std::array<Place, std::size_t{1} << bits> table;
    thread_local std::uint64_t turn = 0;
    ++turn;
    std::uint32_t distinct = 0;
    for (const std::uint64_t number : numbers) {
        std::size_t at = number * 0x9e3779b97f4a7c15u >> (64 - bits);
        while (table[at].turn == turn && table[at].number != number) at = (at + 1) % table.size();
        if (table[at].turn == turn) continue;
        table[at] = {number, turn};
        ++distinct;
    }
    return distinct;
}

} // namespace

std::uint32_t TexelSectors::count()
{
    const auto distinct = [](auto& sectors) {
        std::ranges::sort(sectors);
        sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
        return static_cast<std::uint32_t>(sectors.size());
    };
    constexpr std::size_t few = 256;
    return (packed_.size() <= few ? count_distinct(packed_) : distinct(packed_)) +
           distinct(others_);
}

Texel sample(const TextureData& texture, int dimensions, const TexturePlace& place)
{
    const device::Sampling& sampling = texture.sampling;
    const ImageData& image = texture.image;
    std::array<float, 3> at = place.at;
    std::int64_t layer = layer_of(image, place.layer);
    if (image.cube) {
        const FacePlace on_cube = face_of(place.at);
        at = on_cube.at;
        layer = on_cube.face;
    }
    // Mip levels are truncated to steps of 1/256.
    const double highest = image.levels - 1;
    const double wanted = place.level == place.level ? place.level + sampling.level_bias : 0.0;
    const double asked = std::clamp(std::min(std::max<double>(wanted, sampling.lowest_level),
                                             static_cast<double>(sampling.highest_level)),
                                    0.0, highest);
    const int steps = static_cast<int>(std::floor(asked * 256.0));
    const bool blends = texture.between_levels == Filter::linear && (steps & 255) != 0;
    const int level = blends ? steps >> 8
                      : texture.between_levels == Filter::linear
                          ? steps >> 8
                          : std::min((steps + 128) >> 8, image.levels - 1);
    const Plane plane = plane_of(image, level, layer);
    const Neighbours taps = neighbours(texture, dimensions, plane, at, sampling.filter);
    if (sampling.filter == Filter::point && !blends)
        return read_texel(texture, plane, taps.place(0, plane));

    std::array<double, 4> sum{};
    const auto weight = [](const Neighbours& of, int axis) { return of.axis[axis].second_weight; };
    if (blends) {
        const Plane next = plane_of(image, level + 1, layer);
        const Neighbours smaller = neighbours(texture, dimensions, next, at, sampling.filter);
        const int share = steps & 255;
        add_weighted(texture, plane, taps,
                     level_weights(weight(taps, 0), weight(taps, 1), 256 - share), sum);
        add_weighted(texture, next, smaller,
                     level_weights(weight(smaller, 0), weight(smaller, 1), share), sum);
    } else {
        add_weighted(texture, plane, taps,
                     tap_weights(weight(taps, 0), weight(taps, 1), weight(taps, 2)), sum);
    }
    Texel result{};
    const FormatRow& row = device::row_of(image.format);
    for (std::size_t channel = 0; channel < static_cast<std::size_t>(row.channels); ++channel)
        result[channel] = texel_from_weighted_sum(sum[channel], row);
    return result;
}

Texel fetch(const TextureData& texture, int dimensions, const std::array<std::int32_t, 3>& at,
            std::uint32_t layer, int level)
{
    const int chosen = std::clamp(level, 0, texture.image.levels - 1);
    const Plane plane = plane_of(texture.image, chosen, layer_of(texture.image, layer));
    std::array<std::int64_t, 3> texel{};
    for (int i = 0; i < dimensions; ++i) {
        const AddressMode mode = texture.sampling.address[i] == AddressMode::border
                                     ? AddressMode::border
                                     : AddressMode::clamp;
        texel[i] = address(at[i], plane.size[i], mode);
    }
    return read_texel(texture, plane, texel);
}

Texel gather(const TextureData& texture, const TexturePlace& place, int channel)
{
    const Plane plane = plane_of(texture.image, 0, layer_of(texture.image, place.layer));
    const Neighbours taps = neighbours(texture, 2, plane, place.at, Filter::linear);
    Texel result{};
    int next = 0;
    for (int tap : {2, 3, 1, 0})
        result[static_cast<std::size_t>(next++)] =
            read_texel(texture, plane, taps.place(tap, plane))[static_cast<std::size_t>(channel)];
    return result;
}

double level_of_gradients(const TextureData& texture, const std::array<float, 3>& x_step,
                          const std::array<float, 3>& y_step)
{
    const Plane plane = plane_of(texture.image, 0, 0);
    const auto length = [&](const std::array<float, 3>& step) {
        double sum = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const double scale =
                texture.sampling.normalized_coordinates ? static_cast<double>(plane.size[i]) : 1.0;
            sum += step[i] * scale * (step[i] * scale);
        }
        return std::sqrt(sum);
    };
    const double longest = std::max(length(x_step), length(y_step));
    return longest > 0 ? std::log2(longest) : 0.0;
}

std::optional<std::size_t> surface_offset(const ImageData& image, int dimensions,
                                          const std::array<std::int32_t, 3>& at, std::int32_t layer,
                                          int width_bytes, SurfaceEdge edge)
{
    const int layers = std::max(image.layers, 1);
    if (layer < 0 || layer >= layers) {
        if (edge != SurfaceEdge::clamp) return std::nullopt;
        layer = std::clamp(layer, 0, layers - 1);
    }
    const Plane plane = plane_of(image, 0, layer);
    const auto& size = plane.size;
    const std::int64_t row_bytes = size[0] * device::bytes_per_pixel(image.format);
    const std::array<std::int64_t, 3> highest{row_bytes - width_bytes, size[1] - 1, size[2] - 1};
    std::array<std::int64_t, 3> place{};
    for (int i = 0; i < dimensions; ++i) {
        place[i] = at[i];
        // The access is wider than the row: clamping is impossible.
        if (highest[i] < 0) return std::nullopt;
        if (place[i] >= 0 && place[i] <= highest[i]) continue;
        if (edge != SurfaceEdge::clamp) return std::nullopt;
        place[i] = std::clamp<std::int64_t>(place[i], 0, highest[i]);
    }
    return plane.begin +
           static_cast<std::size_t>((place[2] * size[1] + place[1]) * row_bytes + place[0]);
}

} // namespace lanescope::simt
