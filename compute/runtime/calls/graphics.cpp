// Memory shared with OpenGL. Does not include cuda_gl_interop.h, which needs OpenGL's headers:
// names and targets of OpenGL objects are unsigned integers, as they are there.
#include "compute/runtime/graphics.h"

namespace lanescope::runtime {

namespace {

// Runs the body with the stream of this handle.
template <class Body>
cudaError_t in_stream(cudaStream_t handle, const char* name, Body body)
{
    return call(Call::queues, name, [&](Machine& machine) {
        Stream* const stream = machine.stream(handle, this_thread().device);
        return stream == nullptr ? cudaErrorInvalidResourceHandle : body(machine, *stream);
    });
}

// Runs the body with the resource that was registered for the buffer, for functions that name
// buffers instead of resources.
template <class Body>
cudaError_t with_buffer(unsigned buffer, cudaStream_t handle, const char* name, Body body)
{
    return in_stream(handle, name, [&](Machine& machine, Stream& stream) {
        cudaGraphicsResource_t resource = graphics::registration_of_buffer(buffer);
        return resource == nullptr ? cudaErrorInvalidResourceHandle
                                   : body(machine, stream, resource);
    });
}

cudaError_t map_object(void** pointer, unsigned buffer, cudaStream_t handle, const char* name)
{
    return with_buffer(
        buffer, handle, name,
        [&](Machine& machine, Stream& stream, cudaGraphicsResource_t resource) {
            if (pointer == nullptr) return cudaErrorInvalidValue;
            const cudaError_t result = graphics::map(machine, 1, &resource, stream, name);
            if (result != cudaSuccess) return result;
            return graphics::mapped_pointer(machine, pointer, nullptr, resource, name);
        });
}

cudaError_t unmap_object(unsigned buffer, cudaStream_t handle, const char* name)
{
    return with_buffer(buffer, handle, name,
                       [&](Machine& machine, Stream& stream, cudaGraphicsResource_t resource) {
                           return graphics::unmap(machine, 1, &resource, stream, name);
                       });
}

} // namespace

} // namespace lanescope::runtime

using namespace lanescope::runtime;

extern "C" {

cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource_t* resource, unsigned buffer,
                                         unsigned flags)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        return graphics::register_buffer(machine, resource, buffer, flags,
                                         "cudaGraphicsGLRegisterBuffer");
    });
}
cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource_t* resource, unsigned image,
                                        unsigned target, unsigned flags)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        return graphics::register_image(machine, resource, image, target, flags,
                                        "cudaGraphicsGLRegisterImage");
    });
}
cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        return graphics::unregister(machine, resource, "cudaGraphicsUnregisterResource");
    });
}
cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t resource, unsigned flags)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        return graphics::set_map_flags(machine, resource, flags, "cudaGraphicsResourceSetMapFlags");
    });
}
cudaError_t cudaGraphicsMapResources(int count, cudaGraphicsResource_t* resources,
                                     cudaStream_t handle)
{
    return in_stream(handle, __func__, [&](Machine& machine, Stream& stream) {
        return graphics::map(machine, count, resources, stream, "cudaGraphicsMapResources");
    });
}
cudaError_t cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t* resources,
                                       cudaStream_t handle)
{
    return in_stream(handle, __func__, [&](Machine& machine, Stream& stream) {
        return graphics::unmap(machine, count, resources, stream, "cudaGraphicsUnmapResources");
    });
}
cudaError_t cudaGraphicsResourceGetMappedPointer(void** pointer, std::size_t* bytes,
                                                 cudaGraphicsResource_t resource)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        return graphics::mapped_pointer(machine, pointer, bytes, resource,
                                        "cudaGraphicsResourceGetMappedPointer");
    });
}
cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t* array,
                                                  cudaGraphicsResource_t resource, unsigned layer,
                                                  unsigned level)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        return graphics::mapped_array(machine, array, resource, layer, level,
                                      "cudaGraphicsSubResourceGetMappedArray");
    });
}
cudaError_t cudaGraphicsResourceGetMappedMipmappedArray(cudaMipmappedArray_t*,
                                                        cudaGraphicsResource_t)
{
    return call(Call::queues, __func__, [&](Machine&) {
        Report::instance().missing(
            called_as("cudaGraphicsResourceGetMappedMipmappedArray"),
            "The lockstep machine shares one level of a texture at a time: get its array with "
            "cudaGraphicsSubResourceGetMappedArray.");
        return cudaErrorNotSupported;
    });
}

// Here every device can share memory with every OpenGL context, so this returns the current device.
cudaError_t cudaGLGetDevices(unsigned* count, int* devices, unsigned max_devices, int list)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        constexpr int all = 1, next_frame = 3; // cudaGLDeviceList
        if (count == nullptr || (devices == nullptr && max_devices > 0) || list < all ||
            list > next_frame)
            return cudaErrorInvalidValue;
        const cudaError_t failed = graphics::check_context(machine, "cudaGLGetDevices");
        if (failed != cudaSuccess) return failed;
        *count = 1;
        if (max_devices > 0) devices[0] = this_thread().device;
        return cudaSuccess;
    });
}
// Choosing a device that is in use fails, as on a GPU.
cudaError_t cudaGLSetGLDevice(int device)
{
    const cudaError_t result = call(Call::plain, __func__, [&](Machine& machine) {
        const auto index = static_cast<std::size_t>(device);
        if (device < 0 || index >= machine.devices.size()) return cudaErrorInvalidDevice;
        return machine.devices[index].primary.used ? cudaErrorSetOnActiveProcess : cudaSuccess;
    });
    return result == cudaSuccess ? cudaSetDevice(device) : result;
}

// --- Functions of CUDA 2, which name buffers ---

cudaError_t cudaGLRegisterBufferObject(unsigned buffer)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        cudaGraphicsResource_t resource = nullptr;
        return graphics::register_buffer(machine, &resource, buffer, cudaGraphicsRegisterFlagsNone,
                                         "cudaGLRegisterBufferObject");
    });
}
cudaError_t cudaGLUnregisterBufferObject(unsigned buffer)
{
    return with_buffer(
        buffer, nullptr, __func__, [](Machine& machine, Stream&, cudaGraphicsResource_t resource) {
            return graphics::unregister(machine, resource, "cudaGLUnregisterBufferObject");
        });
}
cudaError_t cudaGLSetBufferObjectMapFlags(unsigned buffer, unsigned flags)
{
    return with_buffer(buffer, nullptr, __func__,
                       [&](Machine& machine, Stream&, cudaGraphicsResource_t resource) {
                           return graphics::set_map_flags(machine, resource, flags,
                                                          "cudaGLSetBufferObjectMapFlags");
                       });
}
cudaError_t cudaGLMapBufferObject(void** pointer, unsigned buffer)
{
    return map_object(pointer, buffer, nullptr, __func__);
}
cudaError_t cudaGLMapBufferObjectAsync(void** pointer, unsigned buffer, cudaStream_t stream)
{
    return map_object(pointer, buffer, stream, __func__);
}
cudaError_t cudaGLUnmapBufferObject(unsigned buffer)
{
    return unmap_object(buffer, nullptr, __func__);
}
cudaError_t cudaGLUnmapBufferObjectAsync(unsigned buffer, cudaStream_t stream)
{
    return unmap_object(buffer, stream, __func__);
}

} // extern "C"
