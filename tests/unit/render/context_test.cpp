// Contexts report their renderer, unavailable contexts cause a message with a suggested fix, and
// errors and debug messages become exceptions.
#include <gmock/gmock.h>

#include <cstdlib>

#include "render/context/window.h"
#include "render/gl/program.h"
#include "tests/unit/render/scene.h"

namespace lanescope::render {
namespace {

using testing::HasSubstr;

TEST_F(Scene, SoftwareContextNamesRenderer)
{
    EXPECT_TRUE(context_.info().software) << context_.info().renderer;
    EXPECT_THAT(context_.info().version, HasSubstr("4.5"));
    EXPECT_FALSE(context_.info().vendor.empty());
    EXPECT_TRUE(context_.note().empty());
}

TEST_F(Scene, GlErrorsThrowWithLocation)
{
    glEnable(GL_TEXTURE_2D + 7); // not a valid capability
    try {
        gl::check();
        FAIL() << "no error was thrown";
    } catch (const gl::GlError& error) {
        EXPECT_THAT(error.what(), HasSubstr("GL_INVALID_ENUM"));
        EXPECT_THAT(error.what(), HasSubstr("context_test.cpp"));
    }
    EXPECT_THROW(context_.debug_log()->check(), gl::GlError);
    EXPECT_NO_THROW(context_.debug_log()->check()) << "messages are told once";
}

TEST_F(Scene, OversizedObjectsAreRefusedWithMessage)
{
    try {
        const gl::Texture texture(GL_R8, 1 << 20, 1);
        FAIL() << "such a texture cannot be";
    } catch (const gl::GlError& error) {
        EXPECT_THAT(error.what(), HasSubstr("1048576×1"));
        EXPECT_THAT(error.what(), HasSubstr("Choose sizes"));
    }
    EXPECT_THROW(gl::Target(1 << 20, 4), gl::GlError);
    EXPECT_THROW(gl::Target(0, 4), gl::GlError);
    EXPECT_THROW(gl::Target::for_window(0, 4), gl::GlError);
}

TEST_F(Scene, MovedObjectsFreeOnce)
{
    gl::Buffer first(16);
    const GLuint id = first.id();
    const gl::Buffer second = std::move(first);
    EXPECT_EQ(second.id(), id);
    EXPECT_EQ(glIsBuffer(id), GL_TRUE);
}

TEST_F(Scene, MisspeltUniformsAndMissingShadersAreErrors)
{
    gl::Program program("shaders/rect.vert", "shaders/plain.frag");
    EXPECT_NO_THROW(program.set("colour", glm::vec4(1)));
    EXPECT_THROW(program.set("nosuch", 1), gl::GlError);
    EXPECT_THROW(gl::Program("shaders/nosuch.vert", "shaders/plain.frag"), gl::GlError);
}

TEST_F(Scene, MappedBufferIsVisibleToCpuAndOpenGl)
{
    const gl::MappedBuffer mapped(64, gl::MappedBuffer::Access::write);
    mapped.memory()[5] = std::byte{42};
    std::byte seen{};
    glGetNamedBufferSubData(mapped.id(), 5, 1, &seen);
    EXPECT_EQ(seen, std::byte{42});
}

TEST(OffscreenContext, ReportsUnavailableGpu)
{
    constexpr int no_such_gpu = 1000;
    const Offscreen context({no_such_gpu, true});
    EXPECT_TRUE(context.info().software);
    EXPECT_THAT(context.note(), HasSubstr("CUDA device 1000 cannot draw here"));
}

TEST(OffscreenContext, TwoCanCoexist)
{
    const Offscreen first({std::nullopt, true});
    EXPECT_NE(gl::Buffer(4).id(), 0u);
    const Offscreen second({std::nullopt, true});
    EXPECT_NE(gl::Buffer(4).id(), 0u);
}

TEST(WindowContext, MissingDisplaySuggestsFix)
{
    const char* display = std::getenv("DISPLAY");
    const std::string kept = display == nullptr ? "" : display;
    unsetenv("DISPLAY");
    try {
        const Window window;
        FAIL() << "a window opened without a display";
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), ExitStatus::device_unavailable);
        EXPECT_THAT(error.what(), HasSubstr("no display"));
        EXPECT_THAT(error.what(), HasSubstr("lanescope shot"));
    }
    if (display != nullptr) setenv("DISPLAY", kept.c_str(), 1);
}

} // namespace
} // namespace lanescope::render
