// The simulated devices: their count, the current one, their properties and peer access.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "compute/runtime/work.h"

using namespace lanescope::runtime;

namespace {

bool is_device(const Machine& machine, int device)
{
    return device >= 0 && device < static_cast<int>(machine.devices.size());
}

bool attribute(int number, int& value)
{
    namespace counting = lanescope::counting;
    const counting::Gpu& gpu = simulated_gpu();
    const counting::MultiprocessorLimits& sm = gpu.limits();
    switch (number) {
#define ATTRIBUTE(known, known_value)                                                              \
    case known:                                                                                    \
        value = known_value;                                                                       \
        return true;
#include "compute/runtime/attributes.def"
#undef ATTRIBUTE
    default: return false;
    }
}

std::size_t initial_limit(cudaLimit limit)
{
    switch (limit) {
    case cudaLimitStackSize: return 1024;
    case cudaLimitPrintfFifoSize: return std::size_t{7} << 20;
    case cudaLimitMallocHeapSize: return std::size_t{8} << 20;
    case cudaLimitDevRuntimeSyncDepth: return 2;
    case cudaLimitDevRuntimePendingLaunchCount: return 2048;
    case cudaLimitMaxL2FetchGranularity: return 64;
    default: return 0;
    }
}

} // namespace

int lanescope::runtime::device_attribute(int number)
{
    int value = 0;
    attribute(number, value);
    return value;
}

const lanescope::counting::Gpu& lanescope::runtime::simulated_gpu()
{
    return *Machine::instance().simt().options().gpu;
}

std::string lanescope::runtime::device_name()
{
    return fmt::format("Lanescope lockstep machine (simulates {})", simulated_gpu().with_article());
}

std::size_t lanescope::runtime::limit_of(const Context& context, cudaLimit limit)
{
    const std::size_t set = context.limits[limit];
    return set == 0 ? initial_limit(limit) : set;
}

extern "C" {

cudaError_t cudaGetDeviceCount(int* count)
{
    return call(Call::plain, __func__, [&](Machine& machine) {
        if (count == nullptr) return cudaErrorInvalidValue;
        *count = static_cast<int>(machine.devices.size());
        return cudaSuccess;
    });
}

cudaError_t cudaGetDevice(int* device)
{
    return call(Call::plain, __func__, [&](Machine&) {
        if (device == nullptr) return cudaErrorInvalidValue;
        *device = this_thread().device;
        return cudaSuccess;
    });
}

cudaError_t cudaSetDevice(int device)
{
    return call(Call::plain, __func__, [&](Machine& machine) {
        if (!is_device(machine, device)) return cudaErrorInvalidDevice;
        Context& on = machine.devices[static_cast<std::size_t>(device)].primary;
        set_current_context(on);
        on.used = true; // since CUDA 12, this creates the primary context
        return on.fault != cudaSuccess && on.fault_seen ? on.fault : cudaSuccess;
    });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned)
{
    return call(Call::plain, __func__, [&](Machine& machine) {
        return is_device(machine, device) ? cudaSuccess : cudaErrorInvalidDevice;
    });
}

cudaError_t cudaSetValidDevices(int* devices, int count)
{
    return call(Call::plain, __func__, [&](Machine& machine) {
        for (int i = 0; i < count; ++i)
            if (!is_device(machine, devices[i])) return cudaErrorInvalidDevice;
        return cudaSuccess;
    });
}

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    return call(Call::plain, __func__, [&](Machine&) {
        if (flags > cudaDeviceMask) return cudaErrorInvalidValue;
        current_context().flags = flags;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags)
{
    return call(Call::plain, __func__, [&](Machine&) {
        if (flags == nullptr) return cudaErrorInvalidValue;
        *flags = current_context().flags | static_cast<unsigned>(cudaDeviceMapHost);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr wanted, int device)
{
    return call(Call::plain, __func__, [&](Machine& machine) {
        if (value == nullptr) return cudaErrorInvalidValue;
        if (!is_device(machine, device)) return cudaErrorInvalidDevice;
        if (wanted <= 0 || wanted >= cudaDevAttrMax) return cudaErrorInvalidValue;
        *value = device_attribute(wanted);
        if (wanted == cudaDevAttrPciBusId) *value = device + 1;
        return cudaSuccess;
    });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* properties)
{
    return call(Call::plain, __func__, [&](Machine&) {
        if (device == nullptr || properties == nullptr) return cudaErrorInvalidValue;
        *device = 0;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSynchronize()
{
    return call(Call::waits, __func__, [&](Machine& machine) {
        const Context& context = current_context();
        for (Stream* stream : machine.streams)
            if (stream->in == &context && stream->capture != nullptr)
                return invalidate_capture(*stream);
        machine.host_waits_for_context(context);
        return cudaSuccess;
    });
}

// Drops everything the device holds, including the error that destroyed its context.
cudaError_t cudaDeviceReset()
{
    return call(Call::waits, __func__, [&](Machine& machine) {
        const auto device = static_cast<std::size_t>(this_thread().device);
        machine.clear_context(machine.devices[device].primary, "cudaDeviceReset");
        this_thread().last_error = cudaSuccess;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value)
{
    return call(Call::queues, __func__, [&](Machine&) {
        if (limit < 0 || limit > cudaLimitMaxL2FetchGranularity) return cudaErrorInvalidValue;
        current_context().limits[limit] = value;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit)
{
    return call(Call::queues, __func__, [&](Machine&) {
        if (value == nullptr) return cudaErrorInvalidValue;
        if (limit < 0 || limit > cudaLimitMaxL2FetchGranularity) return cudaErrorInvalidValue;
        *value = limit_of(current_context(), limit);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config)
{
    return call(Call::queues, __func__, [&](Machine&) {
        if (config == nullptr) return cudaErrorInvalidValue;
        *config = current_context().cache_config;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config)
{
    return call(Call::queues, __func__, [&](Machine&) {
        if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual)
            return cudaErrorInvalidValue;
        current_context().cache_config = config;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config)
{
    return call(Call::queues, __func__, [&](Machine&) {
        if (config == nullptr) return cudaErrorInvalidValue;
        *config = cudaSharedMemBankSizeFourByte;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config)
{
    return call(Call::queues, __func__, [&](Machine&) {
        return config >= 0 && config <= cudaSharedMemBankSizeEightByte ? cudaSuccess
                                                                       : cudaErrorInvalidValue;
    });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest)
{
    return call(Call::queues, __func__, [&](Machine&) {
        if (least != nullptr) *least = 0;
        if (greatest != nullptr) *greatest = -5;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device)
{
    return call(Call::plain, __func__, [&](Machine& machine) {
        if (text == nullptr || length < 13) return cudaErrorInvalidValue;
        if (!is_device(machine, device)) return cudaErrorInvalidDevice;
        std::snprintf(text, static_cast<std::size_t>(length), "0000:%02X:00.0", device + 1);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text)
{
    return call(Call::plain, __func__, [&](Machine& machine) {
        if (device == nullptr || text == nullptr) return cudaErrorInvalidValue;
        for (int i = 0; i < static_cast<int>(machine.devices.size()); ++i)
            if (fmt::format("0000:{:02X}:00.0", i + 1) == text) {
                *device = i;
                return cudaSuccess;
            }
        return cudaErrorInvalidDevice;
    });
}

// --- Peers: any simulated device can access any other. ---

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer)
{
    return call(Call::plain, __func__, [&](Machine& machine) {
        if (can == nullptr) return cudaErrorInvalidValue;
        if (!is_device(machine, device) || !is_device(machine, peer)) return cudaErrorInvalidDevice;
        *can = device != peer;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (!is_device(machine, peer)) return cudaErrorInvalidDevice;
        if (peer == this_thread().device) return cudaErrorPeerAccessUnsupported;
        if (flags != 0) return cudaErrorInvalidValue;
        return current_context().peers.insert(peer).second ? cudaSuccess
                                                           : cudaErrorPeerAccessAlreadyEnabled;
    });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    return call(Call::queues, __func__, [&](Machine& machine) {
        if (!is_device(machine, peer)) return cudaErrorInvalidDevice;
        return current_context().peers.erase(peer) == 1 ? cudaSuccess
                                                        : cudaErrorPeerAccessNotEnabled;
    });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr wanted, int from, int to)
{
    return call(Call::plain, __func__, [&](Machine& machine) {
        if (value == nullptr) return cudaErrorInvalidValue;
        if (!is_device(machine, from) || !is_device(machine, to) || from == to)
            return cudaErrorInvalidDevice;
        *value = wanted == cudaDevP2PAttrPerformanceRank ? 0 : 1;
        return cudaSuccess;
    });
}

cudaError_t cudaDriverGetVersion(int* version)
{
    return call(Call::plain, __func__, [&](Machine&) {
        if (version == nullptr) return cudaErrorInvalidValue;
        *version = CUDART_VERSION;
        return cudaSuccess;
    });
}

cudaError_t cudaProfilerStart()
{
    return cudaSuccess;
}
cudaError_t cudaProfilerStop()
{
    return cudaSuccess;
}

} // extern "C"
