// Memory pools. Memory of a pool is allocated like any other; a pool keeps its attributes.
#pragma once

#include "compute/runtime/machine.h"

namespace lanescope::runtime {

cudaMemPool_t new_pool();
cudaMemPool_t default_pool(int device);
bool is_pool(cudaMemPool_t pool);
// False for a pool that there is not, or that is a device's own.
bool destroy_pool(cudaMemPool_t pool);
cudaError_t set_pool_attribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, const void* value);
cudaError_t get_pool_attribute(const Machine& machine, cudaMemPool_t pool,
                               cudaMemPoolAttr attribute, void* value);

} // namespace lanescope::runtime
