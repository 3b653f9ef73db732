// All functions expect the machine's mutex to be held.
#include "compute/runtime/pools.h"

#include <cstring>

namespace lanescope::runtime {

namespace {

struct Pool {
    std::uint64_t release_threshold = 0;
    int reuse[3]{1, 1, 1};
};

std::map<Pool*, std::unique_ptr<Pool>>& pools()
{
    static auto* const all = new std::map<Pool*, std::unique_ptr<Pool>>;
    return *all;
}

std::map<int, Pool*>& defaults()
{
    static auto* const all = new std::map<int, Pool*>;
    return *all;
}

Pool& own(cudaMemPool_t pool)
{
    return *reinterpret_cast<Pool*>(pool);
}

} // namespace

cudaMemPool_t new_pool()
{
    auto made = std::make_unique<Pool>();
    Pool* const handle = made.get();
    pools().emplace(handle, std::move(made));
    return reinterpret_cast<cudaMemPool_t>(handle);
}

cudaMemPool_t default_pool(int device)
{
    Pool*& known = defaults()[device];
    if (known == nullptr) known = &own(new_pool());
    return reinterpret_cast<cudaMemPool_t>(known);
}

bool is_pool(cudaMemPool_t pool)
{
    return pools().contains(reinterpret_cast<Pool*>(pool));
}

bool destroy_pool(cudaMemPool_t pool)
{
    for (const auto& [device, known] : defaults())
        if (known == reinterpret_cast<Pool*>(pool)) return false;
    return pools().erase(reinterpret_cast<Pool*>(pool)) == 1;
}

cudaError_t set_pool_attribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, const void* value)
{
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        std::memcpy(&own(pool).reuse[attribute - cudaMemPoolReuseFollowEventDependencies], value,
                    sizeof(int));
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
        std::memcpy(&own(pool).release_threshold, value, sizeof(std::uint64_t));
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh: return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

cudaError_t get_pool_attribute(const Machine& machine, cudaMemPool_t pool,
                               cudaMemPoolAttr attribute, void* value)
{
    std::uint64_t used = 0;
    for (const auto& [address, each] : machine.memory)
        if (each.from_pool) used += each.bytes;
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        std::memcpy(value, &own(pool).reuse[attribute - cudaMemPoolReuseFollowEventDependencies],
                    sizeof(int));
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
        std::memcpy(value, &own(pool).release_threshold, sizeof(std::uint64_t));
        return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemCurrent:
    case cudaMemPoolAttrUsedMemHigh: std::memcpy(value, &used, sizeof used); return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

} // namespace lanescope::runtime
