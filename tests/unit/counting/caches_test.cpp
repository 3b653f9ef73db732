// The table of caches: every GPU has a row, and L1 is what shared memory leaves.
#include "compute/counting/caches.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lanescope::counting {
namespace {

TEST(Caches, EveryGpuHasARow)
{
    for (const Gpu& gpu : gpus()) {
        SCOPED_TRACE(gpu.name);
        const Caches& caches = caches_of(gpu);
        EXPECT_EQ(caches.compute_major, gpu.compute_major);
        EXPECT_EQ(caches.compute_minor, gpu.compute_minor);
        EXPECT_TRUE(std::ranges::is_sorted(caches.shared_kib));
        // The largest size is all the shared memory that the multiprocessor can have.
        EXPECT_EQ(caches.shared_kib.back() * 1024, gpu.limits().shared_bytes);
    }
}

TEST(Caches, L1IsWhatTheSmallestSufficientSharedMemoryLeaves)
{
    const Gpu& gpu = gpu_named("H100");
    EXPECT_EQ(l1_bytes(gpu, 0), 256 * 1024);
    EXPECT_EQ(l1_bytes(gpu, 1), (256 - 8) * 1024);
    EXPECT_EQ(l1_bytes(gpu, 8 * 1024), (256 - 8) * 1024);
    EXPECT_EQ(l1_bytes(gpu, 100 * 1024 + 1), (256 - 132) * 1024);
    EXPECT_EQ(l1_bytes(gpu, 228 * 1024), 28 * 1024);
    EXPECT_EQ(l1_bytes(gpu_named("T4"), 0), 64 * 1024);
    EXPECT_EQ(l1_bytes(gpu_named("T4"), 64 * 1024), 32 * 1024);
}

} // namespace
} // namespace lanescope::counting
