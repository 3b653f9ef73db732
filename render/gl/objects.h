// RAII OpenGL objects: move-only, valid once constructed, every error thrown as GlError. The
// context that created an object must be current when it is used and destroyed.
#pragma once

#include <glad/gl.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "render/gl/error.h"

namespace lanescope::render::gl {

// Owns one OpenGL name; Kind knows how to delete it.
template <class Kind>
class Name {
public:
    Name() = default;
    explicit Name(GLuint id) : id_(id) {}
    Name(Name&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
    Name& operator=(Name&& other) noexcept
    {
        std::swap(id_, other.id_);
        return *this;
    }
    ~Name()
    {
        if (id_ != 0) Kind::free(id_);
    }
    GLuint id() const { return id_; }

private:
    GLuint id_ = 0;
};

struct BufferKind {
    static void free(GLuint id) { glDeleteBuffers(1, &id); }
};
struct TextureKind {
    static void free(GLuint id) { glDeleteTextures(1, &id); }
};
struct SamplerKind {
    static void free(GLuint id) { glDeleteSamplers(1, &id); }
};
struct FramebufferKind {
    static void free(GLuint id) { glDeleteFramebuffers(1, &id); }
};
struct RenderbufferKind {
    static void free(GLuint id) { glDeleteRenderbuffers(1, &id); }
};
struct VertexArrayKind {
    static void free(GLuint id) { glDeleteVertexArrays(1, &id); }
};

// A buffer of fixed size.
class Buffer {
public:
    // `flags` as for glNamedBufferStorage; `data` may be null (undefined contents).
    explicit Buffer(std::size_t bytes, GLbitfield flags = GL_DYNAMIC_STORAGE_BIT,
                    const void* data = nullptr);
    GLuint id() const { return name_.id(); }
    std::size_t bytes() const { return bytes_; }
    void upload(std::span<const std::byte> data, std::size_t offset = 0);

private:
    Name<BufferKind> name_;
    std::size_t bytes_ = 0;
};

// A buffer that the CPU can access for its whole lifetime (persistent, coherent mapping): writes
// through `memory` are visible to commands issued later.
class MappedBuffer {
public:
    enum class Access { write, read };
    MappedBuffer(std::size_t bytes, Access access);
    GLuint id() const { return buffer_.id(); }
    std::span<std::byte> memory() const { return {memory_, buffer_.bytes()}; }

private:
    Buffer buffer_;
    std::byte* memory_ = nullptr;
};

// A two-dimensional texture with one level.
class Texture {
public:
    Texture(GLenum internal_format, int width, int height);
    GLuint id() const { return name_.id(); }
    int width() const { return width_; }
    int height() const { return height_; }
    // Tightly packed rows, bottom row first.
    void upload(GLenum format, GLenum type, const void* data);

private:
    Name<TextureKind> name_;
    int width_ = 0;
    int height_ = 0;
};

// A view of a buffer as a one-dimensional texel array for texelFetch. attach() points it to another
// buffer.
class BufferTexture {
public:
    explicit BufferTexture(GLenum internal_format);
    void attach(GLuint buffer);
    GLuint id() const { return name_.id(); }
    void bind(GLuint unit) const { glBindTextureUnit(unit, name_.id()); }

private:
    Name<TextureKind> name_;
    GLenum internal_format_;
};

class Sampler {
public:
    // GL_NEAREST or GL_LINEAR, clamped to the edge.
    explicit Sampler(GLenum filter);
    void bind(GLuint unit) const { glBindSampler(unit, name_.id()); }

private:
    Name<SamplerKind> name_;
};

class VertexArray {
public:
    VertexArray();
    GLuint id() const { return name_.id(); }
    void bind() const { glBindVertexArray(name_.id()); }

private:
    Name<VertexArrayKind> name_;
};

// Offscreen render target: RGBA8 colour and depth, with MSAA for `samples` > 1 (averaged by
// resolve()).
class Target {
public:
    Target(int width, int height, int samples = 1);
    // A single-sample target for pictures that are blitted into the window: its pixels have the
    // window's memory layout where OpenGL supports that (Mesa), so that software copies whole rows.
    // Used like any other target.
    static Target for_window(int width, int height);
    int width() const { return width_; }
    int height() const { return height_; }
    // Makes it the draw target; sets the viewport to its full size.
    void bind() const;
    // Framebuffer to read from; averages the samples first.
    GLuint resolve() const;

private:
    struct WindowFormat {};
    Target(int width, int height, WindowFormat);

    int width_;
    int height_;
    Name<RenderbufferKind> colour_;
    Name<TextureKind> window_colour_; // used instead of colour_
    Name<RenderbufferKind> depth_;
    Name<FramebufferKind> framebuffer_;
    Name<RenderbufferKind> resolved_colour_;
    Name<FramebufferKind> resolved_;
};

} // namespace lanescope::render::gl
