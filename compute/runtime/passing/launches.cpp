// Launches, and the registration calls of nvcc-generated code.
#include <cuda_runtime_api.h>

#include "compute/runtime/passing/kept_launch.h"
#include "compute/runtime/passing/real.h"
#include "compute/runtime/passing/recorder.h"

using namespace lanescope::runtime;
using namespace lanescope::runtime::passing;

namespace {

lanescope::Dim3 size_of(dim3 size)
{
    return {size.x, size.y, size.z};
}

struct Request {
    const void* function = nullptr;
    dim3 grid{}, block{};
    std::size_t shared_bytes = 0;
    void** arguments = nullptr;
    StreamName stream{};
    bool cooperative = false;
};

template <class Call>
cudaError_t pass(const Request& request, const char* name, Call call)
{
    Recorder& recorder = Recorder::instance();
    if (!recorder.on()) return call();
    if (recorder.is_full()) {
        const cudaError_t result = call();
        if (result == cudaSuccess)
            recorder.count();
        else
            recorder.failed(name, result, recorder.function(request.function));
        return result;
    }
    LaunchNote note{.grid = size_of(request.grid),
                    .block = size_of(request.block),
                    .shared_bytes = request.shared_bytes,
                    .cooperative = request.cooperative};
    KeptLaunch kept(recorder.function(request.function), request.arguments, request.stream);
    note.kept = kept.keep();
    Recorder::Passing passing = recorder.begin(request.stream);
    const cudaError_t result = call();
    if (result != cudaSuccess) {
        recorder.abandon(passing);
        recorder.failed(name, result, recorder.function(request.function));
        return result;
    }
    if (!note.kept.is_null()) kept.note_written(note.kept);
    note.function = recorder.launched_function(request.function);
    recorder.end(passing, std::move(note));
    return result;
}

Request request_of(const cudaLaunchConfig_t& config, const void* function, void** arguments,
                   NullStream null_stream)
{
    Request request{function,        config.gridDim,
                    config.blockDim, config.dynamicSmemBytes,
                    arguments,       {config.stream, null_stream}};
    for (unsigned i = 0; i < config.numAttrs; ++i)
        if (config.attrs[i].id == cudaLaunchAttributeCooperative)
            request.cooperative = config.attrs[i].val.cooperative != 0;
    return request;
}

} // namespace

// Defines a launch function under its plain name and its name for per-thread default streams.
#define LAUNCH(name, pointer, is_cooperative, called)                                              \
    cudaError_t name(pointer function, dim3 grid, dim3 block, void** arguments,                    \
                     std::size_t shared, cudaStream_t stream)                                      \
    {                                                                                              \
        return pass({function,                                                                     \
                     grid,                                                                         \
                     block,                                                                        \
                     shared,                                                                       \
                     arguments,                                                                    \
                     {stream, NullStream::legacy},                                                 \
                     is_cooperative},                                                              \
                    called,                                                                        \
                    [&] { return REAL(name)(function, grid, block, arguments, shared, stream); }); \
    }                                                                                              \
    cudaError_t name##_ptsz(pointer function, dim3 grid, dim3 block, void** arguments,             \
                            std::size_t shared, cudaStream_t stream)                               \
    {                                                                                              \
        return pass({function,                                                                     \
                     grid,                                                                         \
                     block,                                                                        \
                     shared,                                                                       \
                     arguments,                                                                    \
                     {stream, NullStream::per_thread},                                             \
                     is_cooperative},                                                              \
                    called, [&] {                                                                  \
                        return REAL_AS(name, name##_ptsz)(function, grid, block, arguments,        \
                                                          shared, stream);                         \
                    });                                                                            \
    }

extern "C" {

cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t);
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*);
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*,
                            dim3*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, std::size_t, int, int);

LAUNCH(cudaLaunchKernel, const void*, false, "cudaLaunchKernel")
LAUNCH(__cudaLaunchKernel, cudaKernel_t, false, "cudaLaunchKernel")
LAUNCH(cudaLaunchCooperativeKernel, const void*, true, "cudaLaunchCooperativeKernel")

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments)
{
    if (config == nullptr) return REAL(cudaLaunchKernelExC)(config, function, arguments);
    return pass(request_of(*config, function, arguments, NullStream::legacy), "cudaLaunchKernelEx",
                [&] { return REAL(cudaLaunchKernelExC)(config, function, arguments); });
}
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* config, const void* function,
                                     void** arguments)
{
    const auto real = REAL_AS(cudaLaunchKernelExC, cudaLaunchKernelExC_ptsz);
    if (config == nullptr) return real(config, function, arguments);
    return pass(request_of(*config, function, arguments, NullStream::per_thread),
                "cudaLaunchKernelEx", [&] { return real(config, function, arguments); });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream)
{
    const cudaError_t result = checked(__func__, REAL(cudaGraphLaunch)(graph, stream));
    Recorder& recorder = Recorder::instance();
    if (result == cudaSuccess && recorder.on())
        recorder.graph_launched({stream, NullStream::legacy});
    return result;
}
cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t graph, cudaStream_t stream)
{
    const cudaError_t result =
        checked("cudaGraphLaunch", REAL_AS(cudaGraphLaunch, cudaGraphLaunch_ptsz)(graph, stream));
    Recorder& recorder = Recorder::instance();
    if (result == cudaSuccess && recorder.on())
        recorder.graph_launched({stream, NullStream::per_thread});
    return result;
}

// --- Before main() ---

void** __cudaRegisterFatBinary(void* wrapper)
{
    void** const handle = REAL(__cudaRegisterFatBinary)(wrapper);
    if (Recorder::instance().on()) Recorder::instance().registered(handle, wrapper);
    return handle;
}

void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name,
                            int limit, uint3* thread, uint3* block_index, dim3* block, dim3* grid,
                            int* warp)
{
    REAL(__cudaRegisterFunction)
    (handle, host, device, name, limit, thread, block_index, block, grid, warp);
    if (Recorder::instance().on()) Recorder::instance().registered_function(handle, host, name);
}

void __cudaRegisterVar(void** handle, char* host, char* device, const char* name, int is_extern,
                       std::size_t bytes, int constant, int global)
{
    REAL(__cudaRegisterVar)(handle, host, device, name, is_extern, bytes, constant, global);
    if (Recorder::instance().on())
        Recorder::instance().registered_symbol(handle, host, {name, constant != 0});
}

void __cudaRegisterManagedVar(void** handle, void** pointer, char* device, const char* name,
                              int is_extern, std::size_t bytes, int constant, int global)
{
    REAL(__cudaRegisterManagedVar)
    (handle, pointer, device, name, is_extern, bytes, constant, global);
    if (Recorder::instance().on())
        Recorder::instance().registered_symbol(handle, pointer, {name, constant != 0});
}

// --- Kernel handles ---

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host)
{
    const cudaError_t result = checked("cudaGetKernel", REAL(__cudaGetKernel)(kernel, host));
    if (result == cudaSuccess && Recorder::instance().on())
        Recorder::instance().note_handle(*kernel, host);
    return result;
}
cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* host)
{
    const cudaError_t result = checked(__func__, REAL(cudaGetKernel)(kernel, host));
    if (result == cudaSuccess && Recorder::instance().on())
        Recorder::instance().note_handle(*kernel, host);
    return result;
}
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* host)
{
    const cudaError_t result = checked(__func__, REAL(cudaGetFuncBySymbol)(function, host));
    if (result == cudaSuccess && Recorder::instance().on())
        Recorder::instance().note_handle(*function, host);
    return result;
}

} // extern "C"
