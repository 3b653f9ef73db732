// Compiled with a macro definition and a header from another folder.
#include "scale.h"

#ifndef TILE
#error "TILE is not defined"
#endif

__global__ void macros(const float* from, float* to)
{
    __shared__ float tile[TILE];
    const int i = blockIdx.x * TILE + threadIdx.x;
    tile[threadIdx.x] = from[i];
    __syncthreads();
    to[i] = scaled(tile[TILE - 1 - threadIdx.x]);
}
