// RAII handles of CUDA objects. Destructors ignore errors: once the context is lost, every call
// fails.
#pragma once

#include <memory>
#include <type_traits>

#include <cuda_runtime_api.h>

#include "compute/cuda/check.h"

namespace lanescope::cuda {

template <auto destroy>
struct Destroy {
    template <class T>
    void operator()(T* handle) const
    {
        destroy(handle);
    }
};

using Stream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, Destroy<cudaStreamDestroy>>;
using Event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Destroy<cudaEventDestroy>>;
using Memory = std::unique_ptr<void, Destroy<cudaFree>>;
using PinnedMemory = std::unique_ptr<void, Destroy<cudaFreeHost>>;
using Array = std::unique_ptr<std::remove_pointer_t<cudaArray_t>, Destroy<cudaFreeArray>>;
using Levels =
    std::unique_ptr<std::remove_pointer_t<cudaMipmappedArray_t>, Destroy<cudaFreeMipmappedArray>>;

inline Stream make_stream()
{
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return Stream(stream);
}

inline Event make_event()
{
    cudaEvent_t event = nullptr;
    check(cudaEventCreate(&event));
    return Event(event);
}

// Allocates at least one byte, so that every buffer has a distinct address.
inline Memory make_memory(std::size_t bytes)
{
    void* pointer = nullptr;
    check(cudaMalloc(&pointer, bytes > 0 ? bytes : 1));
    return Memory(pointer);
}

// Pinned host memory, which copies access without staging.
inline PinnedMemory make_pinned_memory(std::size_t bytes)
{
    void* pointer = nullptr;
    check(cudaMallocHost(&pointer, bytes));
    return PinnedMemory(pointer);
}

// A surface or texture object: an integer handle, 0 if none.
template <auto destroy>
class ObjectHandle {
public:
    ObjectHandle() = default;
    explicit ObjectHandle(unsigned long long handle) : handle_(handle) {}
    ObjectHandle(ObjectHandle&& other) noexcept : handle_(other.handle_) { other.handle_ = 0; }
    ObjectHandle& operator=(ObjectHandle&& other) noexcept
    {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~ObjectHandle()
    {
        if (handle_ != 0) destroy(handle_);
    }
    unsigned long long get() const { return handle_; }

private:
    unsigned long long handle_ = 0;
};

using Surface = ObjectHandle<cudaDestroySurfaceObject>;
using TextureObject = ObjectHandle<cudaDestroyTextureObject>;

} // namespace lanescope::cuda
