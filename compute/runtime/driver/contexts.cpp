// Devices and contexts. The runtime API works in a device's primary context, so a program may use
// both APIs.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "compute/runtime/driver/driver.h"

namespace lanescope::runtime {

namespace {

constexpr unsigned known_flags = 0xff; // CU_CTX_FLAGS_MASK

bool is_device(const Machine& machine, int device)
{
    return device >= 0 && device < static_cast<int>(machine.devices.size());
}

Context& primary_of(Machine& machine, int device)
{
    return machine.devices[static_cast<std::size_t>(device)].primary;
}

// Answers a query about a device.
template <class Body>
CUresult about_device(const char* name, int device, Body body)
{
    return driver(
        name,
        [&](Machine& machine) {
            return is_device(machine, device) ? body(machine) : cudaErrorInvalidDevice;
        },
        Needs::driver);
}

// Reports what the program has leaked in a context that is being destroyed.
void report_leaks(Machine& machine, const Context& context)
{
    if (context.fault != cudaSuccess || machine.ignores_leaks()) return;
    std::vector<Leaked> leaked;
    for (const auto& [address, each] : machine.memory)
        if (each.context == &context && each.kind != MemoryKind::variable &&
            each.kind != MemoryKind::registered && each.kind != MemoryKind::graphics)
            leaked.push_back({each.bytes, each.call, each.site});
    for (Finding& finding : leak_findings(leaked)) machine.find(std::move(finding));
}

cudaError_t create(Machine& machine, CUcontext* context, unsigned flags, CUdevice device)
{
    if (context == nullptr || (flags & ~known_flags) != 0) return cudaErrorInvalidValue;
    if (!is_device(machine, device)) return cudaErrorInvalidDevice;
    Context& made = machine.make_context(device, flags);
    this_thread().contexts.push_back(&made);
    this_thread().device = device;
    *context = handle_of(made);
    return cudaSuccess;
}

// Pops the thread's context stack; the device of the new top becomes current.
void pop(ThreadState& thread)
{
    thread.contexts.pop_back();
    if (!thread.contexts.empty()) thread.device = thread.contexts.back()->device;
}

cudaError_t release_primary(Machine& machine, int device)
{
    Context& primary = primary_of(machine, device);
    if (primary.retained == 0) return cudaErrorDeviceUninitialized;
    if (--primary.retained > 0 || primary.used_by_runtime) return cudaSuccess;
    report_leaks(machine, primary);
    machine.clear_context(primary, "cuDevicePrimaryCtxRelease");
    primary.used = false;
    return cudaSuccess;
}

} // namespace

} // namespace lanescope::runtime

using namespace lanescope::runtime;

extern "C" {

// --- Devices ---

CUresult cuDeviceGet(CUdevice* device, int ordinal)
{
    return driver(
        __func__,
        [&](Machine& machine) {
            if (device == nullptr) return cudaErrorInvalidValue;
            if (!is_device(machine, ordinal)) return cudaErrorInvalidDevice;
            *device = ordinal;
            return cudaSuccess;
        },
        Needs::driver);
}
CUresult cuDeviceGetCount(int* count)
{
    return driver(
        __func__, [&](Machine&) { return cudaGetDeviceCount(count); }, Needs::driver);
}
CUresult cuDeviceGetName(char* name, int bytes, CUdevice device)
{
    return about_device(__func__, device, [&](Machine&) {
        if (name == nullptr || bytes <= 0) return cudaErrorInvalidValue;
        std::snprintf(name, static_cast<std::size_t>(bytes), "%s", device_name().c_str());
        return cudaSuccess;
    });
}
CUresult cuDeviceGetUuid_v2(CUuuid* id, CUdevice device)
{
    return about_device("cuDeviceGetUuid", device, [&](Machine&) {
        if (id == nullptr) return cudaErrorInvalidValue;
        *id = {};
        id->bytes[15] = static_cast<char>(device);
        return cudaSuccess;
    });
}
CUresult cuDeviceGetUuid(CUuuid* id, CUdevice device)
{
    return cuDeviceGetUuid_v2(id, device);
}
CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device)
{
    return about_device("cuDeviceTotalMem", device, [&](Machine& machine) {
        if (bytes == nullptr) return cudaErrorInvalidValue;
        *bytes = machine.total_memory();
        return cudaSuccess;
    });
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute wanted, CUdevice device)
{
    return about_device(__func__, device, [&](Machine&) {
        return cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(wanted), device);
    });
}
CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device)
{
    return about_device(__func__, device, [&](Machine&) {
        if (major == nullptr || minor == nullptr) return cudaErrorInvalidValue;
        *major = device_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
        *minor = device_attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
        return cudaSuccess;
    });
}
CUresult cuDeviceGetProperties(CUdevprop* is, CUdevice device)
{
    return about_device(__func__, device, [&](Machine&) {
        if (is == nullptr) return cudaErrorInvalidValue;
        *is = {};
        is->maxThreadsPerBlock = device_attribute(1);
        for (int i = 0; i < 3; ++i) is->maxThreadsDim[i] = device_attribute(2 + i);
        for (int i = 0; i < 3; ++i) is->maxGridSize[i] = device_attribute(5 + i);
        is->sharedMemPerBlock = device_attribute(8);
        is->totalConstantMemory = device_attribute(9);
        is->SIMDWidth = device_attribute(10);
        is->memPitch = device_attribute(11);
        is->regsPerBlock = device_attribute(12);
        is->clockRate = device_attribute(13);
        is->textureAlign = device_attribute(14);
        return cudaSuccess;
    });
}
CUresult cuDeviceGetPCIBusId(char* text, int bytes, CUdevice device)
{
    return about_device(__func__, device,
                        [&](Machine&) { return cudaDeviceGetPCIBusId(text, bytes, device); });
}
CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text)
{
    return driver(
        __func__, [&](Machine&) { return cudaDeviceGetByPCIBusId(device, text); }, Needs::driver);
}
CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer)
{
    return driver(
        __func__, [&](Machine&) { return cudaDeviceCanAccessPeer(can, device, peer); },
        Needs::driver);
}
CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute wanted, CUdevice from,
                                 CUdevice to)
{
    return driver(
        __func__,
        [&](Machine&) {
            return cudaDeviceGetP2PAttribute(value, static_cast<cudaDeviceP2PAttr>(wanted), from,
                                             to);
        },
        Needs::driver);
}

// --- Primary contexts ---

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device)
{
    return about_device(__func__, device, [&](Machine& machine) {
        if (context == nullptr) return cudaErrorInvalidValue;
        Context& primary = primary_of(machine, device);
        ++primary.retained;
        primary.used = true;
        *context = handle_of(primary);
        return cudaSuccess;
    });
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    return about_device("cuDevicePrimaryCtxRelease", device,
                        [&](Machine& machine) { return release_primary(machine, device); });
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    return cuDevicePrimaryCtxRelease_v2(device);
}
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
    return about_device("cuDevicePrimaryCtxSetFlags", device, [&](Machine& machine) {
        if ((flags & ~known_flags) != 0) return cudaErrorInvalidValue;
        primary_of(machine, device).flags = flags;
        return cudaSuccess;
    });
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags)
{
    return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active)
{
    return about_device(__func__, device, [&](Machine& machine) {
        if (flags == nullptr || active == nullptr) return cudaErrorInvalidValue;
        const Context& primary = primary_of(machine, device);
        *flags = primary.flags;
        *active = primary.used;
        return cudaSuccess;
    });
}
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    return about_device("cuDevicePrimaryCtxReset", device, [&](Machine& machine) {
        Context& primary = primary_of(machine, device);
        report_leaks(machine, primary);
        machine.clear_context(primary, "cuDevicePrimaryCtxReset");
        primary.used = primary.retained > 0;
        return cudaSuccess;
    });
}
CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
    return cuDevicePrimaryCtxReset_v2(device);
}

// --- Contexts that the program creates ---

CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device)
{
    return driver(
        "cuCtxCreate", [&](Machine& machine) { return create(machine, context, flags, device); },
        Needs::driver);
}
CUresult cuCtxCreate(CUcontext* context, unsigned flags, CUdevice device)
{
    return cuCtxCreate_v2(context, flags, device);
}
CUresult cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam*, int, unsigned flags,
                        CUdevice device)
{
    return cuCtxCreate_v2(context, flags, device);
}
CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams*, unsigned flags, CUdevice device)
{
    return cuCtxCreate_v2(context, flags, device);
}
CUresult cuCtxDestroy_v2(CUcontext handle)
{
    return driver(
        "cuCtxDestroy",
        [&](Machine& machine) {
            Context* const context = context_of(machine, handle);
            if (context == nullptr) return cudaErrorDeviceUninitialized;
            // primary contexts are released, not destroyed
            if (context->number == 0) return cudaErrorDeviceUninitialized;
            report_leaks(machine, *context);
            machine.clear_context(*context, "cuCtxDestroy");
            std::erase_if(machine.events, [&](const Event* event) {
                if (event->context != context) return false;
                delete event;
                return true;
            });
            std::erase_if(machine.streams, [&](const Stream* stream) {
                if (stream->in != context) return false;
                delete stream;
                return true;
            });
            context->destroyed = true;
            ThreadState& thread = this_thread();
            if (!thread.contexts.empty() && thread.contexts.back() == context) pop(thread);
            return cudaSuccess;
        },
        Needs::driver);
}
CUresult cuCtxDestroy(CUcontext context)
{
    return cuCtxDestroy_v2(context);
}

// Contexts are attached once, when they are created: cuCtxAttach is not supported.
CUresult cuCtxDetach(CUcontext context)
{
    return cuCtxDestroy_v2(context);
}

CUresult cuCtxPushCurrent_v2(CUcontext handle)
{
    return driver(
        "cuCtxPushCurrent",
        [&](Machine& machine) {
            Context* const context = context_of(machine, handle);
            if (context == nullptr) return cudaErrorDeviceUninitialized;
            this_thread().contexts.push_back(context);
            this_thread().device = context->device;
            return cudaSuccess;
        },
        Needs::driver);
}
CUresult cuCtxPushCurrent(CUcontext context)
{
    return cuCtxPushCurrent_v2(context);
}
CUresult cuCtxPopCurrent_v2(CUcontext* context)
{
    return driver(
        "cuCtxPopCurrent",
        [&](Machine&) {
            ThreadState& thread = this_thread();
            if (thread.contexts.empty()) return cudaErrorDeviceUninitialized;
            if (context != nullptr) *context = handle_of(*thread.contexts.back());
            pop(thread);
            return cudaSuccess;
        },
        Needs::driver);
}
CUresult cuCtxPopCurrent(CUcontext* context)
{
    return cuCtxPopCurrent_v2(context);
}
CUresult cuCtxSetCurrent(CUcontext handle)
{
    return driver(
        __func__,
        [&](Machine& machine) {
            ThreadState& thread = this_thread();
            if (handle == nullptr) {
                if (!thread.contexts.empty()) pop(thread);
                return cudaSuccess;
            }
            Context* const context = context_of(machine, handle);
            if (context == nullptr) return cudaErrorDeviceUninitialized;
            set_current_context(*context);
            return cudaSuccess;
        },
        Needs::driver);
}
CUresult cuCtxGetCurrent(CUcontext* context)
{
    return driver(
        __func__,
        [&](Machine&) {
            if (context == nullptr) return cudaErrorInvalidValue;
            const ThreadState& thread = this_thread();
            *context = thread.contexts.empty() ? nullptr : handle_of(*thread.contexts.back());
            return cudaSuccess;
        },
        Needs::driver);
}

// --- Queries and settings of the current context ---

CUresult cuCtxGetDevice(CUdevice* device)
{
    return driver(__func__, [&](Machine&) {
        if (device == nullptr) return cudaErrorInvalidValue;
        *device = current_context().device;
        return cudaSuccess;
    });
}
CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext handle)
{
    if (handle == nullptr) return cuCtxGetDevice(device);
    return driver(
        "cuCtxGetDevice",
        [&](Machine& machine) {
            const Context* const context = context_of(machine, handle);
            if (context == nullptr) return cudaErrorDeviceUninitialized;
            if (device == nullptr) return cudaErrorInvalidValue;
            *device = context->device;
            return cudaSuccess;
        },
        Needs::driver);
}
CUresult cuCtxGetFlags(unsigned* flags)
{
    return driver(__func__, [&](Machine&) {
        if (flags == nullptr) return cudaErrorInvalidValue;
        *flags = current_context().flags;
        return cudaSuccess;
    });
}
CUresult cuCtxSetFlags(unsigned flags)
{
    return driver(__func__, [&](Machine&) {
        if ((flags & ~known_flags) != 0) return cudaErrorInvalidValue;
        current_context().flags = flags;
        return cudaSuccess;
    });
}
CUresult cuCtxGetId(CUcontext handle, unsigned long long* id)
{
    return driver(
        __func__,
        [&](Machine& machine) {
            Context* context = context_of(machine, handle);
            if (handle == nullptr && !this_thread().contexts.empty()) context = &current_context();
            if (context == nullptr) return cudaErrorDeviceUninitialized;
            if (id == nullptr) return cudaErrorInvalidValue;
            const auto devices = static_cast<unsigned>(machine.devices.size());
            const auto number = static_cast<unsigned>(context->number);
            *id = number == 0 ? static_cast<unsigned>(context->device) + 1 : devices + number;
            return cudaSuccess;
        },
        Needs::driver);
}
CUresult cuCtxGetApiVersion(CUcontext handle, unsigned* version)
{
    return driver(
        __func__,
        [&](Machine& machine) {
            if (version == nullptr) return cudaErrorInvalidValue;
            const bool known = handle == nullptr ? !this_thread().contexts.empty()
                                                 : context_of(machine, handle) != nullptr;
            if (!known) return cudaErrorDeviceUninitialized;
            *version = 3020;
            return cudaSuccess;
        },
        Needs::driver);
}
CUresult cuCtxSynchronize()
{
    return driver(__func__, [](Machine&) { return cudaDeviceSynchronize(); });
}
CUresult cuCtxSynchronize_v2(CUcontext handle)
{
    if (handle == nullptr) return cuCtxSynchronize();
    return driver(
        "cuCtxSynchronize",
        [&](Machine& machine) {
            Context* const context = context_of(machine, handle);
            if (context == nullptr) return cudaErrorDeviceUninitialized;
            this_thread().contexts.push_back(context);
            const cudaError_t result = cudaDeviceSynchronize();
            this_thread().contexts.pop_back();
            return result;
        },
        Needs::driver);
}
CUresult cuCtxGetLimit(std::size_t* value, CUlimit limit)
{
    return driver(__func__, [&](Machine&) {
        return cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit));
    });
}
CUresult cuCtxSetLimit(CUlimit limit, std::size_t value)
{
    return driver(__func__, [&](Machine&) {
        return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value);
    });
}
CUresult cuCtxGetCacheConfig(CUfunc_cache* config)
{
    return driver(__func__, [&](Machine&) {
        return cudaDeviceGetCacheConfig(reinterpret_cast<cudaFuncCache*>(config));
    });
}
CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    return driver(__func__, [&](Machine&) {
        return cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(config));
    });
}
CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config)
{
    return driver(__func__, [&](Machine&) {
        if (config == nullptr) return cudaErrorInvalidValue;
        *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
        return cudaSuccess;
    });
}
CUresult cuCtxSetSharedMemConfig(CUsharedconfig)
{
    return driver(__func__, [](Machine&) { return cudaSuccess; });
}
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest)
{
    return driver(__func__,
                  [&](Machine&) { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}
CUresult cuCtxResetPersistingL2Cache()
{
    return driver(__func__, [](Machine&) { return cudaSuccess; });
}

CUresult cuCtxEnablePeerAccess(CUcontext handle, unsigned flags)
{
    return driver(__func__, [&](Machine& machine) {
        const Context* const peer = context_of(machine, handle);
        if (peer == nullptr) return cudaErrorDeviceUninitialized;
        if (peer == &current_context()) return cudaErrorPeerAccessUnsupported;
        return cudaDeviceEnablePeerAccess(peer->device, flags);
    });
}
CUresult cuCtxDisablePeerAccess(CUcontext handle)
{
    return driver(__func__, [&](Machine& machine) {
        const Context* const peer = context_of(machine, handle);
        if (peer == nullptr) return cudaErrorDeviceUninitialized;
        return cudaDeviceDisablePeerAccess(peer->device);
    });
}

} // extern "C"
