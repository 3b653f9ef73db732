// Launches, images and samplings that must be refused, with a message that gives the reason.
#include "compute/device/checks.h"
#include "compute/device/formats.h"

#include <gmock/gmock.h>

namespace {

using namespace lanescope;
using namespace lanescope::device;
using testing::AllOf;
using testing::HasSubstr;

class FakeKernel : public Kernel {
public:
    std::string_view name() const override { return "heat_naive"; }
    std::span<const std::size_t> parameter_sizes() const override { return sizes; }
    KernelAttributes attributes() const override { return needs; }

    std::vector<std::size_t> sizes{8, 8, 4};
    KernelAttributes needs{
        .registers = 17, .static_shared_bytes = 1024, .max_threads_per_block = 512};
};

Launch good_launch()
{
    return {.grid = {4, 4, 1},
            .block = {32, 8, 1},
            .arguments = {std::uint64_t{256}, std::uint64_t{512}, 7}};
}

std::string refusal(const Kernel& kernel, const Launch& launch, const LaunchLimits& limits = {})
{
    try {
        check_launch(kernel, launch, limits);
    } catch (const LaunchError& error) {
        EXPECT_EQ(error.status(), ExitStatus::bad_usage);
        return error.what();
    }
    return "accepted";
}

TEST(CheckLaunch, AcceptsValidLaunch)
{
    EXPECT_EQ(refusal(FakeKernel(), good_launch()), "accepted");
}

TEST(CheckLaunch, NamesArgumentCount)
{
    Launch launch = good_launch();
    launch.arguments.pop_back();
    EXPECT_THAT(refusal(FakeKernel(), launch), AllOf(HasSubstr("heat_naive was given 2 arguments"),
                                                     HasSubstr("3 (8, 8, 4 bytes)")));
}

TEST(CheckLaunch, NamesParameterAndSize)
{
    Launch launch = good_launch();
    launch.arguments[1] = 1.0f;
    EXPECT_THAT(
        refusal(FakeKernel(), launch),
        HasSubstr("Argument 1 of kernel heat_naive has 4 bytes, but the parameter takes 8."));
}

TEST(CheckLaunch, RefusesEmptyAndOversizedGrids)
{
    Launch launch = good_launch();
    launch.grid = {4, 0, 1};
    EXPECT_THAT(refusal(FakeKernel(), launch), HasSubstr("empty grid: 4 x 0 x 1"));
    launch.grid = {1, 65536, 1};
    EXPECT_THAT(refusal(FakeKernel(), launch), HasSubstr("at most 2147483647 x 65535 x 65535"));
}

TEST(CheckLaunch, RefusesOversizedBlocks)
{
    Launch launch = good_launch();
    launch.block = {1, 1, 65};
    EXPECT_THAT(refusal(FakeKernel(), launch), HasSubstr("at most 1024 x 1024 x 64"));
    launch.block = {64, 32, 1};
    EXPECT_THAT(refusal(FakeKernel(), launch), HasSubstr("2048 threads per block"));
    launch.block = {32, 32, 1};
    EXPECT_THAT(refusal(FakeKernel(), launch), HasSubstr("compiled for at most 512"));
}

TEST(CheckLaunch, CountsStaticAndDynamicSharedMemory)
{
    Launch launch = good_launch();
    launch.dynamic_shared_bytes = 48 * 1024;
    EXPECT_THAT(refusal(FakeKernel(), launch),
                HasSubstr("50176 bytes of shared memory per block (1024 static"));
    Properties properties;
    properties.shared_per_block_optin = 232448;
    EXPECT_EQ(refusal(FakeKernel(), launch, launch_limits(properties)), "accepted");
}

TEST(Formats, HaveChannelsAndBytes)
{
    EXPECT_EQ(bytes_per_pixel(Format::r8), 1);
    EXPECT_EQ(bytes_per_pixel(Format::rgba8), 4);
    EXPECT_EQ(bytes_per_pixel(Format::r32f), 4);
    EXPECT_EQ(bytes_per_pixel(Format::rg32f), 8);
    EXPECT_EQ(bytes_per_pixel(Format::rgba32f), 16);
    EXPECT_EQ(channels(Format::rg32f), 2);
    EXPECT_EQ(bytes_per_pixel(Format::rg8), 2);
    EXPECT_EQ(bytes_per_pixel(Format::rgba16s), 8);
    EXPECT_EQ(bytes_per_pixel(Format::rg16f), 4);
    for (const FormatRow& row : format_rows) {
        EXPECT_EQ(format_named(row.name), row.format);
        EXPECT_EQ(format_with(row.kind, row.channels, row.channel_bytes), row.format) << row.name;
    }
    EXPECT_FALSE(format_with(ChannelKind::real, 1, 1));
    EXPECT_EQ(channel_type(Format::rg16s), "i16");
    EXPECT_EQ(channel_type(Format::rgba16f), "f16");
    EXPECT_EQ(channel_type(Format::r32f), "f32");
}

TEST(Images, MissingDimensionsCountAsOne)
{
    EXPECT_EQ(image_bytes(7, 0, 0, Format::r32f), 28u);
    EXPECT_EQ(image_bytes(7, 3, 0, Format::rgba8), 84u);
    EXPECT_EQ(image_bytes(7, 3, 2, Format::r8), 42u);
    EXPECT_THROW(check_image(0, 4, 0), LaunchError);
    EXPECT_THROW(check_image(4, 0, 4), LaunchError);
    EXPECT_NO_THROW(check_image(4, 4, 0));
}

TEST(CheckSampling, RefusesUnsupportedSampling)
{
    Sampling wrap;
    wrap.address[0] = AddressMode::wrap;
    EXPECT_THROW(check_sampling(Format::r32f, wrap), LaunchError);
    wrap.normalized_coordinates = true;
    EXPECT_NO_THROW(check_sampling(Format::r32f, wrap));

    EXPECT_THROW(check_sampling(Format::rgba8, {.filter = Filter::linear}), LaunchError);
    EXPECT_NO_THROW(
        check_sampling(Format::rgba8, {.filter = Filter::linear, .normalized_reads = true}));
    EXPECT_THROW(check_sampling(Format::rgba32f, {.normalized_reads = true}), LaunchError);
    EXPECT_THROW(check_sampling(Format::r16f, {.normalized_reads = true}), LaunchError);
    EXPECT_THROW(check_sampling(Format::rg16s, {.filter = Filter::linear}), LaunchError);
    EXPECT_NO_THROW(check_sampling(Format::rg16f, {.filter = Filter::linear}));
}

TEST(Engines, HaveNames)
{
    EXPECT_EQ(name(Engine::cuda), "cuda");
    EXPECT_EQ(name(Engine::simt), "simt");
}

} // namespace
