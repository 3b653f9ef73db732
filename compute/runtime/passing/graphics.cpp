// Memory shared with OpenGL. Lists calls that fail. Registers mapped memory for kept launches under
// the name of the call that maps it, as the lockstep machine does.
#include <map>
#include <mutex>

#include <cuda_runtime_api.h>

#include "compute/runtime/passing/real.h"
#include "compute/runtime/passing/recorder.h"

// As in cuda_gl_interop.h, which needs OpenGL's headers.
extern "C" {
cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource_t* resource, unsigned buffer,
                                         unsigned flags);
cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource_t* resource, unsigned image,
                                        unsigned target, unsigned flags);
}

using namespace lanescope::runtime::passing;

namespace {

// Addresses of mapped resources.
class MappedPointers {
public:
    static MappedPointers& instance()
    {
        static auto* const made = new MappedPointers; // never destroyed: used during process exit
        return *made;
    }
    void add(cudaGraphicsResource_t resource, void* pointer)
    {
        const std::lock_guard lock(mutex_);
        pointers_[resource] = pointer;
    }
    // Returns null for a resource without a known address.
    void* take(cudaGraphicsResource_t resource)
    {
        const std::lock_guard lock(mutex_);
        const auto taken = pointers_.extract(resource);
        return taken ? taken.mapped() : nullptr;
    }

private:
    std::mutex mutex_;
    std::map<cudaGraphicsResource_t, void*> pointers_;
};

} // namespace

extern "C" {

cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource_t* resource, unsigned buffer,
                                         unsigned flags)
{
    return checked(__func__, REAL(cudaGraphicsGLRegisterBuffer)(resource, buffer, flags));
}
cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource_t* resource, unsigned image,
                                        unsigned target, unsigned flags)
{
    return checked(__func__, REAL(cudaGraphicsGLRegisterImage)(resource, image, target, flags));
}
cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource)
{
    return checked(__func__, REAL(cudaGraphicsUnregisterResource)(resource));
}
cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t resource, unsigned flags)
{
    return checked(__func__, REAL(cudaGraphicsResourceSetMapFlags)(resource, flags));
}
cudaError_t cudaGraphicsMapResources(int count, cudaGraphicsResource_t* resources,
                                     cudaStream_t stream)
{
    return checked(__func__, REAL(cudaGraphicsMapResources)(count, resources, stream));
}
cudaError_t cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t* resources,
                                       cudaStream_t stream)
{
    for (int i = 0; i < count && resources != nullptr && Recorder::instance().on(); ++i)
        if (void* const pointer = MappedPointers::instance().take(resources[i]))
            Recorder::instance().take(pointer);
    return checked(__func__, REAL(cudaGraphicsUnmapResources)(count, resources, stream));
}
cudaError_t cudaGraphicsResourceGetMappedPointer(void** pointer, std::size_t* bytes,
                                                 cudaGraphicsResource_t resource)
{
    std::size_t known = 0;
    std::size_t* const size = bytes == nullptr ? &known : bytes;
    const cudaError_t result =
        checked(__func__, REAL(cudaGraphicsResourceGetMappedPointer)(pointer, size, resource));
    if (result == cudaSuccess && Recorder::instance().on()) {
        Recorder::instance().note_unowned(*pointer, *size, "cudaGraphicsMapResources", false);
        MappedPointers::instance().add(resource, *pointer);
    }
    return result;
}
cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t* array,
                                                  cudaGraphicsResource_t resource, unsigned layer,
                                                  unsigned level)
{
    return checked(__func__,
                   REAL(cudaGraphicsSubResourceGetMappedArray)(array, resource, layer, level));
}

} // extern "C"
