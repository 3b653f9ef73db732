// Surfaces and textures on the GPU.
#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

using device::AddressMode;
using device::Filter;
using device::Format;
using testing::ElementsAre;
using testing::FloatEq;
using testing::Pointwise;

std::vector<std::byte> bytes_of_row(int count)
{
    std::vector<std::byte> bytes(count);
    for (int i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(3 * i + 1);
    return bytes;
}

class Sampled : public OnGpu {
protected:
    // Returns samples of a row of four texels with values 0 to 3, at first + step * i.
    std::vector<float> sample(const device::Sampling& sampling, int count, float first, float step)
    {
        const auto image = gpu->allocate_image(4, 1, 0, Format::r32f);
        const std::vector<float> texels{0, 1, 2, 3};
        gpu->upload(*image, std::as_bytes(std::span(texels)));
        const auto texture = gpu->texture(*image, sampling);
        const auto module = gpu->load(kernels_ptx());
        const auto result = gpu->allocate(4 * count);
        gpu->launch(module->kernel("sample_row"),
                    {.block = {32}, .arguments = {texture->handle(), *result, count, first, step}});
        return device::download<float>(*gpu, result->address(), count);
    }
};

TEST_F(OnGpu, ImagesOfEveryShapeAndFormatKeepTexels)
{
    for (Format format :
         {Format::r8, Format::rgba8, Format::r32f, Format::rg32f, Format::rgba32f}) {
        for (const auto& [width, height, depth] : {std::array{33, 0, 0}, {33, 7, 0}, {33, 7, 5}}) {
            const auto image = gpu->allocate_image(width, height, depth, format);
            const auto texels = bytes_of_row(width * std::max(height, 1) * std::max(depth, 1) *
                                             device::bytes_per_pixel(format));
            gpu->upload(*image, texels);
            std::vector<std::byte> back(texels.size());
            gpu->download(back, *image);
            EXPECT_EQ(back, texels) << width << " x " << height << " x " << depth;
            EXPECT_NE(image->surface(), 0u);
            EXPECT_THROW(gpu->upload(*image, std::span(texels).first(texels.size() - 1)),
                         device::LaunchError);
        }
    }
}

TEST_F(OnGpu, KernelsWriteSurfacesAndLinearMemoryIsCopiedIn)
{
    const int width = 37, height = 11;
    const auto image = gpu->allocate_image(width, height, 0, Format::rgba8);
    const auto module = gpu->load(kernels_ptx());
    gpu->launch(module->kernel("paint_positions"),
                {.grid = {2, 2}, .block = {32, 8}, .arguments = {image->surface(), width, height}});
    std::vector<std::byte> texels(4 * width * height);
    gpu->download(texels, *image);
    const auto texel = [&](int x, int y) {
        return std::span(texels).subspan(4 * (y * width + x), 4);
    };
    EXPECT_THAT(texel(36, 10),
                ElementsAre(std::byte{36}, std::byte{10}, std::byte{36 ^ 10}, std::byte{255}));
    EXPECT_THAT(texel(5, 0), ElementsAre(std::byte{5}, std::byte{0}, std::byte{5}, std::byte{255}));

    const auto linear = uploaded(*gpu, bytes_of_row(4 * width * height));
    gpu->copy(*image, linear->address());
    gpu->download(texels, *image);
    EXPECT_EQ(texels, bytes_of_row(4 * width * height));
}

TEST_F(Sampled, PointFilterReadsTexelAndAddressModesApply)
{
    EXPECT_THAT(sample({}, 6, -0.5f, 1), ElementsAre(0, 0, 1, 2, 3, 3));
    device::Sampling border;
    border.address.fill(AddressMode::border);
    EXPECT_THAT(sample(border, 6, -0.5f, 1), ElementsAre(0, 0, 1, 2, 3, 0));
    device::Sampling wrap;
    wrap.address.fill(AddressMode::wrap);
    wrap.normalized_coordinates = true;
    EXPECT_THAT(sample(wrap, 6, -0.125f, 0.25f), ElementsAre(3, 0, 1, 2, 3, 0));
    device::Sampling mirror = wrap;
    mirror.address.fill(AddressMode::mirror);
    EXPECT_THAT(sample(mirror, 6, -0.125f, 0.25f), ElementsAre(0, 0, 1, 2, 3, 3));
}

TEST_F(Sampled, LinearWeightsFollowTexelCentres)
{
    device::Sampling linear;
    linear.filter = Filter::linear;
    EXPECT_THAT(sample(linear, 5, 0.5f, 0.25f),
                Pointwise(FloatEq(), {0.0f, 0.25f, 0.5f, 0.75f, 1.0f}));
}

TEST_F(OnGpu, InvalidSamplingIsRefused)
{
    const auto image = gpu->allocate_image(4, 4, 0, Format::rgba8);
    device::Sampling linear;
    linear.filter = Filter::linear;
    EXPECT_THROW(gpu->texture(*image, linear), device::LaunchError);
    EXPECT_THROW(gpu->allocate_image(0, 4, 0, Format::r8), device::LaunchError);
}

} // namespace
} // namespace lanescope::gpu_tests
