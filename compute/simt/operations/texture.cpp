// Coordinates become texel numbers and weights; the address modes apply to each tap by itself.
// Weights and coordinates have the precision that an H100 showed: recorded samples of one and two
// dimensions are met bit for bit.
#include "compute/simt/operations/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace lanescope::simt {

namespace {

using device::AddressMode;
using device::Filter;
using device::Format;

// One axis: two neighbouring texel numbers before the address mode, and the weight of the second in
// steps of 1/256.
struct Taps {
    std::int64_t first = 0;
    int second_weight = 0;
};

// Normalised coordinates are cut off to a fixed point (16 to 21 bits behind it all agree with the
// recordings).
constexpr double coordinate_steps = 1 << 20;

constexpr double coordinate_limit = 1 << 30; // beyond all images, and within what integers hold

double tame(double x)
{
    return x == x ? std::clamp(x, -coordinate_limit, coordinate_limit) : 0.0;
}

AddressMode effective(AddressMode mode, bool normalized)
{
    const bool needs_normalized = mode == AddressMode::wrap || mode == AddressMode::mirror;
    return needs_normalized && !normalized ? AddressMode::clamp : mode;
}

// The texel that a number stands for, or -1 for the border.
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
        if (mode == AddressMode::wrap) x = tame(x) - std::floor(tame(x));
        // Mirrored coordinates are folded into one period, which keeps large ones exact.
        if (mode == AddressMode::mirror) x = tame(x) - 2.0 * std::floor(tame(x) / 2.0);
        x = std::floor(tame(x) * coordinate_steps) / coordinate_steps * static_cast<double>(size);
    }
    x = tame(x);
    if (filter == Filter::point) return {static_cast<std::int64_t>(std::floor(x)), 0};
    const auto steps = static_cast<std::int64_t>(std::floor((x - 0.5) * 256.0 + 0.5));
    return {steps >> 8, static_cast<int>(steps & 255)};
}

std::array<std::int64_t, 3> sizes(const ImageData& image)
{
    return {image.width, std::max(image.height, 1), std::max(image.depth, 1)};
}

// The weights of eight taps (bit 0 of the index is x, bit 2 is z) in steps of 1/256. The product
// for the far corner is rounded, and the others are what is left of each axis's weight, so that
// they add up to one.
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

bool is_float(Format format)
{
    return device::bytes_per_pixel(format) / device::channels(format) == 4;
}

// As it is stored; zeros at the border.
Texel read_raw(const ImageData& image, const std::array<std::int64_t, 3>& at)
{
    Texel texel{};
    if (at[0] < 0 || at[1] < 0 || at[2] < 0) return texel;
    const auto size = sizes(image);
    const int channels = device::channels(image.format);
    const int channel_bytes = device::bytes_per_pixel(image.format) / channels;
    const auto pixel = static_cast<std::size_t>((at[2] * size[1] + at[1]) * size[0] + at[0]);
    const std::byte* from =
        image.texels.data() + pixel * static_cast<std::size_t>(channels * channel_bytes);
    for (int channel = 0; channel < channels; ++channel) {
        if (channel_bytes == 4)
            std::memcpy(&texel[channel], from + 4 * channel, 4);
        else
            texel[channel] = std::to_integer<std::uint32_t>(from[channel]);
    }
    return texel;
}

Texel read_texel(const TextureData& texture, const std::array<std::int64_t, 3>& at)
{
    Texel texel = read_raw(texture.image, at);
    if (is_float(texture.image.format) || !texture.sampling.normalized_reads) return texel;
    for (std::uint32_t& channel : texel)
        channel = std::bit_cast<std::uint32_t>(static_cast<float>(channel) / 255.0f);
    return texel;
}

// A weighted sum of texels, in steps of 1/256. Bytes are spread to 16 bits first, and the sum is
// rounded to 16 bits.
std::uint32_t blended(double sum, bool of_bytes)
{
    if (!of_bytes) return std::bit_cast<std::uint32_t>(static_cast<float>(sum / 256.0));
    const auto steps = static_cast<std::int64_t>(sum) * 257 + 128;
    return std::bit_cast<std::uint32_t>(
        static_cast<float>(static_cast<double>(steps >> 8) / 65535.0));
}

} // namespace

Texel sample(const TextureData& texture, int dimensions, const std::array<float, 3>& at)
{
    const device::Sampling& sampling = texture.sampling;
    const auto size = sizes(texture.image);
    std::array<Taps, 3> axis{};
    std::array<AddressMode, 3> mode{};
    // One dimension is two, at y = 0: half of what is filtered lies beyond the edge, which a border
    // shows.
    const int axes = std::max(dimensions, 2);
    for (int i = 0; i < axes; ++i) {
        mode[i] = effective(sampling.address[i], sampling.normalized_coordinates);
        axis[i] = taps(i < dimensions ? at[i] : 0.0f, size[i], mode[i],
                       sampling.normalized_coordinates, sampling.filter);
    }
    const auto place_of = [&](int tap) {
        std::array<std::int64_t, 3> place{};
        for (int i = 0; i < axes; ++i)
            place[i] = address(axis[i].first + (tap >> i & 1), size[i], mode[i]);
        return place;
    };
    if (sampling.filter == Filter::point) return read_texel(texture, place_of(0));

    const bool of_bytes = !is_float(texture.image.format);
    const auto weights =
        tap_weights(axis[0].second_weight, axis[1].second_weight, axis[2].second_weight);
    std::array<double, 4> sum{};
    for (int tap = 0; tap < 8; ++tap) {
        if (weights[tap] == 0) continue; // an infinity next door does not count
        const Texel value = read_raw(texture.image, place_of(tap));
        for (int channel = 0; channel < 4; ++channel)
            sum[channel] += weights[tap] * (of_bytes ? static_cast<double>(value[channel])
                                                     : std::bit_cast<float>(value[channel]));
    }
    Texel result{};
    for (int channel = 0; channel < 4; ++channel) result[channel] = blended(sum[channel], of_bytes);
    return result;
}

Texel fetch(const TextureData& texture, int dimensions, const std::array<std::int32_t, 3>& at)
{
    const auto size = sizes(texture.image);
    std::array<std::int64_t, 3> texel{};
    for (int i = 0; i < dimensions; ++i) {
        const AddressMode mode = texture.sampling.address[i] == AddressMode::border
                                     ? AddressMode::border
                                     : AddressMode::clamp;
        texel[i] = address(at[i], size[i], mode);
    }
    return read_texel(texture, texel);
}

std::optional<std::size_t> surface_offset(const ImageData& image, int dimensions,
                                          const std::array<std::int32_t, 3>& at, int width_bytes,
                                          SurfaceEdge edge)
{
    const auto size = sizes(image);
    const std::int64_t row_bytes = size[0] * device::bytes_per_pixel(image.format);
    const std::array<std::int64_t, 3> highest{row_bytes - width_bytes, size[1] - 1, size[2] - 1};
    std::array<std::int64_t, 3> place{};
    for (int i = 0; i < dimensions; ++i) {
        place[i] = at[i];
        if (place[i] >= 0 && place[i] <= highest[i]) continue;
        if (edge != SurfaceEdge::clamp) return std::nullopt;
        place[i] = std::clamp<std::int64_t>(place[i], 0, highest[i]);
    }
    return static_cast<std::size_t>((place[2] * size[1] + place[1]) * row_bytes + place[0]);
}

} // namespace lanescope::simt
