// Memory shared between a device and OpenGL: OpenGL sees what kernels have written, on every path
// that works without a GPU.
#include <gmock/gmock.h>

#include <cstdlib>
#include <numeric>

#include "compute/simt/simt_device.h"
#include "render/shared/sharing.h"
#include "render/views/field.h"
#include "render/views/image.h"
#include "tests/unit/render/scene.h"

namespace lanescope::render {
namespace {

using testing::HasSubstr;

constexpr std::string_view ramp_ptx = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry ramp(.param .u64 out, .param .u32 count)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .f32 %f<3>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [count];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra DONE;
    cvta.to.global.u64 %rd2, %rd1;
    mul.wide.u32 %rd3, %r5, 4;
    add.s64 %rd4, %rd2, %rd3;
    cvt.rn.f32.u32 %f1, %r5;
    st.global.f32 [%rd4], %f1;
DONE:
    ret;
}
)";

class SharingPaths : public Scene, public testing::WithParamInterface<bool> {
protected:
    void run_ramp(const device::Buffer& buffer, std::uint32_t count)
    {
        const auto module = device_->load(ramp_ptx);
        device::Launch launch;
        launch.grid = {(count + 63) / 64, 1, 1};
        launch.block = {64, 1, 1};
        launch.arguments = {buffer, count};
        device_->launch(module->kernel("ramp"), launch);
    }
    std::vector<float> read(GLuint buffer, std::size_t count)
    {
        std::vector<float> values(count);
        glGetNamedBufferSubData(buffer, 0, static_cast<GLsizeiptr>(4 * count), values.data());
        return values;
    }

    std::unique_ptr<simt::SimtDevice> device_ = simt::make_device();
    Sharing sharing_{*device_, {GetParam()}};
};

INSTANTIATE_TEST_SUITE_P(Simt, SharingPaths, testing::Bool(),
                         [](const auto& info) { return info.param ? "staged" : "mapped"; });

TEST_P(SharingPaths, DescribeThemselves)
{
    EXPECT_EQ(sharing_.path(), GetParam() ? SharingPath::staged : SharingPath::simt_mapped);
    EXPECT_THAT(sharing_.explanation(), HasSubstr(GetParam() ? "Staged" : "Zero copy"));
}

TEST_P(SharingPaths, OpenGlSeesKernelResults)
{
    constexpr std::uint32_t count = 1000;
    std::vector<float> wanted(count);
    std::iota(wanted.begin(), wanted.end(), 0.0f);
    const auto buffer = sharing_.buffer(4 * count);
    for (int frame = 0; frame < 3; ++frame) {
        {
            const MappedScope mapped(sharing_);
            device_->fill(buffer->address(), 0, buffer->bytes());
            run_ramp(*buffer, count);
        }
        EXPECT_EQ(read(sharing_.gl_buffer(*buffer), count), wanted);
    }
    EXPECT_EQ(sharing_.shared_bytes(), 4 * count);
    EXPECT_GT(sharing_.unmap_us() + sharing_.map_us(), 0);
}

TEST_P(SharingPaths, SharedFieldsAreDrawn)
{
    const auto buffer = sharing_.buffer(4 * 16);
    FieldView view;
    const Scale scale{0, 15, ColourMap::cividis, false, "number", ""};
    {
        const MappedScope mapped(sharing_);
        run_ramp(*buffer, 16);
    }
    const auto drawn = picture(64, 64, [&] {
        view.draw({sharing_.gl_buffer(*buffer), 4, 4}, scale, place({0, 0, 64, 64}, 1));
    });
    EXPECT_EQ(pixel(drawn, 8, 56), colour_at(ColourMap::cividis, 0));
    EXPECT_EQ(pixel(drawn, 56, 56), colour_at(ColourMap::cividis, 3.0f / 15));
    EXPECT_EQ(pixel(drawn, 56, 8), colour_at(ColourMap::cividis, 1));
}

TEST_P(SharingPaths, SharedImagesAreDrawnAndStayOnDevice)
{
    const auto image = sharing_.image(3, 2, device::Format::rgba8);
    const auto texture = device_->texture(*image, {});
    EXPECT_NE(texture->handle(), 0u);
    std::vector<std::byte> texels(24);
    for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<std::byte>(10 * i);
    {
        const MappedScope mapped(sharing_);
        EXPECT_NE(image->surface(), 0u);
        device_->upload(*image, texels);
    }
    ImageView view;
    const auto drawn = picture(30, 20, [&] {
        view.draw({sharing_.gl_texture(*image), 3, 2}, place({0, 0, 30, 20}, 1.5));
    });
    EXPECT_EQ(pixel(drawn, 5, 15), (Colour{0, 10, 20}));
    EXPECT_EQ(pixel(drawn, 25, 15), (Colour{80, 90, 100}));
    EXPECT_EQ(pixel(drawn, 25, 5), (Colour{200, 210, 220}));
    std::vector<std::byte> back(24);
    device_->download(back, *image);
    EXPECT_EQ(back, texels);
}

TEST_P(SharingPaths, MemoryMayChangeBetweenFrames)
{
    auto first = sharing_.buffer(1024);
    auto second = sharing_.buffer(4096);
    sharing_.map();
    first.reset();
    auto third = sharing_.buffer(4 * 64);
    run_ramp(*third, 64);
    sharing_.unmap();
    EXPECT_EQ(read(sharing_.gl_buffer(*third), 64)[63], 63.0f);
    EXPECT_EQ(sharing_.shared_bytes(), 4096u + 256u);
    second.reset();
    third = sharing_.buffer(8);
    sharing_.map();
    sharing_.unmap();
    EXPECT_EQ(sharing_.shared_bytes(), 8u);
}

TEST_P(SharingPaths, MisuseIsError)
{
    const auto plain = device_->allocate(16);
    EXPECT_THROW(sharing_.gl_buffer(*plain), std::out_of_range);
    EXPECT_THROW(sharing_.unmap(), std::logic_error);
    sharing_.map();
    EXPECT_THROW(sharing_.map(), std::logic_error);
    sharing_.unmap();
}

TEST_F(Scene, EnvironmentCanForceCopies)
{
    const auto device = simt::make_device();
    setenv("LANESCOPE_SHARING", "staged", 1);
    EXPECT_EQ(choose_sharing(*device).path, SharingPath::staged);
    unsetenv("LANESCOPE_SHARING");
    EXPECT_EQ(choose_sharing(*device).path, SharingPath::simt_mapped);
}

} // namespace
} // namespace lanescope::render
