// Memory shared between CUDA and OpenGL on a real GPU: zero copy if the GPU also draws, copies
// otherwise, the same picture either way.
#include <numeric>

#include <glad/gl.h>

#include "render/capture/pixel_reader.h"
#include "render/context/offscreen.h"
#include "render/shared/sharing.h"
#include "render/views/colours/colour_maps.h"
#include "render/views/field.h"
#include "render/views/image.h"
#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

using testing::HasSubstr;

constexpr int side = 64;

class Sharing : public OnGpu {
protected:
    struct Frame {
        render::Pixels field;
        render::Pixels image;
        friend bool operator==(const Frame&, const Frame&) = default;
    };

    // Draws a field and an image, both written by the device, on a background of a third colour.
    Frame frame(render::Sharing& sharing)
    {
        render::FieldView field_view;
        render::ImageView image_view;
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
        const auto picture = [&](const auto& draw) {
            target.bind();
            glClearColor(background / 255.0f, background / 255.0f, background / 255.0f, 1);
            glClear(GL_COLOR_BUFFER_BIT);
            draw();
            return render::read_pixels(target.resolve(), {0, 0, side, side});
        };
        Frame drawn;
        drawn.field = picture([&] {
            field_view.draw({sharing.gl_buffer(*field), side, side}, scale, placement);
        });
        drawn.image = picture([&] {
            image_view.draw({sharing.gl_texture(*image), side, side}, placement);
        });
        return drawn;
    }

    // The first row of pixels is the top one; the first row of fields and images is the bottom one.
    static void expect_colours(const Frame& frame)
    {
        const auto low = render::colours(render::ColourMap::viridis).front();
        const auto high = render::colours(render::ColourMap::viridis).back();
        EXPECT_EQ(pixel(frame.field, 0, side - 1), low) << "lower left: the lowest value";
        EXPECT_EQ(pixel(frame.field, side - 1, 0), high) << "upper right: the highest value";
        const auto byte = [](int i) { return static_cast<std::uint8_t>(7 * i); };
        EXPECT_EQ(pixel(frame.image, 0, side - 1), (render::Colour{byte(0), byte(1), byte(2)}));
        const int last = 4 * (side * side - 1);
        EXPECT_EQ(pixel(frame.image, side - 1, 0),
                  (render::Colour{byte(last), byte(last + 1), byte(last + 2)}));
    }

private:
    static constexpr int background = 99;

    static render::Colour pixel(const render::Pixels& pixels, int x, int y)
    {
        const auto* rgb = pixels.rgb.data() + 3 * (y * pixels.width + x);
        return {rgb[0], rgb[1], rgb[2]};
    }
};

TEST_F(Sharing, IsZeroCopyIfGpuDraws)
{
    const render::Offscreen context({gpu->ordinal(), true});
    if (context.info().software) GTEST_SKIP() << context.note();
    render::Sharing mapped(*gpu);
    EXPECT_EQ(mapped.path(), render::SharingPath::cuda_mapped) << mapped.explanation();
    render::Sharing staged(*gpu, {true});
    const Frame drawn = frame(mapped);
    {
        SCOPED_TRACE(context.info().renderer + " by " + context.info().route);
        expect_colours(drawn);
    }
    EXPECT_TRUE(drawn == frame(staged));
    EXPECT_LT(mapped.map_us() + mapped.unmap_us(), 50) << "microseconds";
    RecordProperty("map_us", std::to_string(mapped.map_us()));
    RecordProperty("unmap_us", std::to_string(mapped.unmap_us()));
    EXPECT_NO_THROW(context.debug_log()->check());
}

TEST_F(Sharing, MemoryAllocatedWhileMappedIsUsable)
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

TEST_F(Sharing, IsStagedWithSoftwareRendering)
{
    const render::Offscreen context({std::nullopt, true});
    if (!context.info().software)
        GTEST_SKIP() << "no software OpenGL for EGL here: " << context.info().renderer << " draws";
    render::Sharing sharing(*gpu);
    EXPECT_EQ(sharing.path(), render::SharingPath::staged);
    EXPECT_THAT(sharing.explanation(), HasSubstr("CUDA cannot map its memory"));
    expect_colours(frame(sharing));
    EXPECT_NO_THROW(context.debug_log()->check());
    EXPECT_NO_THROW(gpu->synchronize()) << "no error sticks";
}

} // namespace
} // namespace lanescope::gpu_tests
