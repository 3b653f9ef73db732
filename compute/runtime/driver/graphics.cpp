// Memory shared with OpenGL, through the driver API. Does not include cudaGL.h, which needs
// OpenGL's headers: names and targets of OpenGL objects are unsigned integers, as they are there.
#include "compute/runtime/driver/driver.h"

extern "C" {

cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource_t* resource, unsigned buffer,
                                         unsigned flags);
cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource_t* resource, unsigned image,
                                        unsigned target, unsigned flags);
cudaError_t cudaGLGetDevices(unsigned* count, int* devices, unsigned max_devices, int list);
cudaError_t cudaGLRegisterBufferObject(unsigned buffer);
cudaError_t cudaGLUnregisterBufferObject(unsigned buffer);
cudaError_t cudaGLSetBufferObjectMapFlags(unsigned buffer, unsigned flags);
cudaError_t cudaGLMapBufferObjectAsync(void** pointer, unsigned buffer, cudaStream_t stream);
cudaError_t cudaGLUnmapBufferObjectAsync(unsigned buffer, cudaStream_t stream);

} // extern "C"

namespace lanescope::runtime {

namespace {

cudaGraphicsResource_t runtime_resource(CUgraphicsResource resource)
{
    return reinterpret_cast<cudaGraphicsResource_t>(resource);
}
cudaGraphicsResource_t* runtime_resources(CUgraphicsResource* resources)
{
    return reinterpret_cast<cudaGraphicsResource_t*>(resources);
}

cudaError_t address_of(CUdeviceptr* address, std::size_t* bytes, CUgraphicsResource resource)
{
    void* pointer = nullptr;
    if (address == nullptr) return cudaErrorInvalidValue;
    const cudaError_t result =
        cudaGraphicsResourceGetMappedPointer(&pointer, bytes, runtime_resource(resource));
    if (result == cudaSuccess) *address = reinterpret_cast<CUdeviceptr>(pointer);
    return result;
}

// Maps a buffer and returns its address and size.
cudaError_t map_named(Machine& machine, CUdeviceptr* address, std::size_t* bytes, unsigned buffer,
                      CUstream stream)
{
    void* pointer = nullptr;
    const cudaError_t result = cudaGLMapBufferObjectAsync(&pointer, buffer, stream);
    if (result != cudaSuccess) return result;
    if (address != nullptr) *address = reinterpret_cast<CUdeviceptr>(pointer);
    if (bytes != nullptr) *bytes = machine.find(pointer)->bytes;
    return result;
}

} // namespace

} // namespace lanescope::runtime

using namespace lanescope::runtime;

extern "C" {

CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource* resource, unsigned buffer, unsigned flags)
{
    return driver(__func__, [&](Machine&) {
        return cudaGraphicsGLRegisterBuffer(runtime_resources(resource), buffer, flags);
    });
}
CUresult cuGraphicsGLRegisterImage(CUgraphicsResource* resource, unsigned image, unsigned target,
                                   unsigned flags)
{
    return driver(__func__, [&](Machine&) {
        return cudaGraphicsGLRegisterImage(runtime_resources(resource), image, target, flags);
    });
}
CUresult cuGraphicsUnregisterResource(CUgraphicsResource resource)
{
    return driver(__func__, [&](Machine&) {
        return cudaGraphicsUnregisterResource(runtime_resource(resource));
    });
}
CUresult cuGraphicsResourceSetMapFlags_v2(CUgraphicsResource resource, unsigned flags)
{
    return driver("cuGraphicsResourceSetMapFlags", [&](Machine&) {
        return cudaGraphicsResourceSetMapFlags(runtime_resource(resource), flags);
    });
}
CUresult cuGraphicsResourceSetMapFlags(CUgraphicsResource resource, unsigned flags)
{
    return cuGraphicsResourceSetMapFlags_v2(resource, flags);
}
CUresult cuGraphicsMapResources(unsigned count, CUgraphicsResource* resources, CUstream stream)
{
    return driver(__func__, [&](Machine&) {
        return cudaGraphicsMapResources(static_cast<int>(count), runtime_resources(resources),
                                        stream);
    });
}
CUresult cuGraphicsUnmapResources(unsigned count, CUgraphicsResource* resources, CUstream stream)
{
    return driver(__func__, [&](Machine&) {
        return cudaGraphicsUnmapResources(static_cast<int>(count), runtime_resources(resources),
                                          stream);
    });
}
CUresult cuGraphicsResourceGetMappedPointer_v2(CUdeviceptr* address, std::size_t* bytes,
                                               CUgraphicsResource resource)
{
    return driver("cuGraphicsResourceGetMappedPointer",
                  [&](Machine&) { return address_of(address, bytes, resource); });
}
CUresult cuGraphicsSubResourceGetMappedArray(CUarray* array, CUgraphicsResource resource,
                                             unsigned layer, unsigned level)
{
    return driver(__func__, [&](Machine&) {
        return cudaGraphicsSubResourceGetMappedArray(reinterpret_cast<cudaArray_t*>(array),
                                                     runtime_resource(resource), layer, level);
    });
}
CUresult cuGraphicsResourceGetMappedMipmappedArray(CUmipmappedArray*, CUgraphicsResource resource)
{
    return driver(__func__, [&](Machine&) {
        return cudaGraphicsResourceGetMappedMipmappedArray(nullptr, runtime_resource(resource));
    });
}

CUresult cuGLGetDevices_v2(unsigned* count, CUdevice* devices, unsigned max_devices, int list)
{
    return driver(
        "cuGLGetDevices",
        [&](Machine&) { return cudaGLGetDevices(count, devices, max_devices, list); },
        Needs::driver);
}
CUresult cuGLGetDevices(unsigned* count, CUdevice* devices, unsigned max_devices, int list)
{
    return cuGLGetDevices_v2(count, devices, max_devices, list);
}
// Contexts need no preparation for OpenGL.
CUresult cuGLCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device)
{
    return cuCtxCreate_v2(context, flags, device);
}
CUresult cuGLCtxCreate(CUcontext* context, unsigned flags, CUdevice device)
{
    return cuCtxCreate_v2(context, flags, device);
}
CUresult cuGLInit()
{
    return driver(__func__, [](Machine&) { return cudaSuccess; });
}

// --- Functions of CUDA 2, which name buffers ---

CUresult cuGLRegisterBufferObject(unsigned buffer)
{
    return driver(__func__, [&](Machine&) { return cudaGLRegisterBufferObject(buffer); });
}
CUresult cuGLUnregisterBufferObject(unsigned buffer)
{
    return driver(__func__, [&](Machine&) { return cudaGLUnregisterBufferObject(buffer); });
}
CUresult cuGLSetBufferObjectMapFlags(unsigned buffer, unsigned flags)
{
    return driver(__func__, [&](Machine&) { return cudaGLSetBufferObjectMapFlags(buffer, flags); });
}
CUresult cuGLMapBufferObject_v2(CUdeviceptr* address, std::size_t* bytes, unsigned buffer)
{
    return driver("cuGLMapBufferObject", [&](Machine& machine) {
        return map_named(machine, address, bytes, buffer, nullptr);
    });
}
CUresult cuGLMapBufferObjectAsync_v2(CUdeviceptr* address, std::size_t* bytes, unsigned buffer,
                                     CUstream stream)
{
    return driver("cuGLMapBufferObjectAsync", [&](Machine& machine) {
        return map_named(machine, address, bytes, buffer, stream);
    });
}
CUresult cuGLUnmapBufferObject(unsigned buffer)
{
    return driver(__func__,
                  [&](Machine&) { return cudaGLUnmapBufferObjectAsync(buffer, nullptr); });
}
CUresult cuGLUnmapBufferObjectAsync(unsigned buffer, CUstream stream)
{
    return driver(__func__, [&](Machine&) { return cudaGLUnmapBufferObjectAsync(buffer, stream); });
}

} // extern "C"
