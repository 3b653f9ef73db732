// Memory shared with OpenGL, through the driver API: correct programs first, then programs with one
// defect each, as in driver_defects.cu.
#include "programs.h"

#include "driver.h"
#include "graphics.h"

#define CUDA_ENABLE_DEPRECATED
#include <cudaGL.h>

namespace {

constexpr unsigned count = 64;

const char* const add_text = R"(
extern "C" __global__ void add_one(int* values) { values[threadIdx.x] += 1; }
)";

std::string add_ptx() { return compiled({"driver_graphics.cu", 1, add_text}); }

std::vector<int> ascending(int first)
{
    std::vector<int> values(count);
    for (unsigned i = 0; i < count; ++i) values[i] = first + static_cast<int>(i);
    return values;
}

CUresult launch(CUfunction kernel, CUdeviceptr values, CUstream stream = nullptr)
{
    void* arguments[] = {&values};
    return cuLaunchKernel(kernel, 1, 1, 1, count, 1, 1, 0, stream, arguments, nullptr);
}

} // namespace

PROGRAM(driver_gl_buffer)
{
    const OffscreenContext context;
    const Loaded loaded(add_ptx(), "add_one");
    OK(loaded.status);
    unsigned devices = 0;
    CUdevice device = -1;
    OK(cuGLGetDevices(&devices, &device, 1, CU_GL_DEVICE_LIST_ALL));
    const GLuint buffer = new_buffer(ascending(0).data(), count * sizeof(int));
    CUgraphicsResource resource;
    OK(cuGraphicsGLRegisterBuffer(&resource, buffer, CU_GRAPHICS_REGISTER_FLAGS_NONE));
    OK(cuGraphicsResourceSetMapFlags(resource, CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE));
    CUstream stream;
    OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    OK(cuGraphicsMapResources(1, &resource, stream));
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    OK(cuGraphicsResourceGetMappedPointer(&address, &bytes, resource));
    OK(launch(loaded.kernel, address, stream));
    OK(cuGraphicsUnmapResources(1, &resource, stream));
    OK(cuGraphicsUnregisterResource(resource));
    OK(cuStreamDestroy(stream));
    bool right = bytes == count * sizeof(int) && devices == 1 && device == 0 &&
                 buffer_values<int>(buffer, count) == ascending(1);
    OK(cuGLRegisterBufferObject(buffer));
    OK(cuGLMapBufferObject(&address, &bytes, buffer));
    OK(launch(loaded.kernel, address));
    OK(cuGLUnmapBufferObject(buffer));
    OK(cuGLUnregisterBufferObject(buffer));
    right = right && bytes == count * sizeof(int) &&
            buffer_values<int>(buffer, count) == ascending(2);
    return passed(right);
}

PROGRAM(driver_gl_texture)
{
    const OffscreenContext context;
    OK(cuInit(0));
    CUcontext made;
    OK(cuGLCtxCreate(&made, 0, 0));
    std::vector<std::uint8_t> texels(16 * 16 * 4);
    for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<std::uint8_t>(i);
    const GLuint texture =
        new_texture(GL_RGBA8, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    CUgraphicsResource resource;
    OK(cuGraphicsGLRegisterImage(&resource, texture, GL_TEXTURE_2D, CU_GRAPHICS_REGISTER_FLAGS_NONE));
    OK(cuGraphicsMapResources(1, &resource, nullptr));
    CUarray array;
    OK(cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
    CUDA_ARRAY_DESCRIPTOR is{};
    OK(cuArrayGetDescriptor(&is, array));
    const bool described = is.Width == 16 && is.Height == 16 && is.NumChannels == 4 &&
                           is.Format == CU_AD_FORMAT_UNSIGNED_INT8;
    std::vector<std::uint8_t> got(texels.size());
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = array;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = got.data();
    copy.dstPitch = copy.WidthInBytes = 64;
    copy.Height = 16;
    OK(cuMemcpy2D(&copy));
    OK(cuGraphicsUnmapResources(1, &resource, nullptr));
    OK(cuGraphicsUnregisterResource(resource));
    OK(cuCtxDestroy(made));
    return passed(described && got == texels);
}

PROGRAM(driver_mapped_twice)
{
    const OffscreenContext context;
    const Loaded loaded(add_ptx(), "add_one");
    const GLuint buffer = new_buffer(ascending(0).data(), count * sizeof(int));
    CUgraphicsResource resource;
    OK(cuGraphicsGLRegisterBuffer(&resource, buffer, CU_GRAPHICS_REGISTER_FLAGS_NONE));
    OK(cuGraphicsMapResources(1, &resource, nullptr));
    if (mended) OK(cuGraphicsUnmapResources(1, &resource, nullptr));
    const CUresult result = cuGraphicsMapResources(1, &resource, nullptr); // driver_mapped_twice: mapped_resource
    OK(cuGraphicsUnmapResources(1, &resource, nullptr));
    OK(cuGraphicsUnregisterResource(resource));
    return result != CUDA_SUCCESS;
}

const Source stale_text = SOURCE(R"(
extern "C" __global__ void stale(int* values)
{
    values[threadIdx.x] += 1; // driver_stale_pointer: unmapped_resource
}
)");
PROGRAM(driver_stale_pointer)
{
    const OffscreenContext context;
    const Loaded loaded(compiled(stale_text), "stale");
    OK(loaded.status);
    const GLuint buffer = new_buffer(ascending(0).data(), count * sizeof(int));
    CUgraphicsResource resource;
    OK(cuGraphicsGLRegisterBuffer(&resource, buffer, CU_GRAPHICS_REGISTER_FLAGS_NONE));
    OK(cuGraphicsMapResources(1, &resource, nullptr));
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    OK(cuGraphicsResourceGetMappedPointer(&address, &bytes, resource));
    if (!mended) OK(cuGraphicsUnmapResources(1, &resource, nullptr));
    OK(launch(loaded.kernel, address));
    const CUresult result = cuCtxSynchronize();
    if (mended) OK(cuGraphicsUnmapResources(1, &resource, nullptr));
    cuGraphicsUnregisterResource(resource);
    return result != CUDA_SUCCESS;
}
