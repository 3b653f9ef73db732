// Stub of CUDA's runtime for systems that cannot have an NVIDIA GPU, such as a browser: every call
// reports that there is no device. Compiled instead of the runtime and driver/runtime.cpp.
#include <cuda_runtime_api.h>

#include <cuda_gl_interop.h>

#include <cstddef>
#include <memory>

#include "compute/cuda/peers/peers.h"

#define NO_DEVICE(name, ...)                                                                       \
    extern "C" cudaError_t name(__VA_ARGS__)                                                       \
    {                                                                                              \
        return cudaErrorNoDevice;                                                                  \
    }

extern "C" cudaError_t cudaGetDeviceCount(int* count)
{
    *count = 0;
    return cudaErrorNoDevice;
}
extern "C" cudaError_t cudaDriverGetVersion(int* version)
{
    *version = 0; // no driver
    return cudaSuccess;
}
extern "C" cudaError_t cudaRuntimeGetVersion(int* version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}
extern "C" cudaError_t cudaGetLastError()
{
    return cudaErrorNoDevice;
}
extern "C" const char* cudaGetErrorName(cudaError_t)
{
    return "cudaErrorNoDevice";
}
extern "C" const char* cudaGetErrorString(cudaError_t)
{
    return "no CUDA-capable device is detected";
}
extern "C" cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                       cudaChannelFormatKind kind)
{
    return {x, y, z, w, kind};
}

NO_DEVICE(cudaCreateSurfaceObject, cudaSurfaceObject_t*, const cudaResourceDesc*)
NO_DEVICE(cudaCreateTextureObject, cudaTextureObject_t*, const cudaResourceDesc*,
          const cudaTextureDesc*, const cudaResourceViewDesc*)
NO_DEVICE(cudaDeviceCanAccessPeer, int*, int, int)
NO_DEVICE(cudaDeviceEnablePeerAccess, int, unsigned)
NO_DEVICE(cudaDestroySurfaceObject, cudaSurfaceObject_t)
NO_DEVICE(cudaDestroyTextureObject, cudaTextureObject_t)
NO_DEVICE(cudaDeviceSetLimit, cudaLimit, size_t)
NO_DEVICE(cudaEventCreate, cudaEvent_t*)
NO_DEVICE(cudaEventDestroy, cudaEvent_t)
NO_DEVICE(cudaEventElapsedTime, float*, cudaEvent_t, cudaEvent_t)
NO_DEVICE(cudaEventQuery, cudaEvent_t)
NO_DEVICE(cudaEventRecord, cudaEvent_t, cudaStream_t)
NO_DEVICE(cudaEventSynchronize, cudaEvent_t)
NO_DEVICE(cudaFree, void*)
NO_DEVICE(cudaFreeArray, cudaArray_t)
NO_DEVICE(cudaFreeHost, void*)
NO_DEVICE(cudaFreeMipmappedArray, cudaMipmappedArray_t)
NO_DEVICE(cudaFuncGetAttributes, cudaFuncAttributes*, const void*)
NO_DEVICE(cudaFuncGetName, const char**, const void*)
NO_DEVICE(cudaFuncGetParamInfo, const void*, size_t, size_t*, size_t*)
NO_DEVICE(cudaGLGetDevices, unsigned int*, int*, unsigned int, cudaGLDeviceList)
NO_DEVICE(cudaGetDeviceProperties, cudaDeviceProp*, int)
NO_DEVICE(cudaGetDriverEntryPointByVersion, const char*, void**, unsigned int, unsigned long long,
          cudaDriverEntryPointQueryResult*)
NO_DEVICE(cudaGetMipmappedArrayLevel, cudaArray_t*, cudaMipmappedArray_const_t, unsigned int)
NO_DEVICE(cudaGraphDestroy, cudaGraph_t)
NO_DEVICE(cudaGraphExecDestroy, cudaGraphExec_t)
NO_DEVICE(cudaGraphInstantiate, cudaGraphExec_t*, cudaGraph_t, unsigned long long)
NO_DEVICE(cudaGraphLaunch, cudaGraphExec_t, cudaStream_t)
NO_DEVICE(cudaGraphicsGLRegisterBuffer, cudaGraphicsResource**, GLuint, unsigned int)
NO_DEVICE(cudaGraphicsGLRegisterImage, cudaGraphicsResource**, GLuint, GLenum, unsigned int)
NO_DEVICE(cudaGraphicsMapResources, int, cudaGraphicsResource_t*, cudaStream_t)
NO_DEVICE(cudaGraphicsResourceGetMappedPointer, void**, size_t*, cudaGraphicsResource_t)
NO_DEVICE(cudaGraphicsSubResourceGetMappedArray, cudaArray_t*, cudaGraphicsResource_t, unsigned int,
          unsigned int)
NO_DEVICE(cudaGraphicsUnmapResources, int, cudaGraphicsResource_t*, cudaStream_t)
NO_DEVICE(cudaGraphicsUnregisterResource, cudaGraphicsResource_t)
NO_DEVICE(cudaKernelSetAttributeForDevice, cudaKernel_t, cudaFuncAttribute, int, int)
NO_DEVICE(cudaLaunchCooperativeKernel, const void*, dim3, dim3, void**, size_t, cudaStream_t)
NO_DEVICE(cudaLaunchKernel, const void*, dim3, dim3, void**, size_t, cudaStream_t)
NO_DEVICE(cudaLibraryEnumerateKernels, cudaKernel_t*, unsigned int, cudaLibrary_t)
NO_DEVICE(cudaLibraryGetGlobal, void**, size_t*, cudaLibrary_t, const char*)
NO_DEVICE(cudaLibraryGetKernel, cudaKernel_t*, cudaLibrary_t, const char*)
NO_DEVICE(cudaLibraryGetKernelCount, unsigned int*, cudaLibrary_t)
NO_DEVICE(cudaLibraryLoadData, cudaLibrary_t*, const void*, cudaJitOption*, void**, unsigned int,
          cudaLibraryOption*, void**, unsigned int)
NO_DEVICE(cudaLibraryUnload, cudaLibrary_t)
NO_DEVICE(cudaMalloc, void**, size_t)
NO_DEVICE(cudaMalloc3DArray, cudaArray_t*, const cudaChannelFormatDesc*, cudaExtent, unsigned int)
NO_DEVICE(cudaMallocHost, void**, size_t)
NO_DEVICE(cudaMallocMipmappedArray, cudaMipmappedArray_t*, const cudaChannelFormatDesc*, cudaExtent,
          unsigned int, unsigned int)
NO_DEVICE(cudaMemGetInfo, size_t*, size_t*)
NO_DEVICE(cudaMemcpy3DAsync, const cudaMemcpy3DParms*, cudaStream_t)
NO_DEVICE(cudaMemcpyAsync, void*, const void*, size_t, cudaMemcpyKind, cudaStream_t)
NO_DEVICE(cudaMemcpyPeerAsync, void*, int, const void*, int, size_t, cudaStream_t)
NO_DEVICE(cudaMemsetAsync, void*, int, size_t, cudaStream_t)
NO_DEVICE(cudaPointerGetAttributes, cudaPointerAttributes*, const void*)
NO_DEVICE(cudaSetDevice, int)
NO_DEVICE(cudaStreamBeginCapture, cudaStream_t, cudaStreamCaptureMode)
NO_DEVICE(cudaStreamCreateWithFlags, cudaStream_t*, unsigned int)
NO_DEVICE(cudaStreamDestroy, cudaStream_t)
NO_DEVICE(cudaStreamEndCapture, cudaStream_t, cudaGraph_t*)
NO_DEVICE(cudaStreamQuery, cudaStream_t)
NO_DEVICE(cudaStreamSynchronize, cudaStream_t)
NO_DEVICE(cudaStreamWaitEvent, cudaStream_t, cudaEvent_t, unsigned int)

// Stubs of the peers that nvcc compiles; without a device no peer is created.
namespace lanescope::cuda {

#define NO_PEER(name)                                                                              \
    std::unique_ptr<Peer> name(CudaDevice&, const Task&)                                           \
    {                                                                                              \
        return nullptr;                                                                            \
    }
NO_PEER(make_cub_histogram)
NO_PEER(make_cub_radix_sort)
NO_PEER(make_cub_reduce)
NO_PEER(make_cub_scan)
NO_PEER(make_cub_select)
NO_PEER(make_cub_transform_add)

} // namespace lanescope::cuda
