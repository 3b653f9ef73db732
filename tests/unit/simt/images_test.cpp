// Textures and surfaces in kernels: handles, coordinates, channels and edges.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/device/formats.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

TEST(Images, TexturesAtTexelCentres)
{
    Machine machine("images");
    const auto image = machine.device().allocate_image(8, 4, 0, device::Format::r32f);
    std::vector<float> texels(32);
    for (int i = 0; i < 32; ++i) texels[i] = static_cast<float>(i);
    machine.device().upload(*image, std::as_bytes(std::span<const float>(texels)));
    const auto texture = machine.device().texture(*image, {});
    const auto out = machine.buffer(std::vector<float>(32));
    machine.run("read_points", {{1, 1, 1}, {8, 4, 1}, 0}, texture->handle(), *out, 8);
    const auto got = machine.values<float>(*out);
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 8; ++x)
            EXPECT_EQ(got[y * 8 + x],
                      static_cast<float>(y * 8 + x + 100 * (y * 8 + std::min(x + 1, 7))));
}

// As on an H200, coordinates from 0 to 1 are truncated to 21 binary digits before blending. With
// 4,096 texels, 2^-21 is half a step of the weight and rounds up to the next one.
TEST(Images, CoordinatesAreTruncated)
{
    Machine machine("images");
    const auto blends = [&](int width, float first, float step) {
        const auto image = machine.device().allocate_image(width, 1, 0, device::Format::r32f);
        std::vector<float> texels(static_cast<std::size_t>(width));
        for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i);
        machine.device().upload(*image, std::as_bytes(std::span<const float>(texels)));
        device::Sampling sampling;
        sampling.filter = device::Filter::linear;
        sampling.normalized_coordinates = true;
        const auto texture = machine.device().texture(*image, sampling);
        const auto out = machine.buffer(std::vector<float>(32));
        machine.run("blends", {}, texture->handle(), *out, first, step);
        return machine.values<float>(*out);
    };
    const auto steps = blends(4096, 0.5f, 0x1p-23f);
    for (int i = 0; i < 32; ++i)
        EXPECT_EQ(steps[i], 2047.5f + static_cast<float>((i + 4) / 8) / 256) << i;
    // With more texels, coordinates are truncated to 1/256 texel.
    const auto fine = blends(16384, 0.5f, 0x1p-24f);
    for (int i = 0; i < 32; ++i) EXPECT_EQ(fine[i], 8191.5f + static_cast<float>(i / 4) / 256) << i;
    // With more than 21 digits of the coordinate, this weight would be 193.
    EXPECT_EQ(blends(384, 0x1.2356bc0000000p-2f, 0)[0], 108 + 192.0f / 256);
}

// Halfway between two texels, as on an H200: blended integers are normalised by their type's range
// and then rounded to 16 bits; halves are converted to float.
TEST(Images, FormatsBlend)
{
    Machine machine("images");
    const auto halfway = [&](device::Format format, const std::vector<std::uint16_t>& texels) {
        const auto image = machine.device().allocate_image(2, 1, 0, format);
        std::vector<std::byte> bytes;
        const int width = device::bytes_per_pixel(format);
        for (const std::uint16_t texel : texels)
            for (int i = 0; i < width; ++i) bytes.push_back(static_cast<std::byte>(texel >> 8 * i));
        machine.device().upload(*image, bytes);
        device::Sampling sampling;
        sampling.filter = device::Filter::linear;
        sampling.normalized_coordinates = true;
        sampling.normalized_reads = device::has_integer_channels(format);
        const auto texture = machine.device().texture(*image, sampling);
        const auto out = machine.buffer(std::vector<float>(32));
        machine.run("blends", {}, texture->handle(), *out, 0.5f, 0.0f);
        return machine.values<float>(*out)[0];
    };
    EXPECT_EQ(halfway(device::Format::r8, {0, 255}), 32768.0f / 65535);
    EXPECT_EQ(halfway(device::Format::r8s, {0x7f, 0}), 16384.0f / 32767);
    EXPECT_EQ(halfway(device::Format::r8s, {0x80, 0x80}), -1.0f); // -128 also becomes -1
    EXPECT_EQ(halfway(device::Format::r16, {1000, 3000}), 2000.0f / 65535);
    EXPECT_EQ(halfway(device::Format::r16s, {0x8001, 0}), -16383.0f / 32767);
    EXPECT_EQ(halfway(device::Format::r16f, {0x3c00, 0x4200}), 2.0f); // 1 and 3 in f16
}

TEST(Images, SurfacesInPlace)
{
    Machine machine("images");
    std::vector<std::byte> host(5 * 3 * 4, std::byte{10});
    const auto image = machine.device().adopt_image(host, 5, 3, device::Format::rgba8);
    machine.run("invert", {{1, 1, 1}, {8, 8, 1}, 0}, image->surface(), 5, 3);
    for (std::size_t i = 0; i < host.size(); i += 4) {
        EXPECT_EQ(host[i], std::byte{245});
        EXPECT_EQ(host[i + 1], std::byte{10});
        EXPECT_EQ(host[i + 3], std::byte{7});
    }
    const auto texture = machine.device().texture(*image, {});
    const auto out = machine.device().allocate(60);
    machine.run("read_bytes", {{1, 1, 1}, {5, 3, 1}, 0}, texture->handle(), *out, 5);
    EXPECT_EQ(machine.values<std::byte>(*out), host);
}

TEST(Images, ColumnInPlaceOfByteIsMisaligned)
{
    Machine machine("images");
    const auto image = machine.device().allocate_image(16, 1, 0, device::Format::r32f);
    const trace::Fault fault = machine.fault("column_as_byte", {}, image->surface());
    EXPECT_EQ(fault.kind, "misaligned");
    EXPECT_EQ(fault.thread.x, 1u);
    EXPECT_THAT(fault.message, testing::HasSubstr("multiply the column by the size"));
}

TEST(Images, EdgesAndInvalidHandles)
{
    Machine machine("images");
    auto image = machine.device().allocate_image(16, 1, 0, device::Format::r32f);
    const std::vector<float> texels(16, 3.0f);
    machine.device().upload(*image, std::as_bytes(std::span<const float>(texels)));
    const trace::Fault fault = machine.fault("overrun", {}, image->surface());
    EXPECT_EQ(fault.kind, "out_of_bounds");
    EXPECT_EQ(fault.thread.x, 16u);
    machine.device().upload(*image, std::as_bytes(std::span<const float>(texels)));
    const auto out = machine.buffer(std::vector<float>(32));
    machine.run("beyond", {}, image->surface(), *out);
    const auto got = machine.values<float>(*out);
    for (int i = 0; i < 32; ++i) EXPECT_EQ(got[i], i >= 2 && i < 18 ? 3.0f : 0.0f) << i;
    const std::uint64_t handle = image->surface();
    image.reset();
    EXPECT_EQ(machine.fault("overrun", {}, handle).kind, "bad_handle");
}

} // namespace
} // namespace lanescope::simt
