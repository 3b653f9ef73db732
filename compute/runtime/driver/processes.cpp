// Memory and events that processes share (cudaIpc…): unsupported, because each process simulates
// devices of its own.
#include <fmt/format.h>

#include "compute/runtime/driver/driver.h"

namespace lanescope::runtime {

namespace {

cudaError_t refuse_sharing(const char* name)
{
    return call(Call::plain, name, [&](Machine&) {
        const bool is_runtime_call = this_thread().driver_call == nullptr;
        Report::instance().missing(
            "sharing between processes",
            fmt::format("The program calls {}, which returns {}: on the lockstep machine, each "
                        "process has devices of its own, and processes share neither memory nor "
                        "events. Let threads or streams of one process do the work, copy through "
                        "memory of the host, or run the program on a GPU with --device cuda.",
                        called_as(name),
                        is_runtime_call ? "cudaErrorNotSupported" : "CUDA_ERROR_NOT_SUPPORTED"),
            true);
        return cudaErrorNotSupported;
    });
}

CUresult refuse_sharing_by_driver(const char* name)
{
    return driver(name, [&](Machine&) { return refuse_sharing(name); });
}

} // namespace

} // namespace lanescope::runtime

using namespace lanescope::runtime;

extern "C" {

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t*, void*)
{
    return refuse_sharing(__func__);
}
cudaError_t cudaIpcOpenMemHandle(void**, cudaIpcMemHandle_t, unsigned)
{
    return refuse_sharing(__func__);
}
cudaError_t cudaIpcCloseMemHandle(void*)
{
    return refuse_sharing(__func__);
}
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t*, cudaEvent_t)
{
    return refuse_sharing(__func__);
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t*, cudaIpcEventHandle_t)
{
    return refuse_sharing(__func__);
}

CUresult cuIpcGetMemHandle(CUipcMemHandle*, CUdeviceptr)
{
    return refuse_sharing_by_driver(__func__);
}
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr*, CUipcMemHandle, unsigned)
{
    return refuse_sharing_by_driver("cuIpcOpenMemHandle");
}
CUresult cuIpcOpenMemHandle(CUdeviceptr*, CUipcMemHandle, unsigned)
{
    return refuse_sharing_by_driver(__func__);
}
CUresult cuIpcCloseMemHandle(CUdeviceptr)
{
    return refuse_sharing_by_driver(__func__);
}
CUresult cuIpcGetEventHandle(CUipcEventHandle*, CUevent)
{
    return refuse_sharing_by_driver(__func__);
}
CUresult cuIpcOpenEventHandle(CUevent*, CUipcEventHandle)
{
    return refuse_sharing_by_driver(__func__);
}

} // extern "C"
