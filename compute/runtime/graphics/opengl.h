// The program's own OpenGL, from whichever library provides it: functions are looked up at run time
// in the libraries that the program has loaded, so the runtime links to none. Every copy restores
// the OpenGL state that it changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <cuda_runtime_api.h>

namespace lanescope::runtime::gl {

// The OpenGL context that is current on the calling thread; null if there is none.
struct CurrentContext {
    const void* handle = nullptr;

    explicit operator bool() const { return handle != nullptr; }
    bool operator==(const CurrentContext&) const = default;
};
CurrentContext current_context();
// True for an OpenGL ES context, whose textures cannot be copied.
bool is_embedded();

// Texture targets that can be registered, and renderbuffers.
constexpr unsigned texture_2d = 0x0DE1;
constexpr unsigned texture_3d = 0x806F;
constexpr unsigned texture_rectangle = 0x84F5;
constexpr unsigned texture_cube_map = 0x8513;
constexpr unsigned texture_2d_array = 0x8C1A;
constexpr unsigned renderbuffer = 0x8D41;
// "GL_TEXTURE_2D"; empty for a target that cannot be registered.
std::string target_name(unsigned target);

// An object and its size. The functions below need a current context; they have no effect on an
// object that does not exist.
struct BufferState {
    bool exists = false;
    bool is_mapped = false; // mapped by glMapBuffer
    std::uint64_t bytes = 0;
};
BufferState buffer_state(unsigned buffer);
void read_buffer(unsigned buffer, std::span<std::byte> to);
void write_buffer(unsigned buffer, std::span<const std::byte> from);

struct ImageState {
    bool exists = false;
    int width = 0, height = 0, depth = 0; // of level 0; depth of a 3D texture, or layers
    int levels = 1;                       // number of levels that can be mapped
    unsigned format = 0;                  // internal format
    int samples = 0;                      // of a renderbuffer

    // Compares with `other`, except for the levels, since more may be added to the same image.
    bool has_memory_of(const ImageState& other) const
    {
        return width == other.width && height == other.height && depth == other.depth &&
               format == other.format && samples == other.samples;
    }
};
// False if the object is of a different kind than the target.
bool is_image_of(unsigned image, unsigned target);
ImageState image_state(unsigned image, unsigned target);

// How texels of an internal format are copied, and the channels that CUDA sees.
struct TexelFormat {
    cudaChannelFormatDesc channels{};
    unsigned transfer = 0; // format and type of glGetTexImage and glTexSubImage
    unsigned type = 0;
};
// Empty for formats that cannot be registered.
std::optional<TexelFormat> texel_format(unsigned internal_format);
// "GL_RGB8", or its number.
std::string format_name(unsigned internal_format);
// The four-channel format to use instead of this one; empty unless it is
// refused for having three channels.
std::string four_channel_name(unsigned internal_format);

// One image of an object: one mip level, of one layer or cube face if the texture has several. Rows
// are tightly packed, and slices follow each other.
struct ImagePart {
    unsigned image = 0, target = 0;
    int layer = 0, level = 0;
    int layers = 1;                       // of the whole object
    int width = 0, height = 0, depth = 0; // depth of a 3D texture, else 0
    TexelFormat format{};
};
// Returns false if this OpenGL cannot copy it: renderbuffers, before OpenGL 3.0.
bool read_image(const ImagePart& part, std::span<std::byte> to);
bool write_image(const ImagePart& part, std::span<const std::byte> from);

// --- OpenGL calls that use objects ---

// Looks up a function in the loaded libraries, then through the current context; null if unknown.
void* find(const char* name);
// Result of the real glXGetProcAddress or eglGetProcAddress; null if no library has it.
void (*find_address(const char* finder, const char* name))();
// True if a draw call in the current state would read the buffer as
// vertices or indices, or the texture.
bool draws_from_buffer(unsigned buffer);
bool draws_from_texture(unsigned texture, unsigned target);
// Buffers bound for pixel transfers, and the buffer bound to a target,
// named as for glBufferData; 0: none.
unsigned unpack_buffer();
unsigned pack_buffer();
unsigned bound_buffer(unsigned target);

} // namespace lanescope::runtime::gl
