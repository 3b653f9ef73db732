// Records allocations with their sizes, and images, because kept launches need them.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "compute/runtime/passing/images.h"
#include "compute/runtime/passing/real.h"
#include "compute/runtime/passing/recorder.h"

using namespace lanescope::runtime::passing;

namespace {

constexpr bool on_host = true, on_device = false;

// `make` allocates and sets `pointer`; `bytes` returns the size.
template <class Pointer, class Make, class Bytes>
cudaError_t allocate(const char* name, Pointer* pointer, bool host, Make make, Bytes bytes,
                     const StreamName* stream = nullptr)
{
    const cudaError_t result = checked(name, make());
    if (result == cudaSuccess && Recorder::instance().on())
        Recorder::instance().allocated(*pointer, bytes(), name, host);
    if (result == cudaSuccess && stream != nullptr && Recorder::instance().on())
        Recorder::instance().queued(*stream);
    return result;
}

template <class Make>
cudaError_t allocate_on(const StreamName& stream, void** pointer, std::size_t bytes, Make make)
{
    return allocate(
        "cudaMallocAsync", pointer, on_device, make, [&] { return bytes; }, &stream);
}

// Records the free before it happens: afterwards another thread may get the same address. Frees
// without a stream wait for queued work.
template <class Free>
cudaError_t free_with(const char* name, const void* pointer, Free free,
                      const StreamName* stream = nullptr)
{
    Recorder& recorder = Recorder::instance();
    if (!recorder.on()) return free();
    auto taken = recorder.take(pointer);
    const cudaError_t result = checked(name, free());
    if (result != cudaSuccess)
        recorder.put_back(std::move(taken));
    else if (taken && stream == nullptr)
        recorder.host_waits_for_device();
    else if (taken)
        recorder.queued(*stream);
    return result;
}

} // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t bytes)
{
    return allocate(
        __func__, pointer, on_device, [&] { return REAL(cudaMalloc)(pointer, bytes); },
        [&] { return bytes; });
}
cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags)
{
    return allocate(
        __func__, pointer, on_host, [&] { return REAL(cudaMallocManaged)(pointer, bytes, flags); },
        [&] { return bytes; });
}
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes)
{
    return allocate(
        __func__, pointer, on_host, [&] { return REAL(cudaMallocHost)(pointer, bytes); },
        [&] { return bytes; });
}
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags)
{
    return allocate(
        __func__, pointer, on_host, [&] { return REAL(cudaHostAlloc)(pointer, bytes, flags); },
        [&] { return bytes; });
}
cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height)
{
    return allocate(
        __func__, pointer, on_device,
        [&] { return REAL(cudaMallocPitch)(pointer, pitch, width, height); },
        [&] { return *pitch * height; });
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent)
{
    return allocate(
        __func__, pitched == nullptr ? nullptr : &pitched->ptr, on_device,
        [&] { return REAL(cudaMalloc3D)(pitched, extent); },
        [&] { return pitched->pitch * extent.height * extent.depth; });
}
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream)
{
    return allocate_on({stream, NullStream::legacy}, pointer, bytes,
                       [&] { return REAL(cudaMallocAsync)(pointer, bytes, stream); });
}
cudaError_t cudaMallocAsync_ptsz(void** pointer, std::size_t bytes, cudaStream_t stream)
{
    return allocate_on({stream, NullStream::per_thread}, pointer, bytes, [&] {
        return REAL_AS(cudaMallocAsync, cudaMallocAsync_ptsz)(pointer, bytes, stream);
    });
}
cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    return allocate_on({stream, NullStream::legacy}, pointer, bytes,
                       [&] { return REAL(cudaMallocFromPoolAsync)(pointer, bytes, pool, stream); });
}
cudaError_t cudaMallocFromPoolAsync_ptsz(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                         cudaStream_t stream)
{
    return allocate_on({stream, NullStream::per_thread}, pointer, bytes, [&] {
        return REAL_AS(cudaMallocFromPoolAsync, cudaMallocFromPoolAsync_ptsz)(pointer, bytes, pool,
                                                                              stream);
    });
}

cudaError_t cudaFree(void* pointer)
{
    return free_with(__func__, pointer, [&] { return REAL(cudaFree)(pointer); });
}
cudaError_t cudaFreeHost(void* pointer)
{
    return free_with(__func__, pointer, [&] { return REAL(cudaFreeHost)(pointer); });
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream)
{
    const StreamName on{stream, NullStream::legacy};
    return free_with(
        __func__, pointer, [&] { return REAL(cudaFreeAsync)(pointer, stream); }, &on);
}
cudaError_t cudaFreeAsync_ptsz(void* pointer, cudaStream_t stream)
{
    const StreamName on{stream, NullStream::per_thread};
    return free_with(
        "cudaFreeAsync", pointer,
        [&] { return REAL_AS(cudaFreeAsync, cudaFreeAsync_ptsz)(pointer, stream); }, &on);
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags)
{
    const cudaError_t result = checked(__func__, REAL(cudaHostRegister)(pointer, bytes, flags));
    if (result == cudaSuccess && Recorder::instance().on())
        Recorder::instance().note_unowned(pointer, bytes, __func__, on_host);
    return result;
}
cudaError_t cudaHostUnregister(void* pointer)
{
    return free_with(__func__, pointer, [&] { return REAL(cudaHostUnregister)(pointer); });
}

// The variable's address may be passed to a kernel.
cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol)
{
    const cudaError_t result = checked(__func__, REAL(cudaGetSymbolAddress)(pointer, symbol));
    Recorder& recorder = Recorder::instance();
    std::size_t bytes = 0;
    if (result == cudaSuccess && recorder.on() &&
        REAL(cudaGetSymbolSize)(&bytes, symbol) == cudaSuccess)
        recorder.note_unowned(*pointer, bytes,
                              fmt::format("variable {}", recorder.symbol_name(symbol)), on_device);
    return result;
}

cudaError_t cudaDeviceReset()
{
    Recorder& recorder = Recorder::instance();
    if (!recorder.on()) return REAL(cudaDeviceReset)();
    recorder.before_reset();
    const cudaError_t result = REAL(cudaDeviceReset)();
    recorder.after_reset();
    return checked(__func__, result);
}

// --- Images ---

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description,
                                    const cudaResourceViewDesc* view)
{
    const cudaError_t result =
        checked(__func__, REAL(cudaCreateTextureObject)(object, resource, description, view));
    if (result == cudaSuccess && Recorder::instance().on())
        Images::instance().made(*object, {*resource, description, view != nullptr});
    return result;
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    Images::instance().destroyed(object, false);
    return checked(__func__, REAL(cudaDestroyTextureObject)(object));
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource)
{
    const cudaError_t result = checked(__func__, REAL(cudaCreateSurfaceObject)(object, resource));
    if (result == cudaSuccess && Recorder::instance().on())
        Images::instance().made(*object, {*resource, nullptr, false});
    return result;
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    Images::instance().destroyed(object, true);
    return checked(__func__, REAL(cudaDestroySurfaceObject)(object));
}

} // extern "C"
