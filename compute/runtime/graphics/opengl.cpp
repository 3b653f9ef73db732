// Constants are those of the OpenGL specification, so no OpenGL header is needed to build this.
#include "compute/runtime/graphics/opengl.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

namespace lanescope::runtime::gl {

namespace {

using Name = unsigned;
using Enum = unsigned;
using Size = std::ptrdiff_t;

// A context library (GLX, EGL, OSMesa) that the program has loaded: returns contexts and functions.
struct Provider {
    const void* (*current)() = nullptr;
    void* (*find)(const char*) = nullptr;
};

void* loaded(const char* library)
{
    return dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
}

// Searched on every call, because the program may load a library between two calls.
std::optional<Provider> provider_of_current()
{
    struct Known {
        const char* library;
        const char* current;
        const char* find;
    };
    constexpr std::array<Known, 6> known{{
        {"libGLX.so.0", "glXGetCurrentContext", "glXGetProcAddressARB"},
        {"libGL.so.1", "glXGetCurrentContext", "glXGetProcAddressARB"},
        {"libEGL.so.1", "eglGetCurrentContext", "eglGetProcAddress"},
        {"libOSMesa.so.8", "OSMesaGetCurrentContext", "OSMesaGetProcAddress"},
        {"libOSMesa.so.6", "OSMesaGetCurrentContext", "OSMesaGetProcAddress"},
        {"libOSMesa.so", "OSMesaGetCurrentContext", "OSMesaGetProcAddress"},
    }};
    for (const Known& each : known) {
        void* const library = loaded(each.library);
        if (library == nullptr) continue;
        Provider provider;
        provider.current = reinterpret_cast<const void* (*)()>(dlsym(library, each.current));
        provider.find = reinterpret_cast<void* (*)(const char*)>(dlsym(library, each.find));
        if (provider.current == nullptr || provider.find == nullptr) continue;
        if (provider.current() != nullptr) return provider;
    }
    return {};
}

// Searches the libraries' exports, for functions that an old eglGetProcAddress does not find.
void* find_exported(const char* name)
{
    for (const char* library : {"libGL.so.1", "libOpenGL.so.0", "libGLESv2.so.2"})
        if (void* const from = loaded(library))
            if (void* const found = dlsym(from, name)) return found;
    return nullptr;
}

// Functions of the current context's OpenGL; null if it lacks one.
struct Functions {
    void (*GetIntegerv)(Enum, int*) = nullptr;
    const unsigned char* (*GetString)(Enum) = nullptr;
    unsigned char (*IsEnabled)(Enum) = nullptr;
    void (*Enable)(Enum) = nullptr;
    void (*Disable)(Enum) = nullptr;
    void (*PixelStorei)(Enum, int) = nullptr;
    unsigned char (*IsBuffer)(Name) = nullptr;
    void (*BindBuffer)(Enum, Name) = nullptr;
    void (*GenBuffers)(int, Name*) = nullptr;
    void (*DeleteBuffers)(int, const Name*) = nullptr;
    void (*BufferData)(Enum, Size, const void*, Enum) = nullptr;
    void (*GetBufferParameteriv)(Enum, Enum, int*) = nullptr;
    void (*GetBufferParameteri64v)(Enum, Enum, std::int64_t*) = nullptr;
    void (*GetBufferSubData)(Enum, Size, Size, void*) = nullptr;
    void (*BufferSubData)(Enum, Size, Size, const void*) = nullptr;
    void (*CopyBufferSubData)(Enum, Enum, Size, Size, Size) = nullptr;
    void* (*MapBufferRange)(Enum, Size, Size, unsigned) = nullptr;
    unsigned char (*UnmapBuffer)(Enum) = nullptr;
    unsigned char (*IsTexture)(Name) = nullptr;
    void (*BindTexture)(Enum, Name) = nullptr;
    void (*GenTextures)(int, Name*) = nullptr;
    void (*DeleteTextures)(int, const Name*) = nullptr;
    void (*TexParameteri)(Enum, Enum, int) = nullptr;
    void (*GetTexParameteriv)(Enum, Enum, int*) = nullptr;
    void (*GetTexLevelParameteriv)(Enum, int, Enum, int*) = nullptr;
    void (*GetTexImage)(Enum, int, Enum, Enum, void*) = nullptr;
    void (*TexImage2D)(Enum, int, int, int, int, int, Enum, Enum, const void*) = nullptr;
    void (*TexSubImage2D)(Enum, int, int, int, int, int, Enum, Enum, const void*) = nullptr;
    void (*TexSubImage3D)(Enum, int, int, int, int, int, int, int, Enum, Enum,
                          const void*) = nullptr;
    unsigned char (*IsRenderbuffer)(Name) = nullptr;
    void (*BindRenderbuffer)(Enum, Name) = nullptr;
    void (*GetRenderbufferParameteriv)(Enum, Enum, int*) = nullptr;
    void (*GenFramebuffers)(int, Name*) = nullptr;
    void (*DeleteFramebuffers)(int, const Name*) = nullptr;
    void (*BindFramebuffer)(Enum, Name) = nullptr;
    void (*FramebufferRenderbuffer)(Enum, Enum, Enum, Name) = nullptr;
    void (*FramebufferTexture2D)(Enum, Enum, Enum, Name, int) = nullptr;
    void (*BlitFramebuffer)(int, int, int, int, int, int, int, int, unsigned, Enum) = nullptr;
    void (*ReadPixels)(int, int, int, int, Enum, Enum, void*) = nullptr;
    void (*GetVertexAttribiv)(unsigned, Enum, int*) = nullptr;
    void (*ActiveTexture)(Enum) = nullptr;
    void (*GetProgramiv)(Name, Enum, int*) = nullptr;
    void (*GetActiveUniform)(Name, unsigned, int, int*, int*, Enum*, char*) = nullptr;
    int (*GetUniformLocation)(Name, const char*) = nullptr;
    void (*GetUniformiv)(Name, int, int*) = nullptr;

    int version = 0; // 45 for 4.5
    bool embedded = false;

    bool has_pixel_buffers() const { return version >= (embedded ? 30 : 21); }
    bool has_copies() const { return version >= (embedded ? 30 : 31); }
};

namespace number {
constexpr Enum version = 0x1F02;
constexpr Enum buffer_size = 0x8764, buffer_mapped = 0x88BC, immutable_storage = 0x821F,
               storage_flags = 0x8220;
constexpr int dynamic_storage = 0x0100;
constexpr Enum array_buffer = 0x8892, array_buffer_binding = 0x8894;
constexpr Enum copy_read_buffer = 0x8F36, copy_write_buffer = 0x8F37; // also their binding numbers
constexpr Enum pixel_pack_buffer = 0x88EB, pixel_pack_buffer_binding = 0x88ED;
constexpr Enum pixel_unpack_buffer = 0x88EC, pixel_unpack_buffer_binding = 0x88EF;
constexpr Enum stream_copy = 0x88E2;
constexpr unsigned map_read = 1, map_write = 2;
constexpr Enum width = 0x1000, height = 0x1001, internal_format = 0x1003, depth = 0x8071;
constexpr Enum texture_max_level = 0x813D, min_filter = 0x2801;
constexpr int nearest = 0x2600;
constexpr Enum cube_map_positive_x = 0x8515;
constexpr Enum renderbuffer_width = 0x8D42, renderbuffer_height = 0x8D43,
               renderbuffer_format = 0x8D44, renderbuffer_samples = 0x8CAB,
               renderbuffer_binding = 0x8CA7;
constexpr Enum read_framebuffer = 0x8CA8, draw_framebuffer = 0x8CA9,
               read_framebuffer_binding = 0x8CAA, draw_framebuffer_binding = 0x8CA6,
               color_attachment = 0x8CE0;
constexpr Enum scissor_test = 0x0C11;
constexpr unsigned color_bits = 0x4000;
} // namespace number

int parse_version(const Functions& gl, bool& embedded)
{
    const auto* const text = reinterpret_cast<const char*>(gl.GetString(number::version));
    if (text == nullptr) return 0;
    std::string_view words = text;
    constexpr std::string_view prefix = "OpenGL ES";
    embedded = words.starts_with(prefix);
    const std::size_t digit = words.find_first_of("0123456789");
    if (digit == words.npos || digit + 2 >= words.size()) return 0;
    return (words[digit] - '0') * 10 + (words[digit + 2] - '0');
}

template <class Function>
void find_function(const Provider& provider, const char* name, Function& function)
{
    void* found = find_exported(name);
    if (found == nullptr) found = provider.find(name);
    function = reinterpret_cast<Function>(found);
}

// Functions for the current context; null without one.
const Functions* functions()
{
    const std::optional<Provider> provider = provider_of_current();
    if (!provider) return nullptr;
    // A program may use several libraries, each with its own functions.
    thread_local Functions found;
    thread_local const void* found_for = nullptr;
    const void* const context = provider->current();
    if (found_for == context) return &found;
    found = {};
#define FIND(name) find_function(*provider, "gl" #name, found.name);
    FIND(GetIntegerv)
    FIND(GetString)
    FIND(IsEnabled)
    FIND(Enable)
    FIND(Disable)
    FIND(PixelStorei)
    FIND(IsBuffer)
    FIND(BindBuffer)
    FIND(GenBuffers)
    FIND(DeleteBuffers)
    FIND(BufferData)
    FIND(GetBufferParameteriv)
    FIND(GetBufferParameteri64v)
    FIND(GetBufferSubData)
    FIND(BufferSubData)
    FIND(CopyBufferSubData)
    FIND(MapBufferRange)
    FIND(UnmapBuffer)
    FIND(IsTexture)
    FIND(BindTexture)
    FIND(GenTextures)
    FIND(DeleteTextures)
    FIND(TexParameteri)
    FIND(GetTexParameteriv)
    FIND(GetTexLevelParameteriv)
    FIND(GetTexImage)
    FIND(TexImage2D)
    FIND(TexSubImage2D)
    FIND(TexSubImage3D)
    FIND(IsRenderbuffer)
    FIND(BindRenderbuffer)
    FIND(GetRenderbufferParameteriv)
    FIND(GenFramebuffers)
    FIND(DeleteFramebuffers)
    FIND(BindFramebuffer)
    FIND(FramebufferRenderbuffer)
    FIND(FramebufferTexture2D)
    FIND(BlitFramebuffer)
    FIND(ReadPixels)
    FIND(GetVertexAttribiv)
    FIND(ActiveTexture)
    FIND(GetProgramiv)
    FIND(GetActiveUniform)
    FIND(GetUniformLocation)
    FIND(GetUniformiv)
#undef FIND
    if (found.GetString == nullptr || found.GetIntegerv == nullptr || found.IsBuffer == nullptr)
        return nullptr;
    found.version = parse_version(found, found.embedded);
    if (found.version == 0) return nullptr;
    found_for = context;
    return &found;
}

int integer(const Functions& gl, Enum which)
{
    int value = 0;
    gl.GetIntegerv(which, &value);
    return value;
}

// RAII: binds a buffer to a target.
class BoundBuffer {
public:
    BoundBuffer(const Functions& gl, Enum target, Enum binding, Name buffer)
        : gl_(gl), target_(target), before_(static_cast<Name>(integer(gl, binding)))
    {
        gl_.BindBuffer(target_, buffer);
    }
    ~BoundBuffer() { gl_.BindBuffer(target_, before_); }
    BoundBuffer(const BoundBuffer&) = delete;
    BoundBuffer& operator=(const BoundBuffer&) = delete;

private:
    const Functions& gl_;
    Enum target_;
    Name before_;
};

// A buffer target that does not affect drawing, if this version has one,
// and the number of its binding.
Enum quiet_target(const Functions& gl)
{
    return gl.has_copies() ? number::copy_write_buffer : number::array_buffer;
}
Enum quiet_binding(const Functions& gl)
{
    return gl.has_copies() ? number::copy_write_buffer : number::array_buffer_binding;
}

// RAII: makes pixel transfers use tightly packed rows in the program's memory.
class PlainPixels {
public:
    explicit PlainPixels(const Functions& gl) : gl_(gl)
    {
        if (gl.has_pixel_buffers()) {
            pack_.emplace(gl, number::pixel_pack_buffer, number::pixel_pack_buffer_binding, 0);
            unpack_.emplace(gl, number::pixel_unpack_buffer, number::pixel_unpack_buffer_binding,
                            0);
        }
        for (std::size_t i = 0; i < settings.size(); ++i) {
            if (!is_known(settings[i])) continue;
            before_[i] = integer(gl, settings[i]);
            gl.PixelStorei(settings[i], is_alignment(settings[i]) ? 1 : 0);
        }
    }
    ~PlainPixels()
    {
        for (std::size_t i = 0; i < settings.size(); ++i)
            if (is_known(settings[i])) gl_.PixelStorei(settings[i], before_[i]);
    }
    PlainPixels(const PlainPixels&) = delete;
    PlainPixels& operator=(const PlainPixels&) = delete;

private:
    // Unpack and pack settings: swapped bytes, bit order, row length, skipped rows, skipped pixels,
    // alignment, skipped images, image height.
    static constexpr std::array<Enum, 16> settings{0x0CF0, 0x0CF1, 0x0CF2, 0x0CF3, 0x0CF4, 0x0CF5,
                                                   0x806D, 0x806E, 0x0D00, 0x0D01, 0x0D02, 0x0D03,
                                                   0x0D04, 0x0D05, 0x806B, 0x806C};
    static bool is_alignment(Enum setting) { return setting == 0x0CF5 || setting == 0x0D05; }
    // OpenGL ES lacks the settings for byte and bit order, and two for packing images.
    bool is_known(Enum setting) const
    {
        if (!gl_.embedded) return true;
        return setting != 0x0CF0 && setting != 0x0CF1 && setting != 0x0D00 && setting != 0x0D01 &&
               setting != 0x806B && setting != 0x806C;
    }

    const Functions& gl_;
    std::optional<BoundBuffer> pack_, unpack_;
    std::array<int, 16> before_{};
};

Enum texture_binding(Enum target)
{
    switch (target) {
    case texture_2d: return 0x8069;
    case texture_3d: return 0x806A;
    case texture_rectangle: return 0x84F6;
    case texture_cube_map: return 0x8514;
    default: return 0x8C1D; // of 2D array textures
    }
}

// RAII: binds a texture to its target in the active unit.
class BoundTexture {
public:
    BoundTexture(const Functions& gl, Enum target, Name texture)
        : gl_(gl), target_(target), before_(static_cast<Name>(integer(gl, texture_binding(target))))
    {
        gl_.BindTexture(target_, texture);
    }
    ~BoundTexture() { gl_.BindTexture(target_, before_); }
    BoundTexture(const BoundTexture&) = delete;
    BoundTexture& operator=(const BoundTexture&) = delete;

private:
    const Functions& gl_;
    Enum target_;
    Name before_;
};

// RAII: a new framebuffer, bound for reading or drawing.
class BoundFramebuffer {
public:
    BoundFramebuffer(const Functions& gl, Enum target, Enum binding)
        : gl_(gl), target_(target), before_(static_cast<Name>(integer(gl, binding)))
    {
        gl_.GenFramebuffers(1, &made_);
        gl_.BindFramebuffer(target_, made_);
    }
    ~BoundFramebuffer()
    {
        gl_.BindFramebuffer(target_, before_);
        gl_.DeleteFramebuffers(1, &made_);
    }
    BoundFramebuffer(const BoundFramebuffer&) = delete;
    BoundFramebuffer& operator=(const BoundFramebuffer&) = delete;

private:
    const Functions& gl_;
    Enum target_;
    Name before_, made_ = 0;
};

} // namespace

CurrentContext current_context()
{
    const std::optional<Provider> provider = provider_of_current();
    return {provider ? provider->current() : nullptr};
}

bool is_embedded()
{
    const Functions* const gl = functions();
    return gl != nullptr && gl->embedded;
}

std::string target_name(unsigned target)
{
    switch (target) {
    case texture_2d: return "GL_TEXTURE_2D";
    case texture_3d: return "GL_TEXTURE_3D";
    case texture_rectangle: return "GL_TEXTURE_RECTANGLE";
    case texture_cube_map: return "GL_TEXTURE_CUBE_MAP";
    case texture_2d_array: return "GL_TEXTURE_2D_ARRAY";
    case renderbuffer: return "GL_RENDERBUFFER";
    default: return {};
    }
}

// --- Buffers ---

BufferState buffer_state(unsigned buffer)
{
    BufferState state;
    const Functions* const gl = functions();
    if (gl == nullptr || buffer == 0 || gl->IsBuffer(buffer) == 0) return state;
    state.exists = true;
    const Enum target = quiet_target(*gl);
    const BoundBuffer bound(*gl, target, quiet_binding(*gl), buffer);
    if (gl->GetBufferParameteri64v != nullptr && gl->version >= (gl->embedded ? 30 : 32)) {
        std::int64_t bytes = 0;
        gl->GetBufferParameteri64v(target, number::buffer_size, &bytes);
        state.bytes = static_cast<std::uint64_t>(bytes);
    } else {
        int bytes = 0;
        gl->GetBufferParameteriv(target, number::buffer_size, &bytes);
        state.bytes = static_cast<std::uint64_t>(bytes);
    }
    int mapped = 0;
    gl->GetBufferParameteriv(target, number::buffer_mapped, &mapped);
    state.is_mapped = mapped != 0;
    return state;
}

void read_buffer(unsigned buffer, std::span<std::byte> to)
{
    const Functions* const gl = functions();
    if (gl == nullptr || to.empty() || gl->IsBuffer(buffer) == 0) return;
    const Enum target = quiet_target(*gl);
    const BoundBuffer bound(*gl, target, quiet_binding(*gl), buffer);
    const auto bytes = static_cast<Size>(to.size());
    if (!gl->embedded) return gl->GetBufferSubData(target, 0, bytes, to.data());
    if (gl->MapBufferRange == nullptr) return;
    if (const void* const from = gl->MapBufferRange(target, 0, bytes, number::map_read)) {
        std::copy_n(static_cast<const std::byte*>(from), to.size(), to.data());
        gl->UnmapBuffer(target);
    }
}

void write_buffer(unsigned buffer, std::span<const std::byte> from)
{
    const Functions* const gl = functions();
    if (gl == nullptr || from.empty() || gl->IsBuffer(buffer) == 0) return;
    const Enum target = quiet_target(*gl);
    const BoundBuffer bound(*gl, target, quiet_binding(*gl), buffer);
    const auto bytes = static_cast<Size>(from.size());
    int fixed = 0, flags = number::dynamic_storage;
    if (!gl->embedded && gl->version >= 44) {
        gl->GetBufferParameteriv(target, number::immutable_storage, &fixed);
        if (fixed != 0) gl->GetBufferParameteriv(target, number::storage_flags, &flags);
    }
    if ((flags & number::dynamic_storage) != 0)
        return gl->BufferSubData(target, 0, bytes, from.data());
    // Only OpenGL itself may write to a mapped buffer, so copy from a temporary one.
    Name other = 0;
    gl->GenBuffers(1, &other);
    {
        const BoundBuffer source(*gl, number::copy_read_buffer, number::copy_read_buffer, other);
        gl->BufferData(number::copy_read_buffer, bytes, from.data(), number::stream_copy);
        gl->CopyBufferSubData(number::copy_read_buffer, target, 0, 0, bytes);
    }
    gl->DeleteBuffers(1, &other);
}

// --- Images ---

bool is_image_of(unsigned image, unsigned target)
{
    const Functions* const gl = functions();
    if (gl == nullptr || image == 0) return false;
    if (target == renderbuffer)
        return gl->IsRenderbuffer != nullptr && gl->IsRenderbuffer(image) != 0;
    if (target_name(target).empty() || gl->IsTexture(image) == 0) return false;
    // Binding fails for a texture with a different target: binds it and checks the binding.
    const auto before = static_cast<Name>(integer(*gl, texture_binding(target)));
    if (before == image) return true;
    const BoundTexture bound(*gl, target, image);
    return static_cast<Name>(integer(*gl, texture_binding(target))) == image;
}

ImageState image_state(unsigned image, unsigned target)
{
    ImageState state;
    const Functions* const gl = functions();
    if (gl == nullptr || !is_image_of(image, target)) return state;
    state.exists = true;
    int format = 0;
    if (target == renderbuffer) {
        const auto before = static_cast<Name>(integer(*gl, number::renderbuffer_binding));
        gl->BindRenderbuffer(renderbuffer, image);
        gl->GetRenderbufferParameteriv(renderbuffer, number::renderbuffer_width, &state.width);
        gl->GetRenderbufferParameteriv(renderbuffer, number::renderbuffer_height, &state.height);
        gl->GetRenderbufferParameteriv(renderbuffer, number::renderbuffer_format, &format);
        gl->GetRenderbufferParameteriv(renderbuffer, number::renderbuffer_samples, &state.samples);
        gl->BindRenderbuffer(renderbuffer, before);
        state.format = static_cast<unsigned>(format);
        return state;
    }
    const BoundTexture bound(*gl, target, image);
    const Enum first = target == texture_cube_map ? number::cube_map_positive_x : target;
    const auto parameter = [&](int level, Enum which) {
        int value = 0;
        gl->GetTexLevelParameteriv(first, level, which, &value);
        return value;
    };
    state.width = parameter(0, number::width);
    state.height = parameter(0, number::height);
    const bool is_deep = target == texture_3d || target == texture_2d_array;
    state.depth = is_deep ? parameter(0, number::depth) : target == texture_cube_map ? 6 : 0;
    state.format = static_cast<unsigned>(parameter(0, number::internal_format));
    if (target == texture_rectangle || state.width == 0) return state;
    int last = 0;
    gl->GetTexParameteriv(target, number::texture_max_level, &last);
    const int longest =
        std::max({state.width, state.height, target == texture_3d ? state.depth : 1});
    while (state.levels <= last && longest >> state.levels > 0 &&
           parameter(state.levels, number::width) > 0)
        ++state.levels;
    return state;
}

namespace {

struct Format {
    unsigned number;
    const char* name;
    int channels;
    int bits;
    char kind; // n: normalised; u, i: integers; f: floats
};
constexpr std::array<Format, 56> formats{{
    {0x8229, "GL_R8", 1, 8, 'n'},
    {0x822A, "GL_R16", 1, 16, 'n'},
    {0x822D, "GL_R16F", 1, 16, 'f'},
    {0x822E, "GL_R32F", 1, 32, 'f'},
    {0x8231, "GL_R8I", 1, 8, 'i'},
    {0x8232, "GL_R8UI", 1, 8, 'u'},
    {0x8233, "GL_R16I", 1, 16, 'i'},
    {0x8234, "GL_R16UI", 1, 16, 'u'},
    {0x8235, "GL_R32I", 1, 32, 'i'},
    {0x8236, "GL_R32UI", 1, 32, 'u'},
    {0x822B, "GL_RG8", 2, 8, 'n'},
    {0x822C, "GL_RG16", 2, 16, 'n'},
    {0x822F, "GL_RG16F", 2, 16, 'f'},
    {0x8230, "GL_RG32F", 2, 32, 'f'},
    {0x8237, "GL_RG8I", 2, 8, 'i'},
    {0x8238, "GL_RG8UI", 2, 8, 'u'},
    {0x8239, "GL_RG16I", 2, 16, 'i'},
    {0x823A, "GL_RG16UI", 2, 16, 'u'},
    {0x823B, "GL_RG32I", 2, 32, 'i'},
    {0x823C, "GL_RG32UI", 2, 32, 'u'},
    {0x8058, "GL_RGBA8", 4, 8, 'n'},
    {0x805B, "GL_RGBA16", 4, 16, 'n'},
    {0x881A, "GL_RGBA16F", 4, 16, 'f'},
    {0x8814, "GL_RGBA32F", 4, 32, 'f'},
    {0x8D8E, "GL_RGBA8I", 4, 8, 'i'},
    {0x8D7C, "GL_RGBA8UI", 4, 8, 'u'},
    {0x8D88, "GL_RGBA16I", 4, 16, 'i'},
    {0x8D76, "GL_RGBA16UI", 4, 16, 'u'},
    {0x8D82, "GL_RGBA32I", 4, 32, 'i'},
    {0x8D70, "GL_RGBA32UI", 4, 32, 'u'},
    {0x1903, "GL_RED", 1, 8, 'n'},
    {0x8227, "GL_RG", 2, 8, 'n'},
    {0x1908, "GL_RGBA", 4, 8, 'n'},
    {4, "4", 4, 8, 'n'},
    // Formats of compatibility contexts.
    {0x1909, "GL_LUMINANCE", 1, 8, 'n'},
    {1, "1", 1, 8, 'n'},
    {0x8040, "GL_LUMINANCE8", 1, 8, 'n'},
    {0x8042, "GL_LUMINANCE16", 1, 16, 'n'},
    {0x881E, "GL_LUMINANCE16F_ARB", 1, 16, 'f'},
    {0x8818, "GL_LUMINANCE32F_ARB", 1, 32, 'f'},
    {0x1906, "GL_ALPHA", 1, 8, 'n'},
    {0x803C, "GL_ALPHA8", 1, 8, 'n'},
    {0x803E, "GL_ALPHA16", 1, 16, 'n'},
    {0x881C, "GL_ALPHA16F_ARB", 1, 16, 'f'},
    {0x8816, "GL_ALPHA32F_ARB", 1, 32, 'f'},
    {0x190A, "GL_LUMINANCE_ALPHA", 2, 8, 'n'},
    {2, "2", 2, 8, 'n'},
    {0x8045, "GL_LUMINANCE8_ALPHA8", 2, 8, 'n'},
    {0x8048, "GL_LUMINANCE16_ALPHA16", 2, 16, 'n'},
    {0x881F, "GL_LUMINANCE_ALPHA16F_ARB", 2, 16, 'f'},
    {0x8819, "GL_LUMINANCE_ALPHA32F_ARB", 2, 32, 'f'},
    {0x8049, "GL_INTENSITY", 1, 8, 'n'},
    {0x804B, "GL_INTENSITY8", 1, 8, 'n'},
    {0x804D, "GL_INTENSITY16", 1, 16, 'n'},
    {0x881D, "GL_INTENSITY16F_ARB", 1, 16, 'f'},
    {0x8817, "GL_INTENSITY32F_ARB", 1, 32, 'f'},
}};

struct Refused {
    unsigned number;
    const char* name;
    // Supported format to suggest; empty if the format is not refused for its channel count.
    const char* alternative;
};
constexpr std::array<Refused, 33> refused_formats{{
    {0x1907, "GL_RGB", "GL_RGBA8"},
    {3, "3", "GL_RGBA8"},
    {0x8051, "GL_RGB8", "GL_RGBA8"},
    {0x8054, "GL_RGB16", "GL_RGBA16"},
    {0x881B, "GL_RGB16F", "GL_RGBA16F"},
    {0x8815, "GL_RGB32F", "GL_RGBA32F"},
    {0x8D8F, "GL_RGB8I", "GL_RGBA8I"},
    {0x8D7D, "GL_RGB8UI", "GL_RGBA8UI"},
    {0x8D89, "GL_RGB16I", "GL_RGBA16I"},
    {0x8D77, "GL_RGB16UI", "GL_RGBA16UI"},
    {0x8D83, "GL_RGB32I", "GL_RGBA32I"},
    {0x8D71, "GL_RGB32UI", "GL_RGBA32UI"},
    {0x8C3A, "GL_R11F_G11F_B10F", "GL_RGBA16F"},
    {0x8C3D, "GL_RGB9_E5", "GL_RGBA16F"},
    {0x8D62, "GL_RGB565", "GL_RGBA8"},
    {0x8050, "GL_RGB5", "GL_RGBA8"},
    {0x8F96, "GL_RGB8_SNORM", "GL_RGBA16F"},
    {0x8C41, "GL_SRGB8", "GL_RGBA8"},
    {0x8C40, "GL_SRGB", "GL_RGBA8"},
    {0x8C43, "GL_SRGB8_ALPHA8", ""},
    {0x8C42, "GL_SRGB_ALPHA", ""},
    {0x8F94, "GL_R8_SNORM", ""},
    {0x8F95, "GL_RG8_SNORM", ""},
    {0x8F97, "GL_RGBA8_SNORM", ""},
    {0x8059, "GL_RGB10_A2", ""},
    {0x8056, "GL_RGBA4", ""},
    {0x8057, "GL_RGB5_A1", ""},
    {0x1902, "GL_DEPTH_COMPONENT", ""},
    {0x81A5, "GL_DEPTH_COMPONENT16", ""},
    {0x81A6, "GL_DEPTH_COMPONENT24", ""},
    {0x8CAC, "GL_DEPTH_COMPONENT32F", ""},
    {0x88F0, "GL_DEPTH24_STENCIL8", ""},
    {0x8CAD, "GL_DEPTH32F_STENCIL8", ""},
}};

const Format* format_of_number(unsigned internal)
{
    const auto found = std::ranges::find(formats, internal, &Format::number);
    return found == formats.end() ? nullptr : &*found;
}

const Refused* refused_of_number(unsigned internal)
{
    const auto found = std::ranges::find(refused_formats, internal, &Refused::number);
    return found == refused_formats.end() ? nullptr : &*found;
}

Enum transfer_of(const Format& format)
{
    const std::string_view name = format.name;
    const bool numbers = format.kind == 'u' || format.kind == 'i';
    if (!numbers) {
        if (name.starts_with("GL_ALPHA")) return 0x1906;
        if (format.channels == 2 && (name == "2" || name.starts_with("GL_LUMINANCE")))
            return 0x190A; // GL_LUMINANCE_ALPHA
    }
    switch (format.channels) {
    case 1: return numbers ? 0x8D94 : 0x1903;
    case 2: return numbers ? 0x8228 : 0x8227;
    default: return numbers ? 0x8D99 : 0x1908;
    }
}

Enum type_of(const Format& format)
{
    const bool has_sign = format.kind == 'i';
    if (format.kind == 'f') return format.bits == 16 ? 0x140B : 0x1406;
    switch (format.bits) {
    case 8: return has_sign ? 0x1400 : 0x1401;
    case 16: return has_sign ? 0x1402 : 0x1403;
    default: return has_sign ? 0x1404 : 0x1405;
    }
}

} // namespace

std::optional<TexelFormat> texel_format(unsigned internal_format)
{
    const Format* const known = format_of_number(internal_format);
    if (known == nullptr) return {};
    const auto bits = [&](int channel) { return channel < known->channels ? known->bits : 0; };
    const cudaChannelFormatKind kind = known->kind == 'f'   ? cudaChannelFormatKindFloat
                                       : known->kind == 'i' ? cudaChannelFormatKindSigned
                                                            : cudaChannelFormatKindUnsigned;
    return TexelFormat{
        {bits(0), bits(1), bits(2), bits(3), kind}, transfer_of(*known), type_of(*known)};
}

std::string format_name(unsigned internal_format)
{
    if (const Format* const known = format_of_number(internal_format)) return known->name;
    if (const Refused* const known = refused_of_number(internal_format)) return known->name;
    return fmt::format("{:#x}", internal_format);
}

std::string four_channel_name(unsigned internal_format)
{
    const Refused* const known = refused_of_number(internal_format);
    return known == nullptr ? "" : known->alternative;
}

namespace {

// Copies a renderbuffer through framebuffers, the only way into and out of it.
bool read_renderbuffer(const Functions& gl, const ImagePart& part, std::span<std::byte> to)
{
    if (gl.GenFramebuffers == nullptr || gl.version < 30) return false;
    const BoundFramebuffer from(gl, number::read_framebuffer, number::read_framebuffer_binding);
    gl.FramebufferRenderbuffer(number::read_framebuffer, number::color_attachment, renderbuffer,
                               part.image);
    gl.ReadPixels(0, 0, part.width, part.height, part.format.transfer, part.format.type, to.data());
    return true;
}

bool write_renderbuffer(const Functions& gl, const ImagePart& part, std::span<const std::byte> from)
{
    if (gl.GenFramebuffers == nullptr || gl.version < 30) return false;
    Name texture = 0;
    gl.GenTextures(1, &texture);
    {
        const BoundTexture bound(gl, texture_2d, texture);
        gl.TexParameteri(texture_2d, number::min_filter, number::nearest);
        gl.TexImage2D(texture_2d, 0, static_cast<int>(image_state(part.image, renderbuffer).format),
                      part.width, part.height, 0, part.format.transfer, part.format.type,
                      from.data());
        const BoundFramebuffer source(gl, number::read_framebuffer,
                                      number::read_framebuffer_binding);
        const BoundFramebuffer target(gl, number::draw_framebuffer,
                                      number::draw_framebuffer_binding);
        gl.FramebufferTexture2D(number::read_framebuffer, number::color_attachment, texture_2d,
                                texture, 0);
        gl.FramebufferRenderbuffer(number::draw_framebuffer, number::color_attachment, renderbuffer,
                                   part.image);
        const bool clipped = gl.IsEnabled(number::scissor_test) != 0;
        if (clipped) gl.Disable(number::scissor_test);
        gl.BlitFramebuffer(0, 0, part.width, part.height, 0, 0, part.width, part.height,
                           number::color_bits, number::nearest);
        if (clipped) gl.Enable(number::scissor_test);
    }
    gl.DeleteTextures(1, &texture);
    return true;
}

Enum image_target(const ImagePart& part)
{
    return part.target == texture_cube_map
               ? number::cube_map_positive_x + static_cast<Enum>(part.layer)
               : part.target;
}

} // namespace

bool read_image(const ImagePart& part, std::span<std::byte> to)
{
    const Functions* const gl = functions();
    if (gl == nullptr || gl->embedded) return false;
    const PlainPixels plain(*gl);
    if (part.target == renderbuffer) return read_renderbuffer(*gl, part, to);
    const BoundTexture bound(*gl, part.target, part.image);
    const auto get = [&](std::byte* all) {
        gl->GetTexImage(image_target(part), part.level, part.format.transfer, part.format.type,
                        all);
    };
    if (part.target == texture_2d_array) { // all layers are read at once
        std::vector<std::byte> all(to.size() * static_cast<std::size_t>(part.layers));
        get(all.data());
        std::copy_n(all.data() + to.size() * static_cast<std::size_t>(part.layer), to.size(),
                    to.data());
        return true;
    }
    get(to.data());
    return true;
}

bool write_image(const ImagePart& part, std::span<const std::byte> from)
{
    const Functions* const gl = functions();
    if (gl == nullptr || gl->embedded) return false;
    const PlainPixels plain(*gl);
    if (part.target == renderbuffer) return write_renderbuffer(*gl, part, from);
    const BoundTexture bound(*gl, part.target, part.image);
    if (part.target == texture_3d || part.target == texture_2d_array)
        gl->TexSubImage3D(part.target, part.level, 0, 0, part.layer, part.width, part.height,
                          std::max(part.depth, 1), part.format.transfer, part.format.type,
                          from.data());
    else
        gl->TexSubImage2D(image_target(part), part.level, 0, 0, part.width, part.height,
                          part.format.transfer, part.format.type, from.data());
    return true;
}

// --- OpenGL calls that use objects ---

namespace {

namespace number {
constexpr Enum element_array_buffer = 0x8893, element_array_buffer_binding = 0x8895;
constexpr Enum max_vertex_attributes = 0x8869, attribute_enabled = 0x8622,
               attribute_buffer = 0x889F;
constexpr Enum profile_mask = 0x9126, current_program = 0x8B8D, active_texture = 0x84E0,
               texture_0 = 0x84C0, active_uniforms = 0x8B86;
constexpr int core_profile = 1;
} // namespace number

// True for contexts that still have OpenGL 1's functions.
bool is_compatible(const Functions& gl)
{
    if (gl.embedded) return false;
    return gl.version < 32 || (integer(gl, number::profile_mask) & number::core_profile) == 0;
}

Name bound(const Functions& gl, Enum binding)
{
    return static_cast<Name>(integer(gl, binding));
}

// Texture units that the program reads through samplers of this target.
std::vector<int> sampled_units(const Functions& gl, Name program, unsigned target)
{
    std::vector<int> units;
    int count = 0;
    gl.GetProgramiv(program, number::active_uniforms, &count);
    for (int i = 0; i < count; ++i) {
        std::array<char, 256> name{};
        int length = 0, size = 0, unit = 0;
        Enum type = 0;
        gl.GetActiveUniform(program, static_cast<unsigned>(i), static_cast<int>(name.size()),
                            &length, &size, &type, name.data());
        // Sampler types of a target: for floats, signed and unsigned integers.
        const auto is_any_of = [&](std::initializer_list<Enum> types) {
            return std::ranges::find(types, type) != types.end();
        };
        const bool fits = target == texture_2d          ? is_any_of({0x8B5E, 0x8DCA, 0x8DD2})
                          : target == texture_3d        ? is_any_of({0x8B5F, 0x8DCB, 0x8DD3})
                          : target == texture_cube_map  ? is_any_of({0x8B60, 0x8DCC, 0x8DD4})
                          : target == texture_rectangle ? is_any_of({0x8B63, 0x8DCD, 0x8DD5})
                          : target == texture_2d_array  ? is_any_of({0x8DC1, 0x8DCF, 0x8DD7})
                                                        : false;
        if (!fits) continue;
        gl.GetUniformiv(program, gl.GetUniformLocation(program, name.data()), &unit);
        units.push_back(unit);
    }
    return units;
}

} // namespace

void* find(const char* name)
{
    if (void* const exported = find_exported(name)) return exported;
    const std::optional<Provider> provider = provider_of_current();
    return provider ? provider->find(name) : nullptr;
}

void (*find_address(const char* finder, const char* name))()
{
    for (const char* library : {"libGLX.so.0", "libGL.so.1", "libEGL.so.1"})
        if (void* const from = loaded(library))
            if (void* const found = dlsym(from, finder))
                return reinterpret_cast<void (*(*)(const char*))()>(found)(name);
    return nullptr;
}

bool draws_from_buffer(unsigned buffer)
{
    const Functions* const gl = functions();
    if (gl == nullptr || gl->version < (gl->embedded ? 20 : 15)) return false;
    if (bound(*gl, number::element_array_buffer_binding) == buffer) return true;
    if (gl->GetVertexAttribiv != nullptr && gl->version >= 20) {
        const int attributes = integer(*gl, number::max_vertex_attributes);
        for (int i = 0; i < attributes; ++i) {
            int enabled = 0, from = 0;
            gl->GetVertexAttribiv(static_cast<unsigned>(i), number::attribute_enabled, &enabled);
            if (enabled == 0) continue;
            gl->GetVertexAttribiv(static_cast<unsigned>(i), number::attribute_buffer, &from);
            if (static_cast<Name>(from) == buffer) return true;
        }
    }
    if (!is_compatible(*gl)) return false;
    // Arrays of positions, normals, colours, texture coordinates: enable flag, buffer binding.
    constexpr std::array<std::array<Enum, 2>, 4> arrays{
        {{0x8074, 0x8896}, {0x8075, 0x8897}, {0x8076, 0x8898}, {0x8078, 0x889A}}};
    return std::ranges::any_of(arrays, [&](const auto& each) {
        return gl->IsEnabled(each[0]) != 0 && bound(*gl, each[1]) == buffer;
    });
}

bool draws_from_texture(unsigned texture, unsigned target)
{
    const Functions* const gl = functions();
    if (gl == nullptr || target == renderbuffer) return false;
    const Name program = gl->version >= 20 ? bound(*gl, number::current_program) : 0;
    if (program == 0)
        return is_compatible(*gl) && target != texture_2d_array && gl->IsEnabled(target) != 0 &&
               bound(*gl, texture_binding(target)) == texture;
    const auto before = static_cast<Enum>(integer(*gl, number::active_texture));
    bool used = false;
    for (const int unit : sampled_units(*gl, program, target)) {
        gl->ActiveTexture(number::texture_0 + static_cast<Enum>(unit));
        used = used || bound(*gl, texture_binding(target)) == texture;
    }
    gl->ActiveTexture(before);
    return used;
}

unsigned unpack_buffer()
{
    const Functions* const gl = functions();
    return gl != nullptr && gl->has_pixel_buffers()
               ? bound(*gl, number::pixel_unpack_buffer_binding)
               : 0;
}

unsigned pack_buffer()
{
    const Functions* const gl = functions();
    return gl != nullptr && gl->has_pixel_buffers() ? bound(*gl, number::pixel_pack_buffer_binding)
                                                    : 0;
}

unsigned bound_buffer(unsigned target)
{
    const Functions* const gl = functions();
    if (gl == nullptr) return 0;
    switch (target) {
    case number::array_buffer: return bound(*gl, number::array_buffer_binding);
    case number::element_array_buffer: return bound(*gl, number::element_array_buffer_binding);
    case number::pixel_pack_buffer: return pack_buffer();
    case number::pixel_unpack_buffer: return unpack_buffer();
    default: return 0;
    }
}

} // namespace lanescope::runtime::gl
