// Shared by all functions of the driver API: errors, initialisation, handles, context rules.
#include "compute/runtime/driver/driver.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include <dlfcn.h>

#include "compute/runtime/host_arena.h"

namespace lanescope::runtime {

namespace {

std::atomic<bool> initialised = false;

} // namespace

const char* driver_error_name(int error)
{
    switch (error) {
#define ERROR(name)                                                                                \
    case name:                                                                                     \
        return #name;
#include "compute/runtime/driver/errors.def"
#undef ERROR
    default: return nullptr;
    }
}

// The numbers agree except for errors that only the runtime has.
CUresult driver_result(cudaError_t error)
{
    if (error == cudaErrorInvalidSymbol) return CUDA_ERROR_NOT_FOUND;
    if (error == cudaErrorInvalidDeviceFunction) return CUDA_ERROR_INVALID_HANDLE;
    if (driver_error_name(error) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return static_cast<CUresult>(error);
}

cudaError_t driver_prepared(Machine& machine, Needs needs)
{
    if (needs == Needs::nothing) return cudaSuccess;
    ThreadState& thread = this_thread();
    if (thread.in_host_function) return cudaErrorNotPermitted;
    // The runtime may have initialised the driver, on its first call.
    const bool by_runtime = std::ranges::any_of(
        machine.devices, [](const SimulatedDevice& each) { return each.primary.used; });
    if (!initialised && !by_runtime) return cudaErrorInitializationError;
    if (needs == Needs::driver) return cudaSuccess;
    if (thread.contexts.empty()) return cudaErrorDeviceUninitialized;
    const Context& context = *thread.contexts.back();
    if (context.destroyed) return cudaErrorContextIsDestroyed;
    return cudaSuccess;
}

Context* context_of(Machine& machine, CUcontext handle)
{
    auto* const context = reinterpret_cast<Context*>(handle);
    return machine.is_context(context) ? context : nullptr;
}

Module* module_of(Machine& machine, const void* handle)
{
    for (const auto& module : machine.modules)
        if (module.get() == handle && (module->context != nullptr || module->library))
            return module.get();
    return nullptr;
}

Function* function_of(Machine& machine, CUfunction handle)
{
    auto* const function = reinterpret_cast<Function*>(handle);
    return machine.handles.contains(function) ? function : nullptr;
}

} // namespace lanescope::runtime

using namespace lanescope::runtime;

extern "C" {

CUresult cuInit(unsigned flags)
{
    return driver(
        __func__,
        [&](Machine&) {
            if (flags != 0) return cudaErrorInvalidValue;
            initialised = true;
            return cudaSuccess;
        },
        Needs::nothing);
}

CUresult cuDriverGetVersion(int* version)
{
    return driver(
        __func__, [&](Machine&) { return cudaDriverGetVersion(version); }, Needs::nothing);
}

CUresult cuGetErrorName(CUresult error, const char** name)
{
    this_thread().unchecked_error.reset();
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *name = driver_error_name(error);
    return *name == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** text)
{
    this_thread().unchecked_error.reset();
    if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const bool known = driver_error_name(error) != nullptr;
    *text = known ? error_text(static_cast<cudaError_t>(error)) : nullptr;
    return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuProfilerStart()
{
    return CUDA_SUCCESS;
}
CUresult cuProfilerStop()
{
    return CUDA_SUCCESS;
}

// The static runtime needs these tables, so programs that link it stop here. NVIDIA's compilers
// also request the tables, but work without them.
CUresult cuGetExportTable(const void** table, const CUuuid*)
{
    if (table != nullptr) *table = nullptr;
    const auto callers = CallSite::here().resolved();
    for (const char* compiler : {"libnvrtc", "libnvJitLink", "libnvptxcompiler", "libnvidia"})
        if (!callers.empty() && callers.front().file.find(compiler) != std::string::npos)
            return CUDA_ERROR_NOT_FOUND;
    Report::instance().missing(
        "cuGetExportTable",
        "The program asks the driver for NVIDIA's private tables, as the static CUDA runtime "
        "does. Build it with nvcc -cudart shared.");
    return CUDA_ERROR_NOT_FOUND;
}

} // extern "C"

// --- Functions by name ---

namespace {

struct EntryPoint {
    const char* name;
    const char* function;
    int version;
};
constexpr EntryPoint entry_points[] = {
#define ENTRY(name, function, version) {#name, #function, version},
#include "compute/runtime/driver/entry_points.def"
#undef ENTRY
};

// Handle of this library, under whatever name it was loaded.
void* own_library()
{
    static void* const library = [] {
        Dl_info info{};
        dladdr(reinterpret_cast<const void*>(&cuInit), &info);
        return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    }();
    return library;
}

void* find_own(const std::string& name)
{
    return own_library() == nullptr ? nullptr : dlsym(own_library(), name.c_str());
}

} // namespace

extern "C" {

CUresult cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status)
{
    if (name == nullptr || function == nullptr || flags > 2) return CUDA_ERROR_INVALID_VALUE;
    *function = nullptr;
    const EntryPoint* best = nullptr;
    bool known = false;
    for (const EntryPoint& each : entry_points) {
        if (std::strcmp(each.name, name) != 0) continue;
        known = true;
        if (each.version <= version) best = &each;
    }
    if (best != nullptr) {
        const std::string found = best->function;
        if ((flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0)
            for (const char* suffix : {"_ptsz", "_ptds"})
                if (*function == nullptr) *function = find_own(found + suffix);
        if (*function == nullptr) *function = find_own(found);
    }
    const bool found = *function != nullptr;
    if (status != nullptr)
        *status = found   ? CU_GET_PROC_ADDRESS_SUCCESS
                  : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                          : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    // Callers that pass a status pointer get the answer there; only other callers get an error.
    return found || status != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
CUresult cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags)
{
    return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

// --- The runtime's counterpart ---

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* status)
{
    return call(Call::plain, "cudaGetDriverEntryPoint", [&](Machine&) {
        if (name == nullptr || function == nullptr || flags > 2) return cudaErrorInvalidValue;
        CUdriverProcAddressQueryResult answer{};
        cuGetProcAddress_v2(name, function, static_cast<int>(version), flags, &answer);
        if (status != nullptr) *status = static_cast<cudaDriverEntryPointQueryResult>(answer);
        return cudaSuccess;
    });
}
cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status)
{
    return cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags, status);
}

} // extern "C"
