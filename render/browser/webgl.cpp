// OpenGL functions that WebGL 2 lacks, built from those it has; bindings are left changed.
// Functions with more than five parameters have the signature of the OpenGL 4.5 call they
// implement.
#include <glad/gl.h>

#undef glGetIntegerv
#undef glEnable
#undef glDisable
#undef glDeleteBuffers
#undef glDeleteTextures
#undef glBindBuffer
#undef glUseProgram
#undef glReadPixels

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

namespace lanescope::render::webgl {
namespace {

constexpr GLenum scratch_unit = GL_TEXTURE15;                // never used for drawing
constexpr GLenum restart = GL_PRIMITIVE_RESTART_FIXED_INDEX; // always enabled in WebGL 2

struct BufferMemory {
    std::vector<std::byte> bytes;
};
struct BufferView { // a buffer texture
    GLenum format = 0;
    GLuint buffer = 0;
    GLsizei rows = 0; // rows of the texture's storage; 0: none yet
};
struct Attribute {
    GLuint index;
    GLint count;
    GLenum type;
    GLboolean normalized;
    GLuint offset;
};

// State of the single context of a page.
struct State {
    std::map<GLuint, BufferMemory> buffers;
    std::map<GLuint, BufferView> views;                  // indexed by texture name
    std::map<GLuint, std::vector<Attribute>> attributes; // indexed by vertex array name
    GLuint program = 0;
    GLuint pack = 0;   // buffers bound for packing …
    GLuint unpack = 0; // … and for unpacking pixels
};

State& state()
{
    static State only;
    return only;
}

GLint current(GLenum what)
{
    GLint value = 0;
    glGetIntegerv(what, &value);
    return value;
}

class OnScratchUnit {
public:
    explicit OnScratchUnit(GLuint texture)
    {
        glActiveTexture(scratch_unit);
        glBindTexture(GL_TEXTURE_2D, texture);
    }
    ~OnScratchUnit() { glActiveTexture(GL_TEXTURE0); }
    OnScratchUnit(const OnScratchUnit&) = delete;
    OnScratchUnit& operator=(const OnScratchUnit&) = delete;
};

class OnFramebuffer {
public:
    explicit OnFramebuffer(GLuint framebuffer)
        : before_(static_cast<GLuint>(current(GL_DRAW_FRAMEBUFFER_BINDING)))
    {
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
    }
    ~OnFramebuffer() { glBindFramebuffer(GL_DRAW_FRAMEBUFFER, before_); }
    OnFramebuffer(const OnFramebuffer&) = delete;
    OnFramebuffer& operator=(const OnFramebuffer&) = delete;

private:
    GLuint before_;
};

class OnVertexArray {
public:
    explicit OnVertexArray(GLuint array)
        : before_(static_cast<GLuint>(current(GL_VERTEX_ARRAY_BINDING)))
    {
        glBindVertexArray(array);
    }
    ~OnVertexArray() { glBindVertexArray(before_); }
    OnVertexArray(const OnVertexArray&) = delete;
    OnVertexArray& operator=(const OnVertexArray&) = delete;

private:
    GLuint before_;
};

struct Texel {
    GLenum format;
    GLenum type;
    GLsizei bytes;
};
Texel texel_of(GLenum internal)
{
    switch (internal) {
    case GL_R8: return {GL_RED, GL_UNSIGNED_BYTE, 1};
    case GL_RGBA8: return {GL_RGBA, GL_UNSIGNED_BYTE, 4};
    case GL_R32F: return {GL_RED, GL_FLOAT, 4};
    case GL_RG32F: return {GL_RG, GL_FLOAT, 8};
    case GL_R32UI: return {GL_RED_INTEGER, GL_UNSIGNED_INT, 4};
    case GL_RG32UI: return {GL_RG_INTEGER, GL_UNSIGNED_INT, 8};
    default: return {GL_RGBA, GL_FLOAT, 16}; // GL_RGBA32F
    }
}

// Copies the buffer's bytes into its texture: whole rows first, then the rest.
void fill(GLuint texture, BufferView& view)
{
    const BufferMemory& memory = state().buffers[view.buffer];
    const Texel texel = texel_of(view.format);
    const auto texels = static_cast<GLsizei>(memory.bytes.size()) / texel.bytes;
    const GLsizei whole = texels / buffer_row;
    const GLsizei rows = std::max(1, (texels + buffer_row - 1) / buffer_row);
    const OnScratchUnit on(texture);
    if (view.rows != rows) {
        glTexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(view.format), buffer_row, rows, 0,
                     texel.format, texel.type, nullptr);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        view.rows = rows;
    }
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    if (whole > 0)
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, buffer_row, whole, texel.format, texel.type,
                        memory.bytes.data());
    if (const GLsizei rest = texels % buffer_row; rest > 0)
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, whole, rest, 1, texel.format, texel.type,
                        memory.bytes.data() + std::size_t{1} * whole * buffer_row * texel.bytes);
}

void upload(GLenum target, GLuint buffer)
{
    const BufferMemory& memory = state().buffers[buffer];
    glBindBuffer(target, buffer);
    glBufferData(target, static_cast<GLsizeiptr>(memory.bytes.size()), memory.bytes.data(),
                 GL_STREAM_DRAW);
}

} // namespace

void get_integer(GLenum what, GLint* value)
{
    if (what == GL_MAX_TEXTURE_BUFFER_SIZE)
        *value = buffer_row * current(GL_MAX_TEXTURE_SIZE);
    else
        glGetIntegerv(what, value);
}

void enable(GLenum what, bool on)
{
    if (what == restart || what == GL_DEBUG_OUTPUT || what == GL_DEBUG_OUTPUT_SYNCHRONOUS) return;
    if (on)
        glEnable(what);
    else
        glDisable(what);
}

// --- buffers ---

void create_buffers(GLsizei count, GLuint* buffers)
{
    glGenBuffers(count, buffers);
}

void delete_buffers(GLsizei count, const GLuint* buffers)
{
    for (GLsizei i = 0; i < count; ++i) state().buffers.erase(buffers[i]);
    glDeleteBuffers(count, buffers);
}

void buffer_storage(GLuint buffer, GLsizeiptr bytes, const void* data)
{
    auto& memory = state().buffers[buffer].bytes;
    memory.resize(static_cast<std::size_t>(bytes));
    if (data != nullptr) std::memcpy(memory.data(), data, memory.size());
}

void write_buffer(GLuint buffer, GLintptr offset, GLsizeiptr bytes, const void* data)
{
    std::memcpy(state().buffers[buffer].bytes.data() + offset, data,
                static_cast<std::size_t>(bytes));
}

void read_buffer(GLuint buffer, GLintptr offset, GLsizeiptr bytes, void* data)
{
    std::memcpy(data, state().buffers[buffer].bytes.data() + offset,
                static_cast<std::size_t>(bytes));
}

void* buffer_memory(GLuint buffer)
{
    return state().buffers[buffer].bytes.data();
}

void bind_buffer(GLenum target, GLuint buffer)
{
    if (target == GL_PIXEL_PACK_BUFFER)
        state().pack = buffer;
    else if (target == GL_PIXEL_UNPACK_BUFFER)
        state().unpack = buffer;
    else
        glBindBuffer(target, buffer);
}

// --- textures ---

void create_textures(GLenum target, GLsizei count, GLuint* textures)
{
    glGenTextures(count, textures);
    if (target != GL_TEXTURE_BUFFER) return;
    for (GLsizei i = 0; i < count; ++i) state().views[textures[i]] = {};
}

void delete_textures(GLsizei count, const GLuint* textures)
{
    for (GLsizei i = 0; i < count; ++i) state().views.erase(textures[i]);
    glDeleteTextures(count, textures);
}

void texture_storage(GLuint texture, GLenum format, GLsizei width, GLsizei height)
{
    const OnScratchUnit on(texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, format, width, height);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

void write_texture(GLuint texture, GLint x, GLint y, GLsizei width, GLsizei height, GLenum format,
                   GLenum type, const void* data)
{
    const OnScratchUnit on(texture);
    if (state().unpack != 0) data = state().buffers[state().unpack].bytes.data();
    glTexSubImage2D(GL_TEXTURE_2D, 0, x, y, width, height, format, type, data);
}

// New storage is zeroed already.
void clear_texture(GLuint, GLenum, GLenum) {}

void texture_buffer(GLuint texture, GLenum format, GLuint buffer)
{
    BufferView& view = state().views[texture];
    if (view.format != format) view.rows = 0;
    view.format = format;
    view.buffer = buffer;
}

void texture_parameter(GLuint texture, GLenum what, GLint* value)
{
    const auto view = state().views.find(texture);
    if (what == GL_TEXTURE_BUFFER_DATA_STORE_BINDING)
        *value = view == state().views.end() ? 0 : static_cast<GLint>(view->second.buffer);
}

void bind_texture(GLuint unit, GLuint texture)
{
    if (const auto view = state().views.find(texture); view != state().views.end())
        fill(texture, view->second);
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(GL_TEXTURE_2D, texture);
    glActiveTexture(GL_TEXTURE0);
}

// --- vertices ---

void vertex_attribute(GLuint array, GLuint index, GLint count, GLenum type, GLboolean normalized,
                      GLuint offset)
{
    auto& all = state().attributes[array];
    std::erase_if(all, [&](const Attribute& one) { return one.index == index; });
    all.push_back({index, count, type, normalized, offset});
}

void enable_vertex_attribute(GLuint array, GLuint index)
{
    const OnVertexArray on(array);
    glEnableVertexAttribArray(index);
}

void vertex_buffer(GLuint array, GLuint buffer, GLintptr offset, GLsizei stride)
{
    const OnVertexArray on(array);
    upload(GL_ARRAY_BUFFER, buffer);
    for (const Attribute& one : state().attributes[array])
        glVertexAttribPointer(one.index, one.count, one.type, one.normalized, stride,
                              reinterpret_cast<const void*>(offset + one.offset));
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

void element_buffer(GLuint array, GLuint buffer)
{
    const OnVertexArray on(array);
    upload(GL_ELEMENT_ARRAY_BUFFER, buffer);
}

// --- framebuffers ---

void renderbuffer_storage(GLuint buffer, GLsizei samples, GLenum format, GLsizei width,
                          GLsizei height)
{
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
}

void attach_renderbuffer(GLuint framebuffer, GLenum place, GLuint renderbuffer)
{
    const OnFramebuffer on(framebuffer);
    glFramebufferRenderbuffer(GL_DRAW_FRAMEBUFFER, place, GL_RENDERBUFFER, renderbuffer);
}

GLenum framebuffer_status(GLuint framebuffer)
{
    const OnFramebuffer on(framebuffer);
    return glCheckFramebufferStatus(GL_DRAW_FRAMEBUFFER);
}

void clear_colour(GLuint framebuffer, const GLfloat* colour)
{
    const OnFramebuffer on(framebuffer);
    glClearBufferfv(GL_COLOR, 0, colour);
}

void blit(GLuint from, GLuint to, GLint x0, GLint y0, GLint x1, GLint y1, GLint to_x0, GLint to_y0,
          GLint to_x1, GLint to_y1, GLbitfield what, GLenum filter)
{
    const OnFramebuffer on(to);
    const auto before = static_cast<GLuint>(current(GL_READ_FRAMEBUFFER_BINDING));
    glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
    glBlitFramebuffer(x0, y0, x1, y1, to_x0, to_y0, to_x1, to_y1, what, filter);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, before);
}

void read_pixels(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type,
                 void* to)
{
    if (state().pack != 0) to = state().buffers[state().pack].bytes.data();
    glReadPixels(x, y, width, height, format, type, to);
}

// --- programs ---

void use_program(GLuint program)
{
    state().program = program;
    glUseProgram(program);
}

InProgram::InProgram(GLuint program)
{
    if (program != state().program) glUseProgram(program);
}

InProgram::~InProgram()
{
    glUseProgram(state().program);
}

} // namespace lanescope::render::webgl
