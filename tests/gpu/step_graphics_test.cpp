// The calls that a lab's steps make to share memory with OpenGL, on a real GPU: what CUDA writes
// while memory is mapped is what OpenGL draws.
#include <glad/gl.h>

#include <array>

#include "compute/experiment/lab/lab.h"
#include "render/capture/pixel_reader.h"
#include "render/shared/step_graphics.h"
#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

using Colour = std::array<int, 3>;

class StepGraphics : public OnGpu {
protected:
    void SetUp() override
    {
        OnGpu::SetUp();
        if (IsSkipped()) return;
        const device::GraphicsChoice choice = render::step_graphics(*gpu);
        if (!choice.graphics) GTEST_SKIP() << choice.reason;
        graphics = choice.graphics;
    }

    // The middle of the target that the last draw() filled.
    Colour drawn_in_middle() const
    {
        graphics->finish();
        GLint framebuffer = 0;
        glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &framebuffer);
        const render::Pixels pixels =
            render::read_pixels(static_cast<GLuint>(framebuffer), {512, 512, 1, 1});
        return {pixels.rgb[0], pixels.rgb[1], pixels.rgb[2]};
    }

    std::shared_ptr<device::Graphics> graphics;
};

TEST_F(StepGraphics, VerticesWrittenWhileMappedAreDrawn)
{
    const device::GraphicsScope current(graphics.get());
    // A point in the middle of pixel (512, 512) of 1024 x 1024.
    const float middle = 1.0F / 1024;
    const auto write = [&](const device::GraphicsBuffer& vertices, float level) {
        const std::vector<float> point{middle, middle, 0, level};
        vertices.resource->map();
        device::upload(*gpu, vertices.memory->address(), std::span<const float>(point));
        vertices.resource->unmap();
        vertices.resource->draw();
    };
    const device::GraphicsBuffer vertices = graphics->buffer(4 * sizeof(float));
    EXPECT_EQ(vertices.memory->bytes(), 4 * sizeof(float));
    write(vertices, 1);
    EXPECT_EQ(drawn_in_middle(), (Colour{255, 255, 255}));
    write(vertices, 0.2F);
    EXPECT_EQ(drawn_in_middle(), (Colour{51, 51, 51}));
    vertices.resource->unregister();
    vertices.resource->register_it();
    write(vertices, 0.6F);
    EXPECT_EQ(drawn_in_middle(), (Colour{153, 153, 153}));
}

TEST_F(StepGraphics, VerticesFromTheHostAreDrawn)
{
    const device::GraphicsScope current(graphics.get());
    const float middle = 1.0F / 1024;
    const std::array<float, 4> point{middle, middle, 0, 0.4F};
    const device::GraphicsBuffer vertices = graphics->buffer(sizeof point);
    vertices.resource->update(std::as_bytes(std::span(point)));
    vertices.resource->draw();
    EXPECT_EQ(drawn_in_middle(), (Colour{102, 102, 102}));
}

TEST_F(StepGraphics, TexelsWrittenWhileMappedAreDrawn)
{
    const device::GraphicsScope current(graphics.get());
    const auto texels = [](int red) {
        std::vector<std::byte> bytes;
        for (int i = 0; i < 16; ++i)
            for (const int channel : {red, 20, 30, 255})
                bytes.push_back(static_cast<std::byte>(channel));
        return bytes;
    };
    const device::GraphicsImage image = graphics->image(4, 4, device::Format::rgba8);
    image.resource->map();
    EXPECT_NE(image.memory->surface(), 0U);
    gpu->upload(*image.memory, texels(200));
    image.resource->unmap();
    image.resource->draw();
    EXPECT_EQ(drawn_in_middle(), (Colour{200, 20, 30}));
    image.resource->update(texels(90));
    image.resource->draw();
    EXPECT_EQ(drawn_in_middle(), (Colour{90, 20, 30}));
}

TEST_F(StepGraphics, MemoryHasNoAddressUnlessMapped)
{
    const device::GraphicsScope current(graphics.get());
    const device::GraphicsBuffer vertices = graphics->buffer(64);
    const device::GraphicsImage image = graphics->image(4, 4, device::Format::rgba8);
    EXPECT_THROW(vertices.memory->address(), device::LaunchError);
    EXPECT_THROW(image.memory->surface(), device::LaunchError);
    vertices.resource->map();
    EXPECT_NE(vertices.memory->address(), 0U);
    vertices.resource->unmap();
    EXPECT_THROW(vertices.memory->address(), device::LaunchError);
}

TEST_F(StepGraphics, ClockReadsMarksInOrder)
{
    const device::GraphicsScope current(graphics.get());
    const device::GraphicsBuffer vertices = graphics->buffer(1 << 20);
    device::GraphicsClock& clock = graphics->clock();
    for (int round = 0; round < 2; ++round) {
        clock.start();
        clock.mark();
        vertices.resource->draw();
        clock.mark();
        const std::vector<double> ms = clock.read_ms();
        ASSERT_EQ(ms.size(), 2U);
        EXPECT_GT(ms[1], ms[0]);
        EXPECT_LT(ms[1], 10'000);
    }
}

// Every right variant of the lab on sharing, with the real calls.
TEST_F(StepGraphics, LabOnSharingIsRight)
{
    device::make_graphics_with(render::step_graphics);
    const labs::Lab& lab = labs::find("sharing");
    for (const labs::Variant& variant : lab.variants) {
        if (!variant.fault.empty() || variant.wrong) continue;
        SCOPED_TRACE(variant.id);
        device::PlainAllocator memory(*gpu);
        labs::Values values(lab);
        values.set("size", "33");
        const auto experiment = lab.start({*gpu, memory, lab, variant, values, 1, {}});
        for (int step = 0; step < 3; ++step) experiment->step();
        const labs::Check check = experiment->check();
        EXPECT_TRUE(check.correct) << check.message;
    }
}

} // namespace
} // namespace lanescope::gpu_tests
