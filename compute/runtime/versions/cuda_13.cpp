// The part of the API that only CUDA 13 has.
#include "compute/runtime/per_thread.h"
#include "compute/runtime/versions/device_properties.h"

using namespace lanescope::runtime;

ON_OWN_STREAM(cudaMemPrefetchAsync, _ptsz, cudaMemPrefetchAsync)
ON_OWN_STREAM(cudaStreamGetCaptureInfo, _ptsz, cudaStreamGetCaptureInfo)

extern "C" {

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device)
{
    return device_properties(properties, device, [](cudaDeviceProp&) {});
}

cudaError_t cudaRuntimeGetVersion(int* version)
{
    return cudaDriverGetVersion(version);
}

} // extern "C"
