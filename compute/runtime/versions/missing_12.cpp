// Of CUDA 12 alone and not there. cudaGetDeviceProperties is what CUDA 11 meant by it: a program of
// CUDA 12 calls cudaGetDeviceProperties_v2.
#include "compute/runtime/missing.h"

MISSING(cudaGetDeviceProperties)
MISSING(cudaGraphAddNode_v2)
MISSING(cudaLaunchCooperativeKernelMultiDevice)
MISSING(cudaSignalExternalSemaphoresAsync_v2)
MISSING(cudaSignalExternalSemaphoresAsync_v2_ptsz)
MISSING(cudaStreamUpdateCaptureDependencies_v2)
MISSING(cudaStreamUpdateCaptureDependencies_v2_ptsz)
MISSING(cudaWaitExternalSemaphoresAsync_v2)
MISSING(cudaWaitExternalSemaphoresAsync_v2_ptsz)
