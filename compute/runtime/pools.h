// Memory pools. Pool memory is allocated like any other; a pool only stores its attributes.
#pragma once

#include "compute/runtime/machine.h"

namespace lanescope::runtime {

cudaMemPool_t new_pool();
cudaMemPool_t default_pool(int device);
bool is_pool(cudaMemPool_t pool);
// Returns false for an unknown pool or a device's default pool.
bool destroy_pool(cudaMemPool_t pool);
cudaError_t set_pool_attribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, const void* value);
cudaError_t get_pool_attribute(const Machine& machine, cudaMemPool_t pool,
                               cudaMemPoolAttr attribute, void* value);

} // namespace lanescope::runtime
