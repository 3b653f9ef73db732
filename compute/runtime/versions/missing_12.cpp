// Unsupported functions that only CUDA 12 has. cudaGetDeviceProperties is CUDA 11's: programs built
// with CUDA 12 call cudaGetDeviceProperties_v2.
#include "compute/runtime/missing.h"

MISSING(cudaGetDeviceProperties)
MISSING(cudaLaunchCooperativeKernelMultiDevice)
MISSING(cudaSignalExternalSemaphoresAsync_v2)
MISSING(cudaSignalExternalSemaphoresAsync_v2_ptsz)
MISSING(cudaStreamUpdateCaptureDependencies_v2)
MISSING(cudaStreamUpdateCaptureDependencies_v2_ptsz)
MISSING(cudaWaitExternalSemaphoresAsync_v2)
MISSING(cudaWaitExternalSemaphoresAsync_v2_ptsz)
