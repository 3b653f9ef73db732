// Memory shared with OpenGL: correct programs first, then programs with one defect each, as in
// defects.cu. What OpenGL holds afterwards is compared with what the kernels had to write.
#include "programs.h"

#include <cstdint>
#include <dlfcn.h>
#include <thread>

#include "graphics.h"

#define CUDA_ENABLE_DEPRECATED
#include <cuda_gl_interop.h>

namespace {

constexpr int count = 256;

__global__ void add_one(int* values, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] += 1;
}

__global__ void number(int* values, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = i;
}

std::vector<int> ascending(int first)
{
    std::vector<int> values(count);
    for (int i = 0; i < count; ++i) values[i] = first + i;
    return values;
}

// A buffer of OpenGL with `count` integers, registered.
struct SharedBuffer {
    GLuint name = 0;
    cudaGraphicsResource_t resource = nullptr;
    int* pointer = nullptr;

    explicit SharedBuffer(unsigned flags = cudaGraphicsRegisterFlagsNone)
    {
        name = new_buffer(ascending(0).data(), count * sizeof(int));
        cudaGraphicsGLRegisterBuffer(&resource, name, flags);
    }
    void map()
    {
        std::size_t bytes = 0;
        cudaGraphicsMapResources(1, &resource);
        cudaGraphicsResourceGetMappedPointer(reinterpret_cast<void**>(&pointer), &bytes, resource);
    }
    void unmap() { cudaGraphicsUnmapResources(1, &resource); }
    std::vector<int> values() const { return buffer_values<int>(name, count); }
    int end()
    {
        cudaGraphicsUnregisterResource(resource);
        glDeleteBuffers(1, &name);
        return 0;
    }
};

cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureReadMode mode)
{
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description{};
    description.readMode = mode;
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    return texture;
}

cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface = 0;
    cudaCreateSurfaceObject(&surface, &resource);
    return surface;
}

cudaArray_t array_of(cudaGraphicsResource_t resource, unsigned layer = 0, unsigned level = 0)
{
    cudaArray_t array = nullptr;
    cudaGraphicsSubResourceGetMappedArray(&array, resource, layer, level);
    return array;
}

} // namespace

// --- Correct programs ---

// OpenGL and CUDA write the same buffer in turn, and no binding changes.
PROGRAM(gl_buffer)
{
    const OffscreenContext context;
    SharedBuffer buffer;
    const GLuint other = new_buffer(nullptr, 64);
    glBindBuffer(GL_COPY_WRITE_BUFFER, other);
    buffer.map();
    add_one<<<1, count>>>(buffer.pointer, count);
    buffer.unmap();
    GLint bound = 0;
    glGetIntegerv(GL_COPY_WRITE_BUFFER_BINDING, &bound);
    bool right = bound == static_cast<GLint>(other) && buffer.values() == ascending(1);
    glBindBuffer(GL_ARRAY_BUFFER, buffer.name);
    glBufferSubData(GL_ARRAY_BUFFER, 0, count * sizeof(int), ascending(100).data());
    buffer.map();
    add_one<<<1, count>>>(buffer.pointer, count);
    right = right && host_copy(buffer.pointer, count) == ascending(101);
    buffer.unmap();
    right = right && buffer.values() == ascending(101) && glGetError() == GL_NO_ERROR;
    glDeleteBuffers(1, &other);
    buffer.end();
    return passed(right);
}

// Write-discard: what the kernel does not write stays, as on a GPU. Read-only: nothing goes back.
PROGRAM(gl_flags)
{
    const OffscreenContext context;
    CHECK(cudaGLSetGLDevice(0));
    SharedBuffer discarded(cudaGraphicsRegisterFlagsWriteDiscard);
    discarded.map();
    number<<<1, 64>>>(discarded.pointer + 64, 64);
    discarded.unmap();
    std::vector<int> expected = ascending(0);
    for (int i = 0; i < 64; ++i) expected[64 + i] = i;
    bool right = discarded.values() == expected;
    SharedBuffer read(cudaGraphicsRegisterFlagsReadOnly);
    read.map();
    right = right && host_copy(read.pointer, count) == ascending(0);
    read.unmap();
    SharedBuffer both;
    CHECK(cudaGraphicsResourceSetMapFlags(both.resource, cudaGraphicsMapFlagsWriteDiscard));
    both.map();
    number<<<1, count>>>(both.pointer, count);
    both.unmap();
    right = right && both.values() == ascending(0);
    discarded.end();
    read.end();
    both.end();
    return passed(right);
}

// Two resources in one call, in a stream; and the functions of CUDA 2, which name buffers.
PROGRAM(gl_streams)
{
    const OffscreenContext context;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    SharedBuffer one, two;
    cudaGraphicsResource_t resources[] = {one.resource, two.resource};
    CHECK(cudaGraphicsMapResources(2, resources, stream));
    int* pointers[2] = {};
    std::size_t bytes = 0;
    for (int i = 0; i < 2; ++i) {
        CHECK(cudaGraphicsResourceGetMappedPointer(reinterpret_cast<void**>(&pointers[i]), &bytes,
                                                   resources[i]));
        add_one<<<1, count, 0, stream>>>(pointers[i], count);
    }
    CHECK(cudaGraphicsUnmapResources(2, resources, stream));
    CHECK(cudaStreamDestroy(stream));
    bool right = bytes == count * sizeof(int) && one.values() == ascending(1) &&
                 two.values() == ascending(1);
    one.end();
    two.end();
    const GLuint old = new_buffer(ascending(7).data(), count * sizeof(int));
    right = right && cudaGLSetGLDevice(0) == cudaErrorSetOnActiveProcess;
    cudaGetLastError();
    CHECK(cudaGLRegisterBufferObject(old));
    void* pointer = nullptr;
    CHECK(cudaGLMapBufferObject(&pointer, old));
    CHECK(cudaMemcpy(pointer, ascending(8).data(), count * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaGLUnmapBufferObject(old));
    CHECK(cudaGLUnregisterBufferObject(old));
    right = right && buffer_values<int>(old, count) == ascending(8);
    unsigned devices = 0;
    int device = -1;
    CHECK(cudaGLGetDevices(&devices, &device, 1, cudaGLDeviceListAll));
    return passed(right && devices == 1 && device == 0);
}

// A buffer that only OpenGL itself may change after it was made.
PROGRAM(gl_fixed_buffer)
{
    const OffscreenContext context;
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferStorage(GL_ARRAY_BUFFER, count * sizeof(int), ascending(3).data(), 0);
    cudaGraphicsResource_t resource;
    CHECK(cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsRegisterFlagsNone));
    CHECK(cudaGraphicsMapResources(1, &resource));
    int* pointer = nullptr;
    std::size_t bytes = 0;
    CHECK(cudaGraphicsResourceGetMappedPointer(reinterpret_cast<void**>(&pointer), &bytes, resource));
    add_one<<<1, count>>>(pointer, count);
    CHECK(cudaGraphicsUnmapResources(1, &resource));
    CHECK(cudaGraphicsUnregisterResource(resource));
    return passed(buffer_values<int>(buffer, count) == ascending(4));
}

__global__ void corners_kernel(float2* corners)
{
    const int i = threadIdx.x;
    if (i < 3) corners[i] = make_float2(i == 1 ? 3.0f : -1.0f, i == 2 ? 3.0f : -1.0f);
}
// A kernel writes a triangle that covers the picture, and OpenGL draws it.
PROGRAM(gl_drawn)
{
    const OffscreenContext context;
    const GLuint picture = new_texture(GL_RGBA8, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    framebuffer_of(picture);
    glViewport(0, 0, 16, 16);
    glClearColor(1, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    const GLuint corners = new_buffer(nullptr, 3 * sizeof(float2));
    cudaGraphicsResource_t resource;
    CHECK(cudaGraphicsGLRegisterBuffer(&resource, corners, cudaGraphicsMapFlagsWriteDiscard));
    CHECK(cudaGraphicsMapResources(1, &resource));
    float2* pointer = nullptr;
    std::size_t bytes = 0;
    CHECK(cudaGraphicsResourceGetMappedPointer(reinterpret_cast<void**>(&pointer), &bytes, resource));
    corners_kernel<<<1, 32>>>(pointer);
    CHECK(cudaGraphicsUnmapResources(1, &resource));
    glBindBuffer(GL_ARRAY_BUFFER, corners);
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(2, GL_FLOAT, 0, nullptr);
    glColor3f(0, 1, 0);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    std::vector<std::uint32_t> pixels(16 * 16), green(16 * 16, 0xff00ff00u);
    glReadPixels(0, 0, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    CHECK(cudaGraphicsUnregisterResource(resource));
    return passed(pixels == green);
}

__global__ void invert(uchar4* pixels, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uchar4 p = pixels[i];
    pixels[i] = make_uchar4(255 - p.x, 255 - p.y, 255 - p.z, p.w);
}
// An image filter: OpenGL reads its picture into a pixel buffer, a kernel inverts it, and OpenGL
// takes it as a texture.
PROGRAM(gl_pixels)
{
    const OffscreenContext context;
    constexpr int size = 32;
    const GLuint picture = new_texture(GL_RGBA8, size, size, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    framebuffer_of(picture);
    glClearColor(0.2f, 0.4f, 0.6f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    GLuint pixels = 0;
    glGenBuffers(1, &pixels);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, pixels);
    glBufferData(GL_PIXEL_PACK_BUFFER, size * size * 4, nullptr, GL_DYNAMIC_COPY);
    glReadPixels(0, 0, size, size, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    cudaGraphicsResource_t resource;
    CHECK(cudaGraphicsGLRegisterBuffer(&resource, pixels, cudaGraphicsMapFlagsNone));
    CHECK(cudaGraphicsMapResources(1, &resource, 0));
    uchar4* pointer = nullptr;
    std::size_t bytes = 0;
    CHECK(cudaGraphicsResourceGetMappedPointer(reinterpret_cast<void**>(&pointer), &bytes, resource));
    invert<<<4, 256>>>(pointer, size * size);
    CHECK(cudaGraphicsUnmapResources(1, &resource, 0));
    const GLuint inverted = new_texture(GL_RGBA8, size, size, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, pixels);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, size, size, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    std::vector<std::uint32_t> got(size * size), expected(size * size, 0xff6699ccu);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, got.data());
    CHECK(cudaGraphicsUnregisterResource(resource));
    glDeleteTextures(1, &inverted);
    return passed(got == expected);
}

__global__ void swap_channels(cudaTextureObject_t from, cudaSurfaceObject_t to, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const uchar4 p = tex2D<uchar4>(from, x, y);
    surf2Dwrite(make_uchar4(p.z, p.y, p.x, p.w), to, x * 4, y);
}
// A texture is read and another written, while the program uses its own alignment and bindings.
PROGRAM(gl_texture)
{
    const OffscreenContext context;
    constexpr int width = 20, height = 12;
    std::vector<std::uint32_t> texels(width * height), expected(width * height);
    for (std::uint32_t i = 0; i < texels.size(); ++i) {
        texels[i] = 0xff000000u | i << 16 | (i * 7 % 256) << 8 | (255 - i);
        expected[i] = (texels[i] & 0xff00ff00u) | (texels[i] & 0xffu) << 16 | (texels[i] >> 16 & 0xffu);
    }
    const GLuint source =
        new_texture(GL_RGBA8, width, height, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    const GLuint target = new_texture(GL_RGBA8, width, height, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    cudaGraphicsResource_t resources[2];
    CHECK(cudaGraphicsGLRegisterImage(&resources[0], source, GL_TEXTURE_2D,
                                      cudaGraphicsRegisterFlagsReadOnly));
    CHECK(cudaGraphicsGLRegisterImage(&resources[1], target, GL_TEXTURE_2D,
                                      cudaGraphicsRegisterFlagsSurfaceLoadStore));
    glPixelStorei(GL_PACK_ROW_LENGTH, 64);
    glPixelStorei(GL_UNPACK_SKIP_PIXELS, 3);
    bool right = true;
    for (int frame = 0; frame < 3; ++frame) {
        CHECK(cudaGraphicsMapResources(2, resources));
        const cudaTextureObject_t texture =
            texture_of(array_of(resources[0]), cudaReadModeElementType);
        const cudaSurfaceObject_t surface = surface_of(array_of(resources[1]));
        swap_channels<<<dim3(2, 1), dim3(16, 16)>>>(texture, surface, width, height);
        CHECK(cudaDestroyTextureObject(texture));
        CHECK(cudaDestroySurfaceObject(surface));
        CHECK(cudaGraphicsUnmapResources(2, resources));
    }
    GLint row = 0, skipped = 0, bound = 0;
    glGetIntegerv(GL_PACK_ROW_LENGTH, &row);
    glGetIntegerv(GL_UNPACK_SKIP_PIXELS, &skipped);
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
    right = right && row == 64 && skipped == 3 && bound == static_cast<GLint>(target);
    glPixelStorei(GL_PACK_ROW_LENGTH, 0);
    std::vector<std::uint32_t> got(texels.size());
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, got.data());
    for (auto resource : resources) CHECK(cudaGraphicsUnregisterResource(resource));
    return passed(right && got == expected && glGetError() == GL_NO_ERROR);
}

__global__ void read_float(cudaTextureObject_t texture, float4* out)
{
    out[threadIdx.x] = tex2D<float4>(texture, threadIdx.x, 0);
}
__global__ void read_unsigned(cudaTextureObject_t texture, float4* out)
{
    const uint4 p = tex2D<uint4>(texture, threadIdx.x, 0);
    out[threadIdx.x] = make_float4(p.x, p.y, p.z, p.w);
}
__global__ void read_signed(cudaTextureObject_t texture, float4* out)
{
    const int4 p = tex2D<int4>(texture, threadIdx.x, 0);
    out[threadIdx.x] = make_float4(p.x, p.y, p.z, p.w);
}

namespace {

struct FormatCase {
    GLint internal;
    GLenum format, type;
    int channels, bytes;
    char kind; // f, u, i: as a kernel reads it
};
const FormatCase format_cases[] = {
    {GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1, 1, 'f'},
    {GL_RG8, GL_RG, GL_UNSIGNED_BYTE, 2, 1, 'f'},
    {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4, 1, 'f'},
    {GL_R16, GL_RED, GL_UNSIGNED_SHORT, 1, 2, 'f'},
    {GL_RG16, GL_RG, GL_UNSIGNED_SHORT, 2, 2, 'f'},
    {GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT, 4, 2, 'f'},
    {GL_R16F, GL_RED, GL_HALF_FLOAT, 1, 2, 'f'},
    {GL_RG16F, GL_RG, GL_HALF_FLOAT, 2, 2, 'f'},
    {GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, 4, 2, 'f'},
    {GL_R32F, GL_RED, GL_FLOAT, 1, 4, 'f'},
    {GL_RG32F, GL_RG, GL_FLOAT, 2, 4, 'f'},
    {GL_RGBA32F, GL_RGBA, GL_FLOAT, 4, 4, 'f'},
    {GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE, 1, 1, 'u'},
    {GL_RG16UI, GL_RG_INTEGER, GL_UNSIGNED_SHORT, 2, 2, 'u'},
    {GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 4, 4, 'u'},
    {GL_RGBA8I, GL_RGBA_INTEGER, GL_BYTE, 4, 1, 'i'},
    {GL_RG16I, GL_RG_INTEGER, GL_SHORT, 2, 2, 'i'},
    {GL_R32I, GL_RED_INTEGER, GL_INT, 1, 4, 'i'},
};

// Sixteen texels whose channels are 3, 4, 5, … in the format's own numbers.
std::vector<unsigned char> texels_of(const FormatCase& one)
{
    std::vector<unsigned char> bytes(16 * one.channels * one.bytes);
    for (int i = 0; i < 16 * one.channels; ++i) {
        unsigned char* const at = bytes.data() + i * one.bytes;
        const int number = one.kind == 'i' ? 3 - i : 3 + i;
        if (one.type == GL_FLOAT) {
            const float value = number;
            std::memcpy(at, &value, sizeof value);
        } else if (one.type == GL_HALF_FLOAT) { // 2^-14 and multiples: the number is the fraction
            const std::uint16_t value = 0x0400 + number;
            std::memcpy(at, &value, sizeof value);
        } else {
            std::memcpy(at, &number, one.bytes);
        }
    }
    return bytes;
}

float number_of(const FormatCase& one, int i)
{
    const float number = one.kind == 'i' ? 3 - i : 3 + i;
    if (one.type == GL_HALF_FLOAT) return (1024 + number) / 1024 / 16384;
    if (one.type == GL_UNSIGNED_BYTE && one.kind == 'f') return number / 255.0f;
    if (one.type == GL_UNSIGNED_SHORT && one.kind == 'f') return number / 65535.0f;
    return number;
}

} // namespace

// Kernels read each format's numbers, and bytes survive both ways.
PROGRAM(gl_formats)
{
    const OffscreenContext context;
    bool right = true;
    float4* out;
    CHECK(cudaMalloc(&out, 16 * sizeof(float4)));
    for (const FormatCase& one : format_cases) {
        std::vector<unsigned char> texels = texels_of(one);
        const std::size_t row = texels.size();
        const GLuint texture = new_texture(one.internal, 16, 1, one.format, one.type, texels.data());
        cudaGraphicsResource_t resource;
        CHECK(cudaGraphicsGLRegisterImage(&resource, texture, GL_TEXTURE_2D,
                                          cudaGraphicsRegisterFlagsNone));
        CHECK(cudaGraphicsMapResources(1, &resource));
        const cudaArray_t array = array_of(resource);
        const bool normalised = one.bytes < 4 && one.kind == 'f' && one.type != GL_HALF_FLOAT;
        const cudaTextureObject_t object = texture_of(
            array, normalised ? cudaReadModeNormalizedFloat : cudaReadModeElementType);
        if (one.kind == 'f')
            read_float<<<1, 16>>>(object, out);
        else if (one.kind == 'u')
            read_unsigned<<<1, 16>>>(object, out);
        else
            read_signed<<<1, 16>>>(object, out);
        CHECK(cudaDestroyTextureObject(object));
        const std::vector<float4> read = host_copy(out, 16);
        bool same = true;
        for (int i = 0; i < 16; ++i) {
            const float channels[] = {read[i].x, read[i].y, read[i].z, read[i].w};
            for (int k = 0; k < one.channels; ++k)
                same = same && channels[k] == number_of(one, i * one.channels + k);
        }
        std::vector<unsigned char> bytes(row);
        CHECK(cudaMemcpy2DFromArray(bytes.data(), row, array, 0, 0, row, 1, cudaMemcpyDeviceToHost));
        same = same && bytes == texels;
        for (auto& byte : bytes) byte ^= 1;
        CHECK(cudaMemcpy2DToArray(array, 0, 0, bytes.data(), row, row, 1, cudaMemcpyHostToDevice));
        CHECK(cudaGraphicsUnmapResources(1, &resource));
        glGetTexImage(GL_TEXTURE_2D, 0, one.format, one.type, texels.data());
        same = same && bytes == texels;
        if (!same) std::printf("format %#x\n", one.internal);
        right = right && same;
        CHECK(cudaGraphicsUnregisterResource(resource));
        glDeleteTextures(1, &texture);
    }
    cudaFree(out);
    return passed(right && glGetError() == GL_NO_ERROR);
}

namespace {

// Adds one to each byte of a mapped array with one channel.
int bump(cudaArray_t array, int width, int height, int depth)
{
    std::vector<unsigned char> bytes(static_cast<std::size_t>(width * height * depth));
    cudaMemcpy3DParms copy{};
    copy.srcArray = array;
    copy.dstPtr = make_cudaPitchedPtr(bytes.data(), width, width, height);
    copy.extent = make_cudaExtent(width, height, depth);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&copy));
    for (auto& byte : bytes) ++byte;
    copy = {};
    copy.srcPtr = make_cudaPitchedPtr(bytes.data(), width, width, height);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, height, depth);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return 0;
}

} // namespace

// Slices, layers, faces, levels, and a renderbuffer.
PROGRAM(gl_layers)
{
    const OffscreenContext context;
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    std::vector<unsigned char> bytes(4 * 4 * 8);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i);
    GLuint textures[3];
    glGenTextures(3, textures);
    glBindTexture(GL_TEXTURE_3D, textures[0]);
    glTexImage3D(GL_TEXTURE_3D, 0, GL_R8, 4, 4, 8, 0, GL_RED, GL_UNSIGNED_BYTE, bytes.data());
    glBindTexture(GL_TEXTURE_2D_ARRAY, textures[1]);
    glTexStorage3D(GL_TEXTURE_2D_ARRAY, 2, GL_R8, 4, 4, 8);
    glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, 0, 4, 4, 8, GL_RED, GL_UNSIGNED_BYTE, bytes.data());
    glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 1, 0, 0, 0, 2, 2, 8, GL_RED, GL_UNSIGNED_BYTE, bytes.data());
    glBindTexture(GL_TEXTURE_CUBE_MAP, textures[2]);
    for (unsigned face = 0; face < 6; ++face)
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_R8, 4, 4, 0, GL_RED,
                     GL_UNSIGNED_BYTE, bytes.data() + 16 * face);
    GLuint renderbuffer = 0, framebuffer = 0;
    glGenRenderbuffers(1, &renderbuffer);
    glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_R8, 4, 4);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, renderbuffer);
    glClearColor(8 / 255.0f, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    cudaGraphicsResource_t resources[4];
    const unsigned flags = cudaGraphicsRegisterFlagsNone;
    CHECK(cudaGraphicsGLRegisterImage(&resources[0], textures[0], GL_TEXTURE_3D, flags));
    CHECK(cudaGraphicsGLRegisterImage(&resources[1], textures[1], GL_TEXTURE_2D_ARRAY, flags));
    CHECK(cudaGraphicsGLRegisterImage(&resources[2], textures[2], GL_TEXTURE_CUBE_MAP, flags));
    CHECK(cudaGraphicsGLRegisterImage(&resources[3], renderbuffer, GL_RENDERBUFFER, flags));
    CHECK(cudaGraphicsMapResources(4, resources));
    bump(array_of(resources[0]), 4, 4, 8);
    bump(array_of(resources[1], 3), 4, 4, 1);
    bump(array_of(resources[1], 2, 1), 2, 2, 1);
    bump(array_of(resources[2], 5), 4, 4, 1);
    bump(array_of(resources[3]), 4, 4, 1);
    CHECK(cudaGraphicsUnmapResources(4, resources));
    std::vector<unsigned char> got(bytes.size()), expected = bytes;
    for (auto& byte : expected) ++byte;
    glGetTexImage(GL_TEXTURE_3D, 0, GL_RED, GL_UNSIGNED_BYTE, got.data());
    bool right = got == expected;
    expected = bytes;
    for (int i = 48; i < 64; ++i) ++expected[i];
    glGetTexImage(GL_TEXTURE_2D_ARRAY, 0, GL_RED, GL_UNSIGNED_BYTE, got.data());
    right = right && got == expected;
    glGetTexImage(GL_TEXTURE_2D_ARRAY, 1, GL_RED, GL_UNSIGNED_BYTE, got.data());
    for (int i = 0; i < 32; ++i) right = right && got[i] == bytes[i] + (i / 4 == 2);
    glGetTexImage(GL_TEXTURE_CUBE_MAP_NEGATIVE_Z, 0, GL_RED, GL_UNSIGNED_BYTE, got.data());
    for (int i = 0; i < 16; ++i) right = right && got[i] == bytes[80 + i] + 1;
    glReadPixels(0, 0, 4, 4, GL_RED, GL_UNSIGNED_BYTE, got.data());
    for (int i = 0; i < 16; ++i) right = right && got[i] == 9;
    for (auto resource : resources) CHECK(cudaGraphicsUnregisterResource(resource));
    return passed(right && glGetError() == GL_NO_ERROR);
}

// --- One defect each ---

__global__ void stale_pointer_kernel(int* values)
{
    values[threadIdx.x] = 1; // stale_pointer: unmapped_resource
}
PROGRAM(stale_pointer)
{
    const OffscreenContext context;
    SharedBuffer buffer;
    buffer.map();
    if (!mended) buffer.unmap();
    stale_pointer_kernel<<<1, 32>>>(buffer.pointer);
    if (mended) buffer.unmap();
    const cudaError_t status = cudaDeviceSynchronize();
    buffer.end();
    return status != cudaSuccess;
}

__global__ void kept_pointer_kernel(const int* from, int* to)
{
    to[threadIdx.x] = from[threadIdx.x]; // kept_pointer: unmapped_resource
}
PROGRAM(kept_pointer)
{
    const OffscreenContext context;
    SharedBuffer buffer;
    int* copy;
    cudaMalloc(&copy, 32 * sizeof(int));
    buffer.map();
    int* const first = buffer.pointer;
    buffer.unmap();
    buffer.map();
    kept_pointer_kernel<<<1, 32>>>(mended ? buffer.pointer : first, copy);
    const cudaError_t status = cudaDeviceSynchronize();
    buffer.unmap();
    buffer.end();
    cudaFree(copy);
    return status != cudaSuccess;
}

__global__ void stale_texture_kernel(cudaTextureObject_t texture, uchar4* out)
{
    out[threadIdx.x] = tex2D<uchar4>(texture, threadIdx.x, 0); // stale_texture: unmapped_resource
}
PROGRAM(stale_texture)
{
    const OffscreenContext context;
    const std::vector<std::uint32_t> texels(32);
    const GLuint texture = new_texture(GL_RGBA8, 32, 1, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    cudaGraphicsResource_t resource;
    CHECK(cudaGraphicsGLRegisterImage(&resource, texture, GL_TEXTURE_2D,
                                      cudaGraphicsRegisterFlagsReadOnly));
    uchar4* out;
    CHECK(cudaMalloc(&out, 32 * sizeof(uchar4)));
    CHECK(cudaGraphicsMapResources(1, &resource));
    cudaTextureObject_t object = texture_of(array_of(resource), cudaReadModeElementType);
    CHECK(cudaGraphicsUnmapResources(1, &resource));
    CHECK(cudaGraphicsMapResources(1, &resource));
    if (mended) {
        CHECK(cudaDestroyTextureObject(object));
        object = texture_of(array_of(resource), cudaReadModeElementType);
    }
    stale_texture_kernel<<<1, 32>>>(object, out);
    const cudaError_t status = cudaDeviceSynchronize();
    cudaGraphicsUnmapResources(1, &resource);
    cudaDestroyTextureObject(object);
    cudaGraphicsUnregisterResource(resource);
    cudaFree(out);
    return status != cudaSuccess;
}

PROGRAM(stale_copy)
{
    const OffscreenContext context;
    SharedBuffer buffer;
    std::vector<int> values(count);
    buffer.map();
    if (!mended) buffer.unmap();
    const std::size_t bytes = count * sizeof(int);
    const cudaError_t status = cudaMemcpy(values.data(), buffer.pointer, bytes, cudaMemcpyDefault); // stale_copy: unmapped_resource
    if (mended) buffer.unmap();
    buffer.end();
    return status != cudaSuccess;
}

PROGRAM(pointer_before_map)
{
    const OffscreenContext context;
    SharedBuffer buffer;
    if (mended) buffer.map();
    void* p = nullptr;
    const cudaError_t status = cudaGraphicsResourceGetMappedPointer(&p, nullptr, buffer.resource); // pointer_before_map: unmapped_resource
    if (mended) buffer.unmap();
    buffer.end();
    return status != cudaSuccess;
}

PROGRAM(mapped_twice)
{
    const OffscreenContext context;
    SharedBuffer buffer;
    buffer.map();
    if (mended) buffer.unmap();
    const cudaError_t status = cudaGraphicsMapResources(1, &buffer.resource); // mapped_twice: mapped_resource
    buffer.unmap();
    buffer.end();
    return status != cudaSuccess;
}

PROGRAM(unmapped_twice)
{
    const OffscreenContext context;
    SharedBuffer buffer;
    buffer.map();
    buffer.unmap();
    if (mended) buffer.map();
    const cudaError_t status = cudaGraphicsUnmapResources(1, &buffer.resource); // unmapped_twice: unmapped_resource
    buffer.end();
    return status != cudaSuccess;
}

PROGRAM(unregistered_mapped)
{
    const OffscreenContext context;
    SharedBuffer buffer;
    buffer.map();
    if (mended) buffer.unmap();
    cudaGraphicsUnregisterResource(buffer.resource); // unregistered_mapped: mapped_resource
    glDeleteBuffers(1, &buffer.name);
    return 0;
}

PROGRAM(deleted_mapped)
{
    const OffscreenContext context;
    SharedBuffer buffer;
    buffer.map();
    if (!mended) glDeleteBuffers(1, &buffer.name);
    const cudaError_t status = cudaGraphicsUnmapResources(1, &buffer.resource); // deleted_mapped: gl_object
    buffer.end();
    return status != cudaSuccess;
}

PROGRAM(changed_mapped)
{
    const OffscreenContext context;
    SharedBuffer buffer;
    const int seven = 7;
    if (mended) glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof seven, &seven);
    buffer.map();
    if (!mended) glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof seven, &seven);
    cudaGraphicsUnmapResources(1, &buffer.resource); // changed_mapped: mapped_resource
    return buffer.end();
}

__global__ void written_read_only_kernel(int* values)
{
    const int old = values[threadIdx.x];
    values[threadIdx.x] = old + 1; // written_read_only: resource_access
}
PROGRAM(written_read_only)
{
    const OffscreenContext context;
    SharedBuffer buffer(mended ? cudaGraphicsRegisterFlagsNone : cudaGraphicsRegisterFlagsReadOnly);
    buffer.map();
    written_read_only_kernel<<<1, 32>>>(buffer.pointer);
    buffer.unmap();
    return buffer.end();
}

PROGRAM(copied_read_only)
{
    const OffscreenContext context;
    SharedBuffer buffer;
    cudaGraphicsResourceSetMapFlags(buffer.resource, mended ? cudaGraphicsMapFlagsNone : cudaGraphicsMapFlagsReadOnly);
    buffer.map();
    cudaMemset(buffer.pointer, 0, 64); // copied_read_only: resource_access
    buffer.unmap();
    return buffer.end();
}

__global__ void read_discarded_kernel(int* values)
{
    const int old = values[threadIdx.x]; // read_discarded: discarded_resource
    values[threadIdx.x] = old * 2;
}
PROGRAM(read_discarded)
{
    const OffscreenContext context;
    SharedBuffer buffer(mended ? cudaGraphicsRegisterFlagsNone : cudaGraphicsRegisterFlagsWriteDiscard);
    buffer.map();
    read_discarded_kernel<<<1, count>>>(buffer.pointer);
    buffer.unmap();
    return buffer.end();
}

PROGRAM(sampled_discarded)
{
    const OffscreenContext context;
    const std::vector<std::uint32_t> texels(32);
    const GLuint texture = new_texture(GL_RGBA8, 32, 1, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    cudaGraphicsResource_t resource;
    CHECK(cudaGraphicsGLRegisterImage(&resource, texture, GL_TEXTURE_2D,
                                      mended ? cudaGraphicsRegisterFlagsNone
                                             : cudaGraphicsRegisterFlagsWriteDiscard));
    CHECK(cudaGraphicsMapResources(1, &resource));
    cudaResourceDesc described{};
    described.resType = cudaResourceTypeArray;
    described.res.array.array = array_of(resource);
    const cudaTextureDesc description{};
    cudaTextureObject_t object = 0;
    cudaCreateTextureObject(&object, &described, &description, nullptr); // sampled_discarded: discarded_resource
    cudaDestroyTextureObject(object);
    CHECK(cudaGraphicsUnmapResources(1, &resource));
    return cudaGraphicsUnregisterResource(resource) != cudaSuccess;
}

PROGRAM(surface_not_asked)
{
    const OffscreenContext context;
    const GLuint texture = new_texture(GL_RGBA8, 32, 1, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    cudaGraphicsResource_t resource;
    CHECK(cudaGraphicsGLRegisterImage(&resource, texture, GL_TEXTURE_2D,
                                      mended ? cudaGraphicsRegisterFlagsSurfaceLoadStore
                                             : cudaGraphicsRegisterFlagsNone));
    CHECK(cudaGraphicsMapResources(1, &resource));
    cudaResourceDesc described{};
    described.resType = cudaResourceTypeArray;
    described.res.array.array = array_of(resource);
    cudaSurfaceObject_t object = 0;
    const cudaError_t status = cudaCreateSurfaceObject(&object, &described); // surface_not_asked: resource_access
    cudaDestroySurfaceObject(object);
    CHECK(cudaGraphicsUnmapResources(1, &resource));
    CHECK(cudaGraphicsUnregisterResource(resource));
    return status != cudaSuccess;
}

PROGRAM(three_channels)
{
    const OffscreenContext context;
    const GLuint texture = new_texture(mended ? GL_RGBA8 : GL_RGB8, 32, 1, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    cudaGraphicsResource_t resource = nullptr;
    const unsigned flags = cudaGraphicsRegisterFlagsNone;
    const cudaError_t status = cudaGraphicsGLRegisterImage(&resource, texture, GL_TEXTURE_2D, flags); // three_channels: resource_format
    if (status == cudaSuccess) cudaGraphicsUnregisterResource(resource);
    return status != cudaSuccess;
}

PROGRAM(resized_buffer)
{
    const OffscreenContext context;
    SharedBuffer buffer;
    glBindBuffer(GL_ARRAY_BUFFER, buffer.name);
    glBufferData(GL_ARRAY_BUFFER, (mended ? 1 : 2) * count * sizeof(int), nullptr, GL_DYNAMIC_DRAW);
    const cudaError_t status = cudaGraphicsMapResources(1, &buffer.resource); // resized_buffer: gl_object
    if (mended) buffer.unmap();
    buffer.end();
    return status != cudaSuccess;
}

PROGRAM(deleted_buffer)
{
    const OffscreenContext context;
    SharedBuffer buffer;
    if (!mended) glDeleteBuffers(1, &buffer.name);
    const cudaError_t status = cudaGraphicsMapResources(1, &buffer.resource); // deleted_buffer: gl_object
    if (mended) buffer.unmap();
    buffer.end();
    return status != cudaSuccess;
}

PROGRAM(no_context)
{
    OffscreenContext context;
    const GLuint buffer = new_buffer(nullptr, 64);
    if (!mended) context.release();
    cudaGraphicsResource_t resource = nullptr;
    const cudaError_t status = cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsRegisterFlagsNone); // no_context: gl_context
    if (status == cudaSuccess) cudaGraphicsUnregisterResource(resource);
    return status != cudaSuccess;
}

PROGRAM(other_thread)
{
    OffscreenContext context;
    SharedBuffer buffer;
    cudaError_t status = cudaSuccess;
    if (mended) context.release();
    std::thread([&] {
        if (mended) context.make_current();
        status = cudaGraphicsMapResources(1, &buffer.resource); // other_thread: gl_context
        if (mended) buffer.unmap();
        if (mended) context.release();
    }).join();
    context.make_current();
    buffer.end();
    return status != cudaSuccess;
}

PROGRAM(registered_every_frame)
{
    const OffscreenContext context;
    const GLuint buffer = new_buffer(ascending(0).data(), count * sizeof(int));
    cudaGraphicsResource_t resource = nullptr;
    for (int frame = 0; frame < 6; ++frame) {
        if (frame == 0 || !mended)
            cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsRegisterFlagsNone); // registered_every_frame: reregistered
        void* pointer = nullptr;
        std::size_t bytes = 0;
        cudaGraphicsMapResources(1, &resource);
        cudaGraphicsResourceGetMappedPointer(&pointer, &bytes, resource);
        add_one<<<1, count>>>(static_cast<int*>(pointer), count);
        cudaGraphicsUnmapResources(1, &resource);
        if (frame == 5 || !mended) cudaGraphicsUnregisterResource(resource);
    }
    return 0;
}

// The vertices that the kernel writes go to OpenGL through the host, in every frame.
PROGRAM(copied_vertices)
{
    const OffscreenContext context;
    const GLuint buffer = new_buffer(ascending(0).data(), count * sizeof(int));
    cudaGraphicsResource_t resource = nullptr;
    if (mended) cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsRegisterFlagsNone);
    int* values = nullptr;
    if (!mended) cudaMalloc(&values, count * sizeof(int));
    std::vector<int> host(count);
    for (int frame = 0; frame < 3; ++frame) {
        std::size_t bytes = 0;
        if (mended) {
            cudaGraphicsMapResources(1, &resource);
            cudaGraphicsResourceGetMappedPointer(reinterpret_cast<void**>(&values), &bytes, resource);
        }
        number<<<1, count>>>(values, count);
        if (mended) {
            cudaGraphicsUnmapResources(1, &resource);
            continue;
        }
        cudaMemcpy(host.data(), values, count * sizeof(int), cudaMemcpyDeviceToHost);
        glBindBuffer(GL_ARRAY_BUFFER, buffer);
        glBufferSubData(GL_ARRAY_BUFFER, 0, count * sizeof(int), host.data()); // copied_vertices: copied_through_host
    }
    if (mended) cudaGraphicsUnregisterResource(resource);
    if (!mended) cudaFree(values);
    return 0;
}

// The same for pixels. A copy that the host has changed, and one made once, are no loss.
PROGRAM(copied_pixels)
{
    const OffscreenContext context;
    new_texture(GL_RGBA8, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    int* pixels = nullptr;
    cudaMalloc(&pixels, count * sizeof(int));
    std::vector<int> host(count);
    for (int frame = 0; frame < 3; ++frame) {
        number<<<1, count>>>(pixels, count);
        cudaMemcpy(host.data(), pixels, count * sizeof(int), cudaMemcpyDeviceToHost);
        if (mended) host[0] += 1;
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, host.data()); // copied_pixels: copied_through_host
    }
    cudaMemcpy(host.data(), pixels, count * sizeof(int), cudaMemcpyDeviceToHost);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, host.data());
    cudaFree(pixels);
    return 0;
}

// The kernel's stream does not wait for the map's, nor the unmap for the kernel.
PROGRAM(other_stream)
{
    const OffscreenContext context;
    SharedBuffer buffer;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    buffer.map();
    cudaDeviceSynchronize();
    add_one<<<1, count, 0, stream>>>(buffer.pointer, count);
    if (mended) cudaStreamSynchronize(stream);
    cudaGraphicsUnmapResources(1, &buffer.resource); // other_stream: unordered
    cudaStreamDestroy(stream);
    return buffer.end();
}

// --- OpenGL's own calls while a resource is mapped ---

PROGRAM(drawn_mapped)
{
    const OffscreenContext context;
    framebuffer_of(new_texture(GL_RGBA8, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, nullptr));
    SharedBuffer buffer;
    SharedBuffer other;
    buffer.map();
    if (mended) buffer.unmap();
    other.map(); // may be mapped: it is not drawn
    glBindBuffer(GL_ARRAY_BUFFER, buffer.name);
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(2, GL_FLOAT, 0, nullptr);
    glDrawArrays(GL_POINTS, 0, 3); // drawn_mapped: mapped_resource
    glDisableClientState(GL_VERTEX_ARRAY);
    if (!mended) buffer.unmap();
    other.unmap();
    buffer.end();
    return other.end();
}

// Draws the first three points of the buffer by the function that `draw` is.
int draws_mapped(bool mended, void (*draw)(SharedBuffer&))
{
    const OffscreenContext context;
    framebuffer_of(new_texture(GL_RGBA8, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, nullptr));
    SharedBuffer buffer;
    buffer.map();
    if (mended) buffer.unmap();
    glBindBuffer(GL_ARRAY_BUFFER, buffer.name);
    glEnableClientState(GL_VERTEX_ARRAY);
    glVertexPointer(2, GL_FLOAT, 0, nullptr);
    draw(buffer);
    glDisableClientState(GL_VERTEX_ARRAY);
    if (!mended) buffer.unmap();
    return buffer.end();
}

// The function is looked up in OpenGL's library, as GLFW and SDL do without GLX.
PROGRAM(drawn_mapped_dlsym)
{
    return draws_mapped(mended, [](SharedBuffer&) {
        void* const library = dlopen("libGL.so.1", RTLD_LAZY);
        const auto draw = reinterpret_cast<void (*)(GLenum, GLint, GLsizei)>(dlsym(library, "glDrawArrays"));
        draw(GL_POINTS, 0, 3); // drawn_mapped_dlsym: mapped_resource
    });
}

// The function is looked up by a loader that is itself looked up, as GLAD does.
PROGRAM(drawn_mapped_loader)
{
    return draws_mapped(mended, [](SharedBuffer&) {
        void* const library = dlopen("libEGL.so.1", RTLD_LAZY);
        const auto find = reinterpret_cast<void (*(*)(const char*))()>(dlsym(library, "eglGetProcAddress"));
        const auto draw = reinterpret_cast<PFNGLMULTIDRAWARRAYSPROC>(find("glMultiDrawArrays"));
        const GLint first = 0;
        const GLsizei points = 3;
        draw(GL_POINTS, &first, &points, 1); // drawn_mapped_loader: mapped_resource
    });
}

PROGRAM(named_write_mapped)
{
    return draws_mapped(mended, [](SharedBuffer& buffer) {
        const auto write = reinterpret_cast<PFNGLNAMEDBUFFERSUBDATAPROC>(eglGetProcAddress("glNamedBufferSubData"));
        const int value = 7;
        write(buffer.name, 0, sizeof value, &value); // named_write_mapped: mapped_resource
    });
}

PROGRAM(uploaded_mapped)
{
    const OffscreenContext context;
    new_texture(GL_RGBA8, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    SharedBuffer pixels;
    pixels.map();
    number<<<1, count>>>(pixels.pointer, count);
    if (mended) pixels.unmap();
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, pixels.name);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, nullptr); // uploaded_mapped: mapped_resource
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    if (!mended) pixels.unmap();
    return pixels.end();
}

PROGRAM(sampled_mapped)
{
    const OffscreenContext context;
    framebuffer_of(new_texture(GL_RGBA8, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, nullptr));
    const std::vector<std::uint32_t> texels(16 * 16, 0xff0000ffu);
    const GLuint texture = new_texture(GL_RGBA8, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    cudaGraphicsResource_t resource;
    CHECK(cudaGraphicsGLRegisterImage(&resource, texture, GL_TEXTURE_2D, cudaGraphicsRegisterFlagsReadOnly));
    CHECK(cudaGraphicsMapResources(1, &resource));
    if (mended) CHECK(cudaGraphicsUnmapResources(1, &resource));
    glEnable(GL_TEXTURE_2D);
    glBegin(GL_TRIANGLES); // sampled_mapped: mapped_resource
    glTexCoord2f(0, 0), glVertex2f(-1, -1);
    glTexCoord2f(1, 0), glVertex2f(3, -1);
    glTexCoord2f(0, 1), glVertex2f(-1, 3);
    glEnd();
    if (!mended) CHECK(cudaGraphicsUnmapResources(1, &resource));
    return cudaGraphicsUnregisterResource(resource) != cudaSuccess;
}
