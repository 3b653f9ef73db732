// Sources of all values are in caches.def.
#include "compute/counting/caches.h"

#include <algorithm>
#include <array>

namespace lanescope::counting {

const Caches& caches_of(const Gpu& gpu)
{
    static const std::array known{
#define CACHES(major, minor, l2_partitions, ...) Caches{major, minor, l2_partitions, {__VA_ARGS__}},
#include "compute/counting/caches.def"
#undef CACHES
    };
    return *std::ranges::find_if(known, [&](const Caches& caches) {
        return caches.compute_major == gpu.compute_major &&
               caches.compute_minor == gpu.compute_minor;
    });
}

int l1_bytes(const Gpu& gpu, int shared_bytes)
{
    constexpr int kib = 1024;
    int chosen = caches_of(gpu).shared_kib.back();
    for (const int size : caches_of(gpu).shared_kib)
        if (size * kib >= shared_bytes) chosen = std::min(chosen, size);
    return gpu.l1_bytes - chosen * kib;
}

} // namespace lanescope::counting
