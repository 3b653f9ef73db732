// Textures in every address mode, filter and format; surfaces at and beyond their edges.
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "tests/conformance/kernel_case.h"
#include "tests/conformance/values.h"

namespace lanescope::conformance {

namespace {

using device::AddressMode;
using device::Filter;
using device::Format;

constexpr std::uint32_t samples = 128;

template <class T>
void append(Bytes& bytes, T value)
{
    const auto raw = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
}

// Four coordinates per sample, inside and outside the image: at texel centres, edges and between.
Bytes positions(bool normalized)
{
    std::mt19937_64 random(23);
    Bytes bytes;
    for (std::uint32_t i = 0; i < samples * 4; ++i) {
        const double steps = static_cast<double>(static_cast<int>(random() % 8192) - 2048);
        const double texels = i % 16 < 4 ? std::floor(steps / 256.0) / 2.0 : steps / 256.0;
        append(bytes, static_cast<float>(normalized ? texels / 13.0 : texels));
    }
    return bytes;
}

Bytes texels(Format format, std::size_t count)
{
    std::mt19937_64 random(29);
    Bytes bytes;
    const int channels = device::channels(format);
    for (std::size_t i = 0; i < count * static_cast<std::size_t>(channels); ++i) {
        if (device::bytes_per_pixel(format) == channels)
            append(bytes, static_cast<std::uint8_t>(random()));
        else
            append(bytes, static_cast<float>(static_cast<int>(random() % 4096) - 2048) / 64.0f);
    }
    return bytes;
}

constexpr const char* mode_names[] = {"wrap", "clamp", "mirror", "border"};

Case sampled(const char* kernel, int dimensions, Format format, const device::Sampling& sampling)
{
    Case made;
    made.group = "textures";
    made.source = "tests/conformance/kernels/textures.cu";
    made.kernel = kernel;
    made.name = fmt::format("{} {} {} {}{}{}", kernel,
                            channels(format) == 1   ? "r"
                            : channels(format) == 2 ? "rg"
                                                    : "rgba",
                            mode_names[static_cast<int>(sampling.address[0])],
                            sampling.filter == Filter::linear ? "linear" : "point",
                            sampling.normalized_coordinates ? " normalized" : "",
                            sampling.normalized_reads ? " reads" : "");
    made.grid = {2, 1, 1};
    made.block = {samples / 2, 1, 1};
    ImageInput image;
    image.shape = {13, dimensions > 1 ? 9 : 0, dimensions > 2 ? 5 : 0};
    image.format = format;
    image.texels = texels(format, device::image_bytes(image.shape, format) /
                                      static_cast<std::size_t>(device::bytes_per_pixel(format)));
    image.sampling = sampling;
    made.images.push_back(image);
    made.inputs.push_back(positions(sampling.normalized_coordinates));
    // In three dimensions with normalised coordinates the hardware's weights differ by one or two
    // steps of 1/256, for an unknown reason; texels are between -32 and 32. Everything else is
    // exact.
    const Tolerance steps{Tolerance::Kind::absolute, 0.5};
    const bool inexact =
        dimensions == 3 && sampling.filter == Filter::linear && sampling.normalized_coordinates;
    made.outputs.push_back({samples * 16, Element::f32, inexact ? steps : Tolerance{}});
    return made;
}

device::Sampling sampling(AddressMode mode, Filter filter, bool normalized)
{
    device::Sampling result;
    result.address = {mode, mode, mode};
    result.filter = filter;
    result.normalized_coordinates = normalized;
    return result;
}

void add_sampled(std::vector<Case>& cases)
{
    for (const AddressMode mode :
         {AddressMode::wrap, AddressMode::clamp, AddressMode::mirror, AddressMode::border})
        for (const Filter filter : {Filter::point, Filter::linear})
            for (const bool normalized : {false, true}) {
                const bool needs_normalized =
                    mode == AddressMode::wrap || mode == AddressMode::mirror;
                if (needs_normalized && !normalized) continue;
                cases.push_back(
                    sampled("sample_1d", 1, Format::r32f, sampling(mode, filter, normalized)));
                cases.push_back(
                    sampled("sample_2d", 2, Format::rgba32f, sampling(mode, filter, normalized)));
                cases.push_back(
                    sampled("sample_3d", 3, Format::rg32f, sampling(mode, filter, normalized)));
            }
    for (const Filter filter : {Filter::point, Filter::linear}) {
        device::Sampling reads = sampling(AddressMode::clamp, filter, true);
        reads.normalized_reads = true;
        cases.push_back(sampled("sample_2d", 2, Format::rgba8, reads));
        cases.push_back(sampled("sample_2d", 2, Format::r8, reads));
    }
    Case bytes = sampled("sample_2d_bytes", 2, Format::rgba8,
                         sampling(AddressMode::border, Filter::point, false));
    bytes.outputs = {{samples * 4, Element::bits, {}}};
    cases.push_back(bytes);
}

// Pairs of integers around an image of 16 by 9.
Bytes places()
{
    Bytes bytes;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(samples); ++i) {
        append(bytes, i % 20 - 2);
        append(bytes, i / 20 % 13 - 2);
    }
    return bytes;
}

Case surface(const char* kernel, Format format)
{
    Case made;
    made.group = "textures";
    made.name = kernel;
    made.source = "tests/conformance/kernels/textures.cu";
    made.kernel = kernel;
    made.inputs.push_back(places());
    ImageInput image;
    image.shape = {16, 9};
    image.format = format;
    image.texels = texels(format, 16 * 9);
    image.is_surface = true;
    made.images.push_back(image);
    return made;
}

} // namespace

void add_texture_cases(std::vector<Case>& cases)
{
    add_sampled(cases);
    Case edges = surface("surface_edges", Format::r32f);
    edges.grid = {2, 1, 1};
    edges.block = {samples / 2, 1, 1};
    edges.outputs.push_back({samples * 8, Element::bits, {}});
    cases.push_back(edges);
    Case round_trip = surface("surface_round_trip", Format::rgba8);
    round_trip.grid = {1, 9, 1};
    round_trip.block = {16, 1, 1};
    round_trip.outputs.push_back({16 * 9 * 4, Element::bits, {}});
    cases.push_back(round_trip);
}

} // namespace lanescope::conformance
