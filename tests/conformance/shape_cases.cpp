// Textures and surfaces with layers, faces and levels, in both filters.
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "tests/conformance/kernel_case.h"

namespace lanescope::conformance {

namespace {

using device::AddressMode;
using device::Filter;
using device::Format;

constexpr std::uint32_t samples = 512;

template <class T>
void append(Bytes& bytes, T value)
{
    const auto raw = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
}

// Three coordinates between `low` and `high`, and a fourth for levels and layers, half of them
// integers. Directions include edges and corners of the cube.
Bytes positions(double low, double high, bool directions)
{
    std::mt19937_64 random(47);
    const auto between = [&](double from, double to) {
        return from + (to - from) * static_cast<double>(random() % 4096) / 4096.0;
    };
    Bytes bytes;
    for (std::uint32_t i = 0; i < samples; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            double value = between(low, high);
            if (directions && i % 4 == 0) value = std::floor(value * 3) / 2;
            append(bytes, static_cast<float>(value));
        }
        const double last = between(-2, 7);
        append(bytes, static_cast<float>(i % 2 == 0 ? std::floor(last) : last));
    }
    return bytes;
}

Bytes texels(std::size_t floats)
{
    std::mt19937_64 random(53);
    Bytes bytes;
    for (std::size_t i = 0; i < floats; ++i)
        append(bytes, static_cast<float>(static_cast<int>(random() % 4096) - 2048) / 64.0f);
    return bytes;
}

Case start(const char* kernel, std::string name)
{
    Case made;
    made.group = "shapes";
    made.source = "tests/conformance/kernels/shapes.cu";
    made.kernel = kernel;
    made.name = std::move(name);
    made.grid = {samples / 128, 1, 1};
    made.block = {128, 1, 1};
    made.outputs = {{samples * 16, Element::f32, {}}};
    return made;
}

void add_read(std::vector<Case>& cases, const char* kernel, const device::ImageShape& shape,
              AddressMode mode, Filter filter, bool normalized,
              Filter between_levels = Filter::point)
{
    Case made = start(kernel, fmt::format("{} {} x {}{}{}{}{}", kernel, shape.width, shape.height,
                                          filter == Filter::linear ? " linear" : " point",
                                          between_levels == Filter::linear ? " levels" : "",
                                          normalized ? " normalized" : "",
                                          mode == AddressMode::wrap     ? " wrap"
                                          : mode == AddressMode::border ? " border"
                                                                        : ""));
    ImageInput image;
    image.shape = shape;
    image.format = Format::rgba32f;
    image.texels = texels(device::image_bytes(shape, image.format) / 4);
    image.sampling.address = {mode, mode, mode};
    image.sampling.filter = filter;
    image.sampling.normalized_coordinates = normalized;
    image.between_levels = between_levels;
    made.images.push_back(image);
    made.inputs.push_back(shape.cube   ? positions(-1, 1, true)
                          : normalized ? positions(-0.5, 1.5, false)
                                       : positions(-3, 14, false));
    cases.push_back(std::move(made));
}

} // namespace

void add_shape_cases(std::vector<Case>& cases)
{
    for (const Filter filter : {Filter::point, Filter::linear}) {
        add_read(cases, "layers_1d", {11, 0, 0, 4}, AddressMode::clamp, filter, false);
        add_read(cases, "layers_2d", {9, 5, 0, 3}, AddressMode::border, filter, false);
        add_read(cases, "layers_2d", {9, 5, 0, 3}, AddressMode::wrap, filter, true);
        add_read(cases, "faces", {8, 8, 0, 6, true}, AddressMode::clamp, filter, true);
        add_read(cases, "gathered", {9, 5}, AddressMode::clamp, filter, false);
        add_read(cases, "gathered", {9, 5}, AddressMode::wrap, filter, true);
        add_read(cases, "in_halves", {9, 5}, AddressMode::clamp, filter, true);
        for (const Filter between : {Filter::point, Filter::linear})
            for (const device::ImageShape& shape : {device::ImageShape{16, 16, 0, 0, false, 5},
                                                    device::ImageShape{13, 7, 0, 0, false, 4}})
                for (const char* kernel : {"levels", "first_level"})
                    add_read(cases, kernel, shape, AddressMode::wrap, filter, true, between);
        // "steps" selects the level by a logarithm, whose last bits affect the blended result.
        add_read(cases, "steps", {16, 16, 0, 0, false, 5}, AddressMode::clamp, filter, true);
    }
    Case surface = start("surface_layers", "surface_layers");
    ImageInput image;
    image.shape = {8, 4, 0, 3};
    image.format = Format::r32f;
    image.texels = texels(96);
    image.is_surface = true;
    surface.images.push_back(image);
    surface.grid = {1, 1, 1};
    surface.block = {96, 1, 1};
    surface.outputs = {{96 * 12, Element::f32, {}}};
    Bytes places;
    for (std::int32_t i = 0; i < 96; ++i) {
        // Out of bounds, or the element that this thread wrote.
        append(places, i % 2 == 0 ? i % 8 : i % 8 + 8);
        append(places, i / 8 % 4);
    }
    surface.inputs.push_back(places);
    cases.push_back(std::move(surface));
}

} // namespace lanescope::conformance
