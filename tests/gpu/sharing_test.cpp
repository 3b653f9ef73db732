// Memory shared between CUDA and OpenGL on a real GPU: zero copy where the GPU draws too, copies
// where it does not, the same picture either way.
#include <numeric>

#include "render/capture/pixels.h"
#include "render/context/offscreen.h"
#include "render/shared/sharing.h"
#include "render/views/field.h"
#include "render/views/image.h"
#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

using testing::HasSubstr;

constexpr int side = 64;

class Sharing : public OnGpu {
protected:
    // One frame of a field and an image that the device wrote.
    std::pair<render::Pixels, render::Pixels> frame(render::Sharing& sharing)
    {
        const auto field = sharing.buffer(4 * side * side);
        const auto image = sharing.image(side, side, device::Format::rgba8);
        std::vector<float> values(side * side);
        std::iota(values.begin(), values.end(), 0.0f);
        std::vector<std::byte> texels(4 * side * side);
        for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<std::byte>(i * 7);
        for (int i = 0; i < 100; ++i) {
            const render::MappedScope mapped(sharing);
            EXPECT_NE(field->address(), 0u);
            EXPECT_NE(image->surface(), 0u);
            device::upload(*gpu, field->address(), std::span<const float>(values));
            gpu->upload(*image, texels);
        }
        const render::gl::Target target(side, side);
        const auto placement = render::place({0, 0, side, side}, 1);
        const render::Scale scale{0, side * side - 1, render::ColourMap::viridis, false, "n", ""};
        target.bind();
        render::FieldView().draw({sharing.gl_buffer(*field), side, side}, scale, placement);
        const auto field_pixels = render::read_pixels(target.resolve(), {0, 0, side, side});
        target.bind();
        render::ImageView().draw({sharing.gl_texture(*image), side, side}, placement);
        return {field_pixels, render::read_pixels(target.resolve(), {0, 0, side, side})};
    }
};

TEST_F(Sharing, ZeroCopyWhereTheGpuDraws)
{
    const render::Offscreen context({gpu->ordinal(), true});
    if (context.info().software) GTEST_SKIP() << context.note();
    render::Sharing mapped(*gpu);
    EXPECT_EQ(mapped.path(), render::SharingPath::cuda_mapped) << mapped.explanation();
    render::Sharing staged(*gpu, {true});
    EXPECT_EQ(frame(mapped), frame(staged));
    EXPECT_LT(mapped.map_us() + mapped.unmap_us(), 50) << "microseconds";
    RecordProperty("map_us", std::to_string(mapped.map_us()));
    RecordProperty("unmap_us", std::to_string(mapped.unmap_us()));
    EXPECT_NO_THROW(context.debug_log()->check());
}

TEST_F(Sharing, MemoryMadeWhileMappedIsUsableAtOnce)
{
    const render::Offscreen context({gpu->ordinal(), true});
    if (context.info().software) GTEST_SKIP() << context.note();
    render::Sharing sharing(*gpu);
    auto first = sharing.buffer(64);
    EXPECT_THROW(first->address(), std::logic_error) << "not mapped yet";
    {
        const render::MappedScope mapped(sharing);
        first.reset();
        const auto second = sharing.buffer(64);
        gpu->fill(second->address(), 1, 64);
        gpu->synchronize();
    }
    EXPECT_EQ(sharing.shared_bytes(), 0u);
}

TEST_F(Sharing, StagedByItselfWhereSoftwareDraws)
{
    const render::Offscreen context({std::nullopt, true});
    render::Sharing sharing(*gpu);
    EXPECT_EQ(sharing.path(), render::SharingPath::staged);
    EXPECT_THAT(sharing.explanation(), HasSubstr("CUDA cannot map its memory"));
    const auto [field, image] = frame(sharing);
    EXPECT_EQ(field.rgb[3 * (side - 1)], 253) << "the upper right of viridis: the highest value";
    EXPECT_EQ(image.rgb[3 * side * (side - 1)], 0);
    EXPECT_EQ(image.rgb[3 * side * (side - 1) + 1], 7);
    EXPECT_NO_THROW(context.debug_log()->check());
    EXPECT_NO_THROW(gpu->synchronize()) << "no error sticks";
}

} // namespace
} // namespace lanescope::gpu_tests
