// Properties of a simulated device, for any version's cudaDeviceProp.
#pragma once

#include <cstdio>

#include "compute/runtime/machine.h"

namespace lanescope::runtime {

template <class Properties>
void describe_size(Properties& is, int device)
{
    is = {};
    std::snprintf(is.name, sizeof is.name, "%s", device_name().c_str());
    is.uuid.bytes[15] = static_cast<char>(device);
    is.totalGlobalMem = Machine::instance().total_memory();
    is.sharedMemPerBlock = static_cast<std::size_t>(device_attribute(8));
    is.regsPerBlock = device_attribute(12);
    is.warpSize = device_attribute(10);
    is.memPitch = static_cast<std::size_t>(device_attribute(11));
    is.maxThreadsPerBlock = device_attribute(1);
    for (int i = 0; i < 3; ++i) is.maxThreadsDim[i] = device_attribute(2 + i);
    for (int i = 0; i < 3; ++i) is.maxGridSize[i] = device_attribute(5 + i);
    is.totalConstMem = static_cast<std::size_t>(device_attribute(9));
    is.major = device_attribute(75);
    is.minor = device_attribute(76);
    is.textureAlignment = static_cast<std::size_t>(device_attribute(14));
    is.texturePitchAlignment = static_cast<std::size_t>(device_attribute(51));
    is.multiProcessorCount = device_attribute(16);
    is.canMapHostMemory = device_attribute(19);
    is.maxTexture1D = device_attribute(21);
    for (int i = 0; i < 2; ++i) is.maxTexture2D[i] = device_attribute(22 + i);
    for (int i = 0; i < 3; ++i) is.maxTexture3D[i] = device_attribute(24 + i);
    for (int i = 0; i < 3; ++i) is.maxTexture2DLayered[i] = device_attribute(27 + i);
}

template <class Properties>
void describe_abilities(Properties& is, int device)
{
    is.surfaceAlignment = static_cast<std::size_t>(device_attribute(30));
    is.concurrentKernels = device_attribute(31);
    is.ECCEnabled = device_attribute(32);
    is.pciBusID = device + 1;
    is.asyncEngineCount = device_attribute(40);
    is.unifiedAddressing = device_attribute(41);
    is.memoryBusWidth = device_attribute(37);
    is.l2CacheSize = device_attribute(38);
    is.persistingL2CacheMaxSize = device_attribute(108);
    is.maxThreadsPerMultiProcessor = device_attribute(39);
    is.streamPrioritiesSupported = device_attribute(78);
    is.globalL1CacheSupported = device_attribute(79);
    is.localL1CacheSupported = device_attribute(80);
    is.sharedMemPerMultiprocessor = static_cast<std::size_t>(device_attribute(81));
    is.regsPerMultiprocessor = device_attribute(82);
    is.managedMemory = device_attribute(83);
    is.concurrentManagedAccess = device_attribute(89);
    is.computePreemptionSupported = device_attribute(90);
    is.canUseHostPointerForRegisteredMem = device_attribute(91);
    is.cooperativeLaunch = device_attribute(95);
    is.sharedMemPerBlockOptin = static_cast<std::size_t>(device_attribute(97));
    is.maxBlocksPerMultiProcessor = device_attribute(106);
    is.accessPolicyMaxWindowSize = device_attribute(109);
    is.reservedSharedMemPerBlock = static_cast<std::size_t>(device_attribute(111));
    is.hostRegisterSupported = device_attribute(99);
    is.memoryPoolsSupported = device_attribute(115);
    is.clusterLaunch = device_attribute(120);
}

// `more` adds the fields of one version.
template <class Properties, class More>
cudaError_t device_properties(Properties* properties, int device, More more)
{
    return call(Call::plain, "cudaGetDeviceProperties", [&](Machine& machine) {
        if (properties == nullptr) return cudaErrorInvalidValue;
        if (device < 0 || device >= static_cast<int>(machine.devices.size()))
            return cudaErrorInvalidDevice;
        describe_size(*properties, device);
        describe_abilities(*properties, device);
        more(*properties);
        return cudaSuccess;
    });
}

} // namespace lanescope::runtime
