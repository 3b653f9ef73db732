// Everything that orders work: streams, events, captures, host waits. Also the last error.
#include <cuda_runtime_api.h>

#include "compute/runtime/passing/real.h"
#include "compute/runtime/passing/recorder.h"

using namespace lanescope::runtime::passing;

namespace {

constexpr NullStream legacy = NullStream::legacy, per_thread = NullStream::per_thread;

// Passes `note` to the recorder if the call succeeds.
template <class Note>
cudaError_t pass(const char* name, cudaError_t result, Note note)
{
    Recorder& recorder = Recorder::instance();
    if (!recorder.on()) return result;
    if (result == cudaSuccess)
        note(recorder);
    else
        recorder.failed(name, result);
    return result;
}

cudaError_t made(const char* name, cudaError_t result, const cudaStream_t* stream, unsigned flags)
{
    return pass(name, result, [&](Recorder& recorder) {
        recorder.made(*stream, (flags & cudaStreamNonBlocking) == 0);
    });
}

} // namespace

// Defines a function that queues work or waits, under its two names, together with its record.
#define ON_STREAM(name, suffix, parameters, arguments, noted)                                      \
    cudaError_t name parameters                                                                    \
    {                                                                                              \
        constexpr NullStream null_stream = legacy;                                                 \
        return pass(#name, REAL(name) arguments, [&](Recorder& recorder) { recorder.noted; });     \
    }                                                                                              \
    cudaError_t name##suffix parameters                                                            \
    {                                                                                              \
        constexpr NullStream null_stream = per_thread;                                             \
        return pass(#name, REAL_AS(name, name##suffix) arguments,                                  \
                    [&](Recorder& recorder) { recorder.noted; });                                  \
    }

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream)
{
    return made(__func__, REAL(cudaStreamCreate)(stream), stream, cudaStreamDefault);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags)
{
    return made(__func__, REAL(cudaStreamCreateWithFlags)(stream, flags), stream, flags);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority)
{
    return made(__func__, REAL(cudaStreamCreateWithPriority)(stream, flags, priority), stream,
                flags);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return pass(__func__, REAL(cudaStreamDestroy)(stream),
                [&](Recorder& recorder) { recorder.destroyed(stream); });
}

ON_STREAM(cudaStreamSynchronize, _ptsz, (cudaStream_t stream), (stream),
          host_waits(StreamName{stream, null_stream}))
ON_STREAM(cudaStreamQuery, _ptsz, (cudaStream_t stream), (stream),
          host_waits(StreamName{stream, null_stream}))
ON_STREAM(cudaStreamWaitEvent, _ptsz, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
          (stream, event, flags), waits(StreamName{stream, null_stream}, event))
ON_STREAM(cudaEventRecord, _ptsz, (cudaEvent_t event, cudaStream_t stream), (event, stream),
          recorded(event, StreamName{stream, null_stream}))
ON_STREAM(cudaEventRecordWithFlags, _ptsz, (cudaEvent_t event, cudaStream_t stream, unsigned flags),
          (event, stream, flags), recorded(event, StreamName{stream, null_stream}))

ON_STREAM(cudaLaunchHostFunc, _ptsz, (cudaStream_t stream, cudaHostFn_t function, void* data),
          (stream, function, data), queued(StreamName{stream, null_stream}))
ON_STREAM(cudaStreamAddCallback, _ptsz,
          (cudaStream_t stream, cudaStreamCallback_t function, void* data, unsigned flags),
          (stream, function, data, flags), queued(StreamName{stream, null_stream}))
ON_STREAM(cudaMemset, _ptds, (void* to, int value, std::size_t bytes), (to, value, bytes),
          queued(StreamName{nullptr, null_stream}))
ON_STREAM(cudaMemsetAsync, _ptsz, (void* to, int value, std::size_t bytes, cudaStream_t stream),
          (to, value, bytes, stream), queued(StreamName{stream, null_stream}))
ON_STREAM(cudaMemset2D, _ptds,
          (void* to, std::size_t pitch, int value, std::size_t width, std::size_t height),
          (to, pitch, value, width, height), queued(StreamName{nullptr, null_stream}))
ON_STREAM(cudaMemset2DAsync, _ptsz,
          (void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
           cudaStream_t stream),
          (to, pitch, value, width, height, stream), queued(StreamName{stream, null_stream}))
ON_STREAM(cudaMemset3D, _ptds, (cudaPitchedPtr to, int value, cudaExtent extent),
          (to, value, extent), queued(StreamName{nullptr, null_stream}))
ON_STREAM(cudaMemset3DAsync, _ptsz,
          (cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream),
          (to, value, extent, stream), queued(StreamName{stream, null_stream}))

cudaError_t cudaDeviceSynchronize()
{
    return pass(__func__, REAL(cudaDeviceSynchronize)(),
                [](Recorder& recorder) { recorder.host_waits_for_device(); });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return pass(__func__, REAL(cudaEventSynchronize)(event),
                [&](Recorder& recorder) { recorder.host_waits(event); });
}
cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return pass(__func__, REAL(cudaEventQuery)(event),
                [&](Recorder& recorder) { recorder.host_waits(event); });
}
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return pass(__func__, REAL(cudaEventDestroy)(event),
                [&](Recorder& recorder) { recorder.forget(event); });
}

// --- Stream capture ---

#define BEGINS_CAPTURE(name, parameters, arguments)                                                \
    cudaError_t name parameters                                                                    \
    {                                                                                              \
        return pass(#name, REAL(name) arguments,                                                   \
                    [&](Recorder& recorder) { recorder.begin_capture(stream); });                  \
    }                                                                                              \
    cudaError_t name##_ptsz parameters                                                             \
    {                                                                                              \
        return pass(#name, REAL_AS(name, name##_ptsz) arguments,                                   \
                    [&](Recorder& recorder) { recorder.begin_capture(stream); });                  \
    }
BEGINS_CAPTURE(cudaStreamBeginCapture, (cudaStream_t stream, cudaStreamCaptureMode mode),
               (stream, mode))
BEGINS_CAPTURE(cudaStreamBeginCaptureToGraph,
               (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* before,
                const cudaGraphEdgeData* edges, std::size_t count, cudaStreamCaptureMode mode),
               (stream, graph, before, edges, count, mode))

// Ends captures that were invalidated, too.
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph)
{
    const cudaError_t result = REAL(cudaStreamEndCapture)(stream, graph);
    if (Recorder::instance().on()) Recorder::instance().end_capture(stream);
    return checked(__func__, result);
}
cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t* graph)
{
    const cudaError_t result =
        REAL_AS(cudaStreamEndCapture, cudaStreamEndCapture_ptsz)(stream, graph);
    if (Recorder::instance().on()) Recorder::instance().end_capture(stream);
    return checked("cudaStreamEndCapture", result);
}

// --- Errors ---

// Other frequently called functions, of which only errors are recorded.
#define CHECKED(name, parameters, arguments)                                                       \
    cudaError_t name parameters                                                                    \
    {                                                                                              \
        return checked(#name, REAL(name) arguments);                                               \
    }
CHECKED(cudaGetDeviceCount, (int* count), (count))
CHECKED(cudaSetDevice, (int device), (device))
CHECKED(cudaDeviceEnablePeerAccess, (int device, unsigned flags), (device, flags))
CHECKED(cudaEventCreate, (cudaEvent_t * event), (event))
CHECKED(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), (event, flags))
CHECKED(cudaEventElapsedTime, (float* ms, cudaEvent_t begin, cudaEvent_t end), (ms, begin, end))
CHECKED(cudaMallocArray,
        (cudaArray_t * array, const cudaChannelFormatDesc* channels, std::size_t width,
         std::size_t height, unsigned flags),
        (array, channels, width, height, flags))
CHECKED(cudaMalloc3DArray,
        (cudaArray_t * array, const cudaChannelFormatDesc* channels, cudaExtent extent,
         unsigned flags),
        (array, channels, extent, flags))
CHECKED(cudaFuncSetAttribute, (const void* function, cudaFuncAttribute attribute, int value),
        (function, attribute, value))
CHECKED(cudaGraphInstantiate,
        (cudaGraphExec_t * executable, cudaGraph_t graph, unsigned long long flags),
        (executable, graph, flags))

cudaError_t cudaGetLastError()
{
    const cudaError_t error = REAL(cudaGetLastError)();
    if (Recorder::instance().on()) Recorder::instance().checked_last_error(__func__, error);
    return error;
}
cudaError_t cudaPeekAtLastError()
{
    const cudaError_t error = REAL(cudaPeekAtLastError)();
    if (Recorder::instance().on()) Recorder::instance().checked_last_error(__func__, error);
    return error;
}

} // extern "C"
