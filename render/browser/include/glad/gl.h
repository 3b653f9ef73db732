// OpenGL 4.5 with direct state access, as the program calls it, implemented on WebGL 2; replaces
// the generated loader of the desktop. Buffers live in the program's memory and are always visible
// to the CPU; OpenGL's copy is refreshed when it is bound. Buffer textures are two-dimensional
// textures with buffer_row texels per row (shaders read them through `element`). Errors are
// reported by the browser on its console, since querying them would wait for another process.
#pragma once

#include <GLES3/gl3.h>

#include <cstddef>

#define GLAD_API_PTR
#define __gl_h_ // keeps other headers from declaring the same functions

namespace lanescope::render::webgl {

constexpr GLsizei buffer_row = 2048; // width that every WebGL 2 texture may have

void get_integer(GLenum what, GLint* value);
void enable(GLenum what, bool on);

void create_buffers(GLsizei count, GLuint* buffers);
void delete_buffers(GLsizei count, const GLuint* buffers);
void buffer_storage(GLuint buffer, GLsizeiptr bytes, const void* data);
void write_buffer(GLuint buffer, GLintptr offset, GLsizeiptr bytes, const void* data);
void read_buffer(GLuint buffer, GLintptr offset, GLsizeiptr bytes, void* data);
void* buffer_memory(GLuint buffer);
void bind_buffer(GLenum target, GLuint buffer);

void create_textures(GLenum target, GLsizei count, GLuint* textures);
void delete_textures(GLsizei count, const GLuint* textures);
void texture_storage(GLuint texture, GLenum format, GLsizei width, GLsizei height);
void write_texture(GLuint texture, GLint x, GLint y, GLsizei width, GLsizei height, GLenum format,
                   GLenum type, const void* data);
void clear_texture(GLuint texture, GLenum format, GLenum type);
void texture_buffer(GLuint texture, GLenum format, GLuint buffer);
void texture_parameter(GLuint texture, GLenum what, GLint* value);
void bind_texture(GLuint unit, GLuint texture);

void vertex_attribute(GLuint array, GLuint index, GLint count, GLenum type, GLboolean normalized,
                      GLuint offset);
void enable_vertex_attribute(GLuint array, GLuint index);
void vertex_buffer(GLuint array, GLuint buffer, GLintptr offset, GLsizei stride);
void element_buffer(GLuint array, GLuint buffer);

void renderbuffer_storage(GLuint buffer, GLsizei samples, GLenum format, GLsizei width,
                          GLsizei height);
void attach_renderbuffer(GLuint framebuffer, GLenum place, GLuint renderbuffer);
GLenum framebuffer_status(GLuint framebuffer);
void clear_colour(GLuint framebuffer, const GLfloat* colour);
void blit(GLuint from, GLuint to, GLint x0, GLint y0, GLint x1, GLint y1, GLint to_x0, GLint to_y0,
          GLint to_x1, GLint to_y1, GLbitfield what, GLenum filter);
void read_pixels(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type,
                 void* to);

void use_program(GLuint program);
// Sets uniforms of a program that need not be current.
class InProgram {
public:
    explicit InProgram(GLuint program);
    ~InProgram();
    InProgram(const InProgram&) = delete;
    InProgram& operator=(const InProgram&) = delete;
};

} // namespace lanescope::render::webgl

// --- Calls that WebGL 2 has under the same name with a narrower meaning ---

#define glGetError()                                                                               \
    GLenum                                                                                         \
    {                                                                                              \
        GL_NO_ERROR                                                                                \
    }
#define glGetIntegerv(what, value) lanescope::render::webgl::get_integer(what, value)
#define glEnable(what) lanescope::render::webgl::enable(what, true)
#define glDisable(what) lanescope::render::webgl::enable(what, false)
#define glDeleteBuffers(count, names) lanescope::render::webgl::delete_buffers(count, names)
#define glDeleteTextures(count, names) lanescope::render::webgl::delete_textures(count, names)
#define glBindBuffer(target, buffer) lanescope::render::webgl::bind_buffer(target, buffer)
#define glUseProgram(program) lanescope::render::webgl::use_program(program)
#define glReadPixels(x, y, width, height, format, type, to)                                        \
    lanescope::render::webgl::read_pixels(x, y, width, height, format, type, to)
// Always signalled: reads are synchronous, and buffers are drawn from copies.
#define glFenceSync(condition, flags) reinterpret_cast<GLsync>(1)
#define glClientWaitSync(fence, flags, timeout)                                                    \
    GLenum                                                                                         \
    {                                                                                              \
        GL_ALREADY_SIGNALED                                                                        \
    }
#define glDeleteSync(fence) static_cast<void>(fence)

// --- OpenGL 4.5 calls ---

constexpr GLenum GL_TEXTURE_BUFFER = 0x8c2a;
constexpr GLenum GL_MAX_TEXTURE_BUFFER_SIZE = 0x8c2b;
constexpr GLenum GL_TEXTURE_BUFFER_DATA_STORE_BINDING = 0x8c2d;
constexpr GLenum GL_BUFFER = 0x82e0;
constexpr GLenum GL_CONTEXT_LOST = 0x0507;
constexpr GLbitfield GL_DYNAMIC_STORAGE_BIT = 0x0100;
constexpr GLbitfield GL_MAP_PERSISTENT_BIT = 0x0040;
constexpr GLbitfield GL_MAP_COHERENT_BIT = 0x0080;
constexpr GLbitfield GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT = 0x4000;
constexpr GLenum GL_DEBUG_OUTPUT = 0x92e0;
constexpr GLenum GL_DEBUG_OUTPUT_SYNCHRONOUS = 0x8242;
constexpr GLenum GL_DEBUG_SOURCE_APPLICATION = 0x824a;
constexpr GLenum GL_DEBUG_TYPE_ERROR = 0x824c;
constexpr GLenum GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR = 0x824e;
constexpr GLenum GL_DEBUG_SEVERITY_HIGH = 0x9146;
using GLDEBUGPROC = void (*)(GLenum, GLenum, GLuint, GLenum, GLsizei, const GLchar*, const void*);

inline int gladLoadGL(void (*(*)(const char*))())
{
    return 1;
}
inline void glPushDebugGroup(GLenum, GLuint, GLsizei, const GLchar*) {}
inline void glPopDebugGroup() {}
inline void glObjectLabel(GLenum, GLuint, GLsizei, const GLchar*) {}
inline void glDebugMessageCallback(GLDEBUGPROC, const void*) {}
inline void glMemoryBarrier(GLbitfield) {}

inline void glCreateBuffers(GLsizei count, GLuint* names)
{
    lanescope::render::webgl::create_buffers(count, names);
}
inline void glNamedBufferStorage(GLuint buffer, GLsizeiptr bytes, const void* data, GLbitfield)
{
    lanescope::render::webgl::buffer_storage(buffer, bytes, data);
}
inline void glNamedBufferSubData(GLuint buffer, GLintptr offset, GLsizeiptr bytes, const void* data)
{
    lanescope::render::webgl::write_buffer(buffer, offset, bytes, data);
}
inline void glGetNamedBufferSubData(GLuint buffer, GLintptr offset, GLsizeiptr bytes, void* data)
{
    lanescope::render::webgl::read_buffer(buffer, offset, bytes, data);
}
inline void* glMapNamedBufferRange(GLuint buffer, GLintptr, GLsizeiptr, GLbitfield)
{
    return lanescope::render::webgl::buffer_memory(buffer);
}

inline void glCreateTextures(GLenum target, GLsizei count, GLuint* names)
{
    lanescope::render::webgl::create_textures(target, count, names);
}
inline void glTextureStorage2D(GLuint texture, GLsizei, GLenum format, GLsizei width,
                               GLsizei height)
{
    lanescope::render::webgl::texture_storage(texture, format, width, height);
}
inline void glTextureSubImage2D(GLuint texture, GLint, GLint x, GLint y, GLsizei width,
                                GLsizei height, GLenum format, GLenum type, const void* data)
{
    lanescope::render::webgl::write_texture(texture, x, y, width, height, format, type, data);
}
inline void glClearTexImage(GLuint texture, GLint, GLenum format, GLenum type, const void*)
{
    lanescope::render::webgl::clear_texture(texture, format, type);
}
inline void glTextureBuffer(GLuint texture, GLenum format, GLuint buffer)
{
    lanescope::render::webgl::texture_buffer(texture, format, buffer);
}
inline void glGetTextureLevelParameteriv(GLuint texture, GLint, GLenum what, GLint* value)
{
    lanescope::render::webgl::texture_parameter(texture, what, value);
}
inline void glBindTextureUnit(GLuint unit, GLuint texture)
{
    lanescope::render::webgl::bind_texture(unit, texture);
}
inline void glCreateSamplers(GLsizei count, GLuint* names)
{
    glGenSamplers(count, names);
}

inline void glCreateVertexArrays(GLsizei count, GLuint* names)
{
    glGenVertexArrays(count, names);
}
inline void glEnableVertexArrayAttrib(GLuint array, GLuint index)
{
    lanescope::render::webgl::enable_vertex_attribute(array, index);
}
inline void glVertexArrayAttribFormat(GLuint array, GLuint index, GLint count, GLenum type,
                                      GLboolean normalized, GLuint offset)
{
    lanescope::render::webgl::vertex_attribute(array, index, count, type, normalized, offset);
}
inline void glVertexArrayAttribBinding(GLuint, GLuint, GLuint) {} // only one binding is used
inline void glVertexArrayVertexBuffer(GLuint array, GLuint, GLuint buffer, GLintptr offset,
                                      GLsizei stride)
{
    lanescope::render::webgl::vertex_buffer(array, buffer, offset, stride);
}
inline void glVertexArrayElementBuffer(GLuint array, GLuint buffer)
{
    lanescope::render::webgl::element_buffer(array, buffer);
}

inline void glCreateRenderbuffers(GLsizei count, GLuint* names)
{
    glGenRenderbuffers(count, names);
}
inline void glNamedRenderbufferStorageMultisample(GLuint buffer, GLsizei samples, GLenum format,
                                                  GLsizei width, GLsizei height)
{
    lanescope::render::webgl::renderbuffer_storage(buffer, samples, format, width, height);
}
inline void glCreateFramebuffers(GLsizei count, GLuint* names)
{
    glGenFramebuffers(count, names);
}
inline void glNamedFramebufferRenderbuffer(GLuint framebuffer, GLenum place, GLenum,
                                           GLuint renderbuffer)
{
    lanescope::render::webgl::attach_renderbuffer(framebuffer, place, renderbuffer);
}
inline GLenum glCheckNamedFramebufferStatus(GLuint framebuffer, GLenum)
{
    return lanescope::render::webgl::framebuffer_status(framebuffer);
}
inline void glClearNamedFramebufferfv(GLuint framebuffer, GLenum, GLint, const GLfloat* colour)
{
    lanescope::render::webgl::clear_colour(framebuffer, colour);
}
inline void glBlitNamedFramebuffer(GLuint from, GLuint to, GLint x0, GLint y0, GLint x1, GLint y1,
                                   GLint to_x0, GLint to_y0, GLint to_x1, GLint to_y1,
                                   GLbitfield what, GLenum filter)
{
    lanescope::render::webgl::blit(from, to, x0, y0, x1, y1, to_x0, to_y0, to_x1, to_y1, what,
                                   filter);
}

#define LANESCOPE_UNIFORM(suffix, parameters, arguments)                                           \
    inline void glProgramUniform##suffix parameters                                                \
    {                                                                                              \
        const lanescope::render::webgl::InProgram in(program);                                     \
        glUniform##suffix arguments;                                                               \
    }
LANESCOPE_UNIFORM(1i, (GLuint program, GLint place, GLint a), (place, a))
LANESCOPE_UNIFORM(2i, (GLuint program, GLint place, GLint a, GLint b), (place, a, b))
LANESCOPE_UNIFORM(3i, (GLuint program, GLint place, GLint a, GLint b, GLint c), (place, a, b, c))
LANESCOPE_UNIFORM(1f, (GLuint program, GLint place, GLfloat a), (place, a))
LANESCOPE_UNIFORM(2f, (GLuint program, GLint place, GLfloat a, GLfloat b), (place, a, b))
LANESCOPE_UNIFORM(3f, (GLuint program, GLint place, GLfloat a, GLfloat b, GLfloat c),
                  (place, a, b, c))
LANESCOPE_UNIFORM(4f, (GLuint program, GLint place, GLfloat a, GLfloat b, GLfloat c, GLfloat d),
                  (place, a, b, c, d))
LANESCOPE_UNIFORM(Matrix4fv,
                  (GLuint program, GLint place, GLsizei count, GLboolean transpose,
                   const GLfloat* values),
                  (place, count, transpose, values))
#undef LANESCOPE_UNIFORM
