// Intercepts OpenGL calls that use a resource while CUDA has it mapped. This library is loaded
// before OpenGL's, so the program's calls come here first: both those that it links and those that
// it gets from glXGetProcAddress or eglGetProcAddress, as GLEW does. For a program that opens
// OpenGL's library itself, as GLFW and SDL do, compilers/interposed.cpp answers with these, too.
#include <atomic>
#include <cstring>

#include "compute/runtime/graphics.h"
#include "compute/runtime/graphics/opengl.h"

using lanescope::runtime::graphics::OpenGlUse;

namespace {

// The real function, looked up on first use.
template <class Function>
Function real(const char* name, std::atomic<void*>& known)
{
    void* function = known.load(std::memory_order_relaxed);
    if (function == nullptr) {
        function = lanescope::runtime::gl::find(name);
        known.store(function, std::memory_order_relaxed);
    }
    return reinterpret_cast<Function>(function);
}

void note(const char* name, OpenGlUse use, unsigned object = 0)
{
    if (lanescope::runtime::graphics::any_mapped())
        lanescope::runtime::graphics::check_use(name, use, object);
}

void note_all(const char* name, OpenGlUse use, int count, const unsigned* objects)
{
    for (int i = 0; i < count && objects != nullptr; ++i) note(name, use, objects[i]);
}

void upload(const char* name, const void* data, std::ptrdiff_t bytes)
{
    if (bytes > 0 && lanescope::runtime::graphics::any_host_copies())
        lanescope::runtime::graphics::check_upload(name, data, static_cast<std::size_t>(bytes),
                                                   false);
}

// Channels of a format, and bytes of a type, of pixels; 0 for others.
int channels_of(unsigned format)
{
    switch (format) {
    case 0x1903:           // GL_RED
    case 0x1906:           // GL_ALPHA
    case 0x1909:           // GL_LUMINANCE
    case 0x8D94: return 1; // GL_RED_INTEGER
    case 0x8227:           // GL_RG
    case 0x8228:           // GL_RG_INTEGER
    case 0x190A: return 2; // GL_LUMINANCE_ALPHA
    case 0x1907:           // GL_RGB
    case 0x80E0: return 3; // GL_BGR
    case 0x1908:           // GL_RGBA
    case 0x80E1:           // GL_BGRA
    case 0x8D99: return 4; // GL_RGBA_INTEGER
    default: return 0;
    }
}
int bytes_of(unsigned type)
{
    switch (type) {
    case 0x1400:           // GL_BYTE
    case 0x1401: return 1; // GL_UNSIGNED_BYTE
    case 0x1402:           // GL_SHORT
    case 0x1403:           // GL_UNSIGNED_SHORT
    case 0x140B: return 2; // GL_HALF_FLOAT
    case 0x1404:           // GL_INT
    case 0x1405:           // GL_UNSIGNED_INT
    case 0x1406: return 4; // GL_FLOAT
    default: return 0;
    }
}

void upload_pixels(const char* name, int width, int height, unsigned format, unsigned type,
                   const void* pixels)
{
    const std::ptrdiff_t bytes =
        std::ptrdiff_t{width} * height * channels_of(format) * bytes_of(type);
    // With a buffer bound, the pixels are not the host's.
    if (bytes > 0 && pixels != nullptr && lanescope::runtime::graphics::any_host_copies() &&
        lanescope::runtime::gl::unpack_buffer() == 0)
        lanescope::runtime::graphics::check_upload(name, pixels, static_cast<std::size_t>(bytes),
                                                   true);
}

} // namespace

// Defines the function; `checks` runs before the real one.
#define USES(name, parameters, arguments, checks)                                                  \
    extern "C" void name parameters                                                                \
    {                                                                                              \
        static std::atomic<void*> known;                                                           \
        checks;                                                                                    \
        if (const auto function = real<decltype(&name)>(#name, known)) function arguments;         \
    }

USES(glBegin, (unsigned mode), (mode), note(__func__, OpenGlUse::texture))
USES(glDrawArrays, (unsigned mode, int first, int count), (mode, first, count),
     note(__func__, OpenGlUse::draw))
USES(glDrawElements, (unsigned mode, int count, unsigned type, const void* indices),
     (mode, count, type, indices), note(__func__, OpenGlUse::draw))
USES(glDrawRangeElements,
     (unsigned mode, unsigned low, unsigned high, int count, unsigned type, const void* indices),
     (mode, low, high, count, type, indices), note(__func__, OpenGlUse::draw))
USES(glDrawArraysInstanced, (unsigned mode, int first, int count, int instances),
     (mode, first, count, instances), note(__func__, OpenGlUse::draw))
USES(glDrawElementsInstanced,
     (unsigned mode, int count, unsigned type, const void* indices, int instances),
     (mode, count, type, indices, instances), note(__func__, OpenGlUse::draw))
USES(glDrawElementsBaseVertex,
     (unsigned mode, int count, unsigned type, const void* indices, int base),
     (mode, count, type, indices, base), note(__func__, OpenGlUse::draw))
USES(glMultiDrawArrays, (unsigned mode, const int* firsts, const int* counts, int draws),
     (mode, firsts, counts, draws), note(__func__, OpenGlUse::draw))
USES(glMultiDrawElements,
     (unsigned mode, const int* counts, unsigned type, const void* const* indices, int draws),
     (mode, counts, type, indices, draws), note(__func__, OpenGlUse::draw))
USES(glDrawPixels, (int width, int height, unsigned format, unsigned type, const void* pixels),
     (width, height, format, type, pixels), note(__func__, OpenGlUse::unpack))
USES(glTexImage2D,
     (unsigned target, int level, int internal, int width, int height, int border, unsigned format,
      unsigned type, const void* pixels),
     (target, level, internal, width, height, border, format, type, pixels),
     (note(__func__, OpenGlUse::unpack),
      upload_pixels(__func__, width, height, format, type, pixels)))
USES(glTexSubImage2D,
     (unsigned target, int level, int x, int y, int width, int height, unsigned format,
      unsigned type, const void* pixels),
     (target, level, x, y, width, height, format, type, pixels),
     (note(__func__, OpenGlUse::unpack),
      upload_pixels(__func__, width, height, format, type, pixels)))
USES(glTexSubImage3D,
     (unsigned target, int level, int x, int y, int z, int width, int height, int depth,
      unsigned format, unsigned type, const void* pixels),
     (target, level, x, y, z, width, height, depth, format, type, pixels),
     note(__func__, OpenGlUse::unpack))
USES(glReadPixels,
     (int x, int y, int width, int height, unsigned format, unsigned type, void* pixels),
     (x, y, width, height, format, type, pixels), note(__func__, OpenGlUse::pack))
USES(glBufferData, (unsigned target, std::ptrdiff_t bytes, const void* data, unsigned usage),
     (target, bytes, data, usage),
     (note(__func__, OpenGlUse::write, target), upload(__func__, data, bytes)))
USES(glBufferSubData,
     (unsigned target, std::ptrdiff_t offset, std::ptrdiff_t bytes, const void* data),
     (target, offset, bytes, data),
     (note(__func__, OpenGlUse::write, target), upload(__func__, data, bytes)))
USES(glNamedBufferData, (unsigned buffer, std::ptrdiff_t bytes, const void* data, unsigned usage),
     (buffer, bytes, data, usage),
     (note(__func__, OpenGlUse::write_named, buffer), upload(__func__, data, bytes)))
USES(glNamedBufferSubData,
     (unsigned buffer, std::ptrdiff_t offset, std::ptrdiff_t bytes, const void* data),
     (buffer, offset, bytes, data),
     (note(__func__, OpenGlUse::write_named, buffer), upload(__func__, data, bytes)))
USES(glDeleteBuffers, (int count, const unsigned* buffers), (count, buffers),
     note_all(__func__, OpenGlUse::delete_buffer, count, buffers))
USES(glDeleteTextures, (int count, const unsigned* textures), (count, textures),
     note_all(__func__, OpenGlUse::delete_texture, count, textures))

namespace {

using Address = void (*)();

// Returns our function of that name to a program that asks for the address of the real one.
Address noticed(const char* name, Address found)
{
    if (found == nullptr || name == nullptr) return found;
#define NOTICED(function)                                                                          \
    if (std::strcmp(name, #function) == 0) return reinterpret_cast<Address>(&function);
    NOTICED(glBegin)
    NOTICED(glDrawArrays)
    NOTICED(glDrawElements)
    NOTICED(glDrawRangeElements)
    NOTICED(glDrawArraysInstanced)
    NOTICED(glDrawElementsInstanced)
    NOTICED(glDrawElementsBaseVertex)
    NOTICED(glMultiDrawArrays)
    NOTICED(glMultiDrawElements)
    NOTICED(glDrawPixels)
    NOTICED(glTexImage2D)
    NOTICED(glTexSubImage2D)
    NOTICED(glTexSubImage3D)
    NOTICED(glReadPixels)
    NOTICED(glBufferData)
    NOTICED(glBufferSubData)
    NOTICED(glNamedBufferData)
    NOTICED(glNamedBufferSubData)
    NOTICED(glDeleteBuffers)
    NOTICED(glDeleteTextures)
#undef NOTICED
    return found;
}

} // namespace

extern "C" {

Address glXGetProcAddressARB(const unsigned char* name)
{
    const char* const text = reinterpret_cast<const char*>(name);
    return noticed(text, lanescope::runtime::gl::find_address("glXGetProcAddressARB", text));
}
Address glXGetProcAddress(const unsigned char* name)
{
    const char* const text = reinterpret_cast<const char*>(name);
    return noticed(text, lanescope::runtime::gl::find_address("glXGetProcAddress", text));
}
Address eglGetProcAddress(const char* name)
{
    return noticed(name, lanescope::runtime::gl::find_address("eglGetProcAddress", name));
}

} // extern "C"
