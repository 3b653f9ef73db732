// Creates, fills and reads OpenGL objects with direct state access.
#include "render/gl/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "render/gl/labels.h"

namespace lanescope::render::gl {
namespace {

Name<RenderbufferKind> renderbuffer(GLenum format, int width, int height, int samples)
{
    GLuint id = 0;
    glCreateRenderbuffers(1, &id);
    Name<RenderbufferKind> name(id);
    glNamedRenderbufferStorageMultisample(id, samples > 1 ? samples : 0, format, width, height);
    check();
    return name;
}

void check_complete(GLuint framebuffer)
{
    if (glCheckNamedFramebufferStatus(framebuffer, GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        throw GlError("OpenGL cannot draw into an offscreen picture of this kind.",
                      "Choose a smaller picture.");
    check();
}

void check_size(int width, int height)
{
    GLint limit = 0;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &limit);
    if (width < 1 || height < 1 || width > limit || height > limit)
        throw GlError(fmt::format("A picture of {}×{} pixels cannot be drawn here.", width, height),
                      fmt::format("Choose sides from 1 to {} pixels.", limit));
}

Name<FramebufferKind> framebuffer(GLuint colour, GLuint depth)
{
    GLuint id = 0;
    glCreateFramebuffers(1, &id);
    Name<FramebufferKind> name(id);
    glNamedFramebufferRenderbuffer(id, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour);
    if (depth != 0) glNamedFramebufferRenderbuffer(id, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    check_complete(id);
    return name;
}

} // namespace

Buffer::Buffer(std::size_t bytes, GLbitfield flags, const void* data) : bytes_(bytes)
{
    GLuint id = 0;
    glCreateBuffers(1, &id);
    name_ = Name<BufferKind>(id);
    glNamedBufferStorage(id, static_cast<GLsizeiptr>(std::max<std::size_t>(bytes, 1)), data, flags);
    label(GL_BUFFER, id, fmt::format("{} bytes", bytes));
    check();
}

void Buffer::upload(std::span<const std::byte> data, std::size_t offset)
{
    glNamedBufferSubData(id(), static_cast<GLintptr>(offset), static_cast<GLsizeiptr>(data.size()),
                         data.data());
    check();
}

MappedBuffer::MappedBuffer(std::size_t bytes, Access access)
    : buffer_(bytes,
              GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT |
                  (access == Access::write ? GL_MAP_WRITE_BIT | GL_MAP_READ_BIT : GL_MAP_READ_BIT))
{
    const GLbitfield flags = GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT | GL_MAP_READ_BIT |
                             (access == Access::write ? GL_MAP_WRITE_BIT : 0);
    memory_ = static_cast<std::byte*>(glMapNamedBufferRange(
        buffer_.id(), 0, static_cast<GLsizeiptr>(std::max<std::size_t>(bytes, 1)), flags));
    check();
    if (memory_ == nullptr)
        throw GlError("OpenGL cannot map a buffer into memory.", "Choose a smaller size.");
}

Texture::Texture(GLenum internal_format, int width, int height) : width_(width), height_(height)
{
    GLint limit = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limit);
    if (width < 1 || height < 1 || width > limit || height > limit)
        throw GlError(fmt::format("OpenGL cannot create a texture of {}×{}.", width, height),
                      fmt::format("Choose sizes from 1 to {}.", limit));
    GLuint id = 0;
    glCreateTextures(GL_TEXTURE_2D, 1, &id);
    name_ = Name<TextureKind>(id);
    glTextureStorage2D(id, 1, internal_format, width, height);
    label(GL_TEXTURE, id, fmt::format("picture {}×{}", width, height));
    check();
}

void Texture::upload(GLenum format, GLenum type, const void* data)
{
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTextureSubImage2D(id(), 0, 0, 0, width_, height_, format, type, data);
    check();
}

BufferTexture::BufferTexture(GLenum internal_format) : internal_format_(internal_format)
{
    GLuint id = 0;
    glCreateTextures(GL_TEXTURE_BUFFER, 1, &id);
    name_ = Name<TextureKind>(id);
    check();
}

void BufferTexture::attach(GLuint buffer)
{
    // Attached again in every call: a new buffer may have the name of a freed one.
    glTextureBuffer(name_.id(), internal_format_, buffer);
    check();
}

Sampler::Sampler(GLenum filter)
{
    GLuint id = 0;
    glCreateSamplers(1, &id);
    name_ = Name<SamplerKind>(id);
    glSamplerParameteri(id, GL_TEXTURE_MIN_FILTER, static_cast<GLint>(filter));
    glSamplerParameteri(id, GL_TEXTURE_MAG_FILTER, static_cast<GLint>(filter));
    glSamplerParameteri(id, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glSamplerParameteri(id, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    check();
}

VertexArray::VertexArray()
{
    GLuint id = 0;
    glCreateVertexArrays(1, &id);
    name_ = Name<VertexArrayKind>(id);
    check();
}

Target::Target(int width, int height, int samples) : width_(width), height_(height)
{
    GLint max_samples = 1;
    check_size(width, height);
    glGetIntegerv(GL_MAX_SAMPLES, &max_samples);
    samples = std::min(samples, max_samples);
    colour_ = renderbuffer(GL_RGBA8, width, height, samples);
    depth_ = renderbuffer(GL_DEPTH_COMPONENT24, width, height, samples);
    framebuffer_ = framebuffer(colour_.id(), depth_.id());
    label(GL_FRAMEBUFFER, framebuffer_.id(), fmt::format("target {}×{}", width, height));
    if (samples > 1) {
        resolved_colour_ = renderbuffer(GL_RGBA8, width, height, 1);
        resolved_ = framebuffer(resolved_colour_.id(), 0);
        label(GL_FRAMEBUFFER, resolved_.id(), fmt::format("resolved {}×{}", width, height));
    }
}

void Target::bind() const
{
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id());
    glViewport(0, 0, width_, height_);
}

#ifdef __EMSCRIPTEN__
Target Target::for_window(int width, int height)
{
    return Target(width, height);
}
#else
namespace {

constexpr GLenum flip_y = 0x8BBB; // GL_FRAMEBUFFER_FLIP_Y_MESA

bool can_flip_rows()
{
    GLint count = 0;
    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; ++i) {
        const auto* name =
            reinterpret_cast<const char*>(glGetStringi(GL_EXTENSIONS, static_cast<GLuint>(i)));
        if (name != nullptr && name == std::string_view("GL_MESA_framebuffer_flip_y")) return true;
    }
    return false;
}

// RGBA in the byte order of a window: `format` and `type` select it, since an unsized format leaves
// the choice to the driver.
Name<TextureKind> window_colours(int width, int height)
{
    GLuint id = 0;
    glGenTextures(1, &id);
    Name<TextureKind> name(id);
    glBindTexture(GL_TEXTURE_2D, id);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_BGRA, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glBindTexture(GL_TEXTURE_2D, 0);
    check();
    return name;
}

} // namespace

Target::Target(int width, int height, WindowFormat)
    : width_(width), height_(height), window_colour_(window_colours(width, height)),
      depth_(renderbuffer(GL_DEPTH_COMPONENT24, width, height, 1))
{
    GLuint id = 0;
    glCreateFramebuffers(1, &id);
    framebuffer_ = Name<FramebufferKind>(id);
    glNamedFramebufferTexture(id, GL_COLOR_ATTACHMENT0, window_colour_.id(), 0);
    glNamedFramebufferRenderbuffer(id, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth_.id());
    glNamedFramebufferParameteri(id, flip_y, GL_TRUE);
    check_complete(id);
    label(GL_FRAMEBUFFER, id, fmt::format("target {}×{}, as a window", width, height));
}

Target Target::for_window(int width, int height)
{
    check_size(width, height);
    return can_flip_rows() ? Target(width, height, WindowFormat{}) : Target(width, height);
}
#endif

GLuint Target::resolve() const
{
    if (resolved_.id() == 0) return framebuffer_.id();
    glBlitNamedFramebuffer(framebuffer_.id(), resolved_.id(), 0, 0, width_, height_, 0, 0, width_,
                           height_, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    check();
    return resolved_.id();
}

} // namespace lanescope::render::gl
