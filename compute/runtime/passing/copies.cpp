// Copies: each form of the API, with the data that the report records about it.
#include <cuda_runtime_api.h>

#include "compute/runtime/passing/real.h"
#include "compute/runtime/passing/recorder.h"

using namespace lanescope::runtime;
using namespace lanescope::runtime::passing;

namespace {

// One end of a copy. Arrays and variables are on the device.
struct End {
    const void* pointer = nullptr;
    bool on_device = false;
};
End at(const void* pointer)
{
    return {pointer, false};
}
End device_end()
{
    return {nullptr, true};
}
End end_of(cudaArray_t array, const cudaPitchedPtr& pointer)
{
    return array != nullptr ? device_end() : at(pointer.ptr);
}

End target_of(const cudaMemcpy3DParms* copy)
{
    return copy == nullptr ? End() : end_of(copy->dstArray, copy->dstPtr);
}
End source_of(const cudaMemcpy3DParms* copy)
{
    return copy == nullptr ? End() : end_of(copy->srcArray, copy->srcPtr);
}
cudaMemcpyKind kind_of(const cudaMemcpy3DParms* copy)
{
    return copy == nullptr ? cudaMemcpyDefault : copy->kind;
}

struct Copy {
    const char* call = "";
    End to{}, from{};
    std::uint64_t bytes = 0;
    cudaMemcpyKind kind = cudaMemcpyDefault;
    StreamName stream{};
    bool waits = false;
    // Overrides the byte counts; read only after the call has accepted the descriptor.
    const cudaMemcpy3DParms* volume = nullptr;
    const cudaMemcpy3DPeerParms* between = nullptr;
};

const char* direction_of(const Copy& copy)
{
    Recorder& recorder = Recorder::instance();
    const bool between = copy.kind == cudaMemcpyDeviceToDevice;
    const bool from_device = between || copy.kind == cudaMemcpyDeviceToHost ||
                             copy.from.on_device || recorder.is_device(copy.from.pointer);
    const bool to_device = between || copy.kind == cudaMemcpyHostToDevice || copy.to.on_device ||
                           recorder.is_device(copy.to.pointer);
    if (from_device) return to_device ? "device to device" : "device to host";
    return to_device ? "host to device" : "host to host";
}

// Copies of pageable memory make the host wait.
bool is_pageable(const End& end)
{
    return !end.on_device && !Recorder::instance().is_known(end.pointer);
}

// Arrays are measured in elements, linear memory in bytes.
template <class Parameters>
std::uint64_t volume_bytes(const Parameters& copy)
{
    std::size_t element = 1;
    for (cudaArray_t array : {copy.srcArray, copy.dstArray}) {
        cudaChannelFormatDesc channels{};
        if (array != nullptr && REAL(cudaGetChannelDesc)(&channels, array) == cudaSuccess)
            element =
                static_cast<std::size_t>(channels.x + channels.y + channels.z + channels.w) / 8;
    }
    return copy.extent.width * copy.extent.height * copy.extent.depth * element;
}

std::uint64_t bytes_of(const Copy& copy)
{
    if (copy.volume != nullptr) return volume_bytes(*copy.volume);
    return copy.between != nullptr ? volume_bytes(*copy.between) : copy.bytes;
}

template <class Call>
cudaError_t pass(const Copy& copy, Call call)
{
    Recorder& recorder = Recorder::instance();
    if (!recorder.on()) return call();
    if (recorder.is_full()) {
        const cudaError_t result = checked(copy.call, call());
        if (result == cudaSuccess) recorder.count();
        return result;
    }
    Recorder::Passing passing = recorder.begin(copy.stream);
    const cudaError_t result = checked(copy.call, call());
    const std::uint64_t bytes = result == cudaSuccess ? bytes_of(copy) : 0;
    if (bytes == 0)
        recorder.abandon(passing);
    else
        recorder.end(passing, CopyNote{copy.call, direction_of(copy), bytes},
                     copy.waits || is_pageable(copy.to) || is_pageable(copy.from));
    return result;
}

constexpr cudaStream_t no_stream = nullptr;
constexpr bool host_waits = true, host_continues = false;

} // namespace

// Defines a function under its plain and per-thread names; the parts of a Copy follow `arguments`.
#define COPY(name, suffix, parameters, arguments, ...)                                             \
    cudaError_t name parameters                                                                    \
    {                                                                                              \
        constexpr NullStream null_stream = NullStream::legacy;                                     \
        return pass({#name, __VA_ARGS__}, [&] { return REAL(name) arguments; });                   \
    }                                                                                              \
    cudaError_t name##suffix parameters                                                            \
    {                                                                                              \
        constexpr NullStream null_stream = NullStream::per_thread;                                 \
        return pass({#name, __VA_ARGS__}, [&] { return REAL_AS(name, name##suffix) arguments; });  \
    }
#define ON(stream)                                                                                 \
    {                                                                                              \
        stream, null_stream                                                                        \
    }

extern "C" {

COPY(cudaMemcpy, _ptds, (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind),
     (to, from, bytes, kind), at(to), at(from), bytes, kind, ON(no_stream), host_waits)
COPY(cudaMemcpyAsync, _ptsz,
     (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),
     (to, from, bytes, kind, stream), at(to), at(from), bytes, kind, ON(stream), host_continues)

COPY(cudaMemcpy2D, _ptds,
     (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
      std::size_t height, cudaMemcpyKind kind),
     (to, to_pitch, from, from_pitch, width, height, kind), at(to), at(from), width* height, kind,
     ON(no_stream), host_waits)
COPY(cudaMemcpy2DAsync, _ptsz,
     (void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
      std::size_t height, cudaMemcpyKind kind, cudaStream_t stream),
     (to, to_pitch, from, from_pitch, width, height, kind, stream), at(to), at(from), width* height,
     kind, ON(stream), host_continues)
COPY(cudaMemcpy2DToArray, _ptds,
     (cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
      std::size_t width, std::size_t height, cudaMemcpyKind kind),
     (to, x, y, from, pitch, width, height, kind), device_end(), at(from), width* height, kind,
     ON(no_stream), host_waits)
COPY(cudaMemcpy2DToArrayAsync, _ptsz,
     (cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
      std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream),
     (to, x, y, from, pitch, width, height, kind, stream), device_end(), at(from), width* height,
     kind, ON(stream), host_continues)
COPY(cudaMemcpy2DFromArray, _ptds,
     (void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y,
      std::size_t width, std::size_t height, cudaMemcpyKind kind),
     (to, pitch, from, x, y, width, height, kind), at(to), device_end(), width* height, kind,
     ON(no_stream), host_waits)
COPY(cudaMemcpy2DFromArrayAsync, _ptsz,
     (void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y,
      std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t stream),
     (to, pitch, from, x, y, width, height, kind, stream), at(to), device_end(), width* height,
     kind, ON(stream), host_continues)
COPY(cudaMemcpy2DArrayToArray, _ptds,
     (cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_const_t from,
      std::size_t from_x, std::size_t from_y, std::size_t width, std::size_t height,
      cudaMemcpyKind kind),
     (to, to_x, to_y, from, from_x, from_y, width, height, kind), device_end(), device_end(),
     width* height, kind, ON(no_stream), host_waits)
COPY(cudaMemcpyToArray, _ptds,
     (cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t bytes,
      cudaMemcpyKind kind),
     (to, x, y, from, bytes, kind), device_end(), at(from), bytes, kind, ON(no_stream), host_waits)
COPY(cudaMemcpyFromArray, _ptds,
     (void* to, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t bytes,
      cudaMemcpyKind kind),
     (to, from, x, y, bytes, kind), at(to), device_end(), bytes, kind, ON(no_stream), host_waits)

COPY(cudaMemcpy3D, _ptds, (const cudaMemcpy3DParms* copy), (copy), target_of(copy), source_of(copy),
     0, kind_of(copy), ON(no_stream), host_waits, copy)
COPY(cudaMemcpy3DAsync, _ptsz, (const cudaMemcpy3DParms* copy, cudaStream_t stream), (copy, stream),
     target_of(copy), source_of(copy), 0, kind_of(copy), ON(stream), host_continues, copy)
COPY(cudaMemcpy3DPeer, _ptds, (const cudaMemcpy3DPeerParms* copy), (copy), device_end(),
     device_end(), 0, cudaMemcpyDeviceToDevice, ON(no_stream), host_waits, nullptr, copy)
COPY(cudaMemcpy3DPeerAsync, _ptsz, (const cudaMemcpy3DPeerParms* copy, cudaStream_t stream),
     (copy, stream), device_end(), device_end(), 0, cudaMemcpyDeviceToDevice, ON(stream),
     host_continues, nullptr, copy)

COPY(cudaMemcpyToSymbol, _ptds,
     (const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
      cudaMemcpyKind kind),
     (symbol, from, bytes, offset, kind), device_end(), at(from), bytes, kind, ON(no_stream),
     host_waits)
COPY(cudaMemcpyToSymbolAsync, _ptsz,
     (const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
      cudaMemcpyKind kind, cudaStream_t stream),
     (symbol, from, bytes, offset, kind, stream), device_end(), at(from), bytes, kind, ON(stream),
     host_continues)
COPY(cudaMemcpyFromSymbol, _ptds,
     (void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind),
     (to, symbol, bytes, offset, kind), at(to), device_end(), bytes, kind, ON(no_stream),
     host_waits)
COPY(cudaMemcpyFromSymbolAsync, _ptsz,
     (void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
      cudaStream_t stream),
     (to, symbol, bytes, offset, kind, stream), at(to), device_end(), bytes, kind, ON(stream),
     host_continues)

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           std::size_t bytes)
{
    return pass({__func__, at(to), at(from), bytes, cudaMemcpyDeviceToDevice, {}, host_waits},
                [&] { return REAL(cudaMemcpyPeer)(to, to_device, from, from_device, bytes); });
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream)
{
    return pass(
        {__func__, at(to), at(from), bytes, cudaMemcpyDeviceToDevice, {stream}, false},
        [&] { return REAL(cudaMemcpyPeerAsync)(to, to_device, from, from_device, bytes, stream); });
}

} // extern "C"
