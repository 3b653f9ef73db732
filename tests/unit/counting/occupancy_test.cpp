// Occupancy compared with NVIDIA's occupancy calculator and, for the architectures that it covers,
// with NVIDIA's header.
#include <gtest/gtest.h>

#include <climits>
#include <set>

#include <cuda_occupancy.h>

#include "compute/counting/occupancy.h"

namespace lanescope::counting {
namespace {

Occupancy on(int major, int minor, int threads, int registers, int shared)
{
    return occupancy(multiprocessor_limits(major, minor).value(), threads, registers, shared);
}

TEST(Occupancy, LimitedByWarps)
{
    const Occupancy result = on(9, 0, 256, 32, 0);
    EXPECT_EQ(result.blocks, 8);
    EXPECT_EQ(result.warps, 64);
    EXPECT_DOUBLE_EQ(result.fraction(), 1.0);
    EXPECT_EQ(result.limit, OccupancyLimit::warps);
    EXPECT_EQ(on(7, 5, 1024, 32, 0).blocks, 1);
    EXPECT_EQ(on(8, 6, 1024, 32, 0).blocks, 1);
}

TEST(Occupancy, LimitedByBlocks)
{
    const Occupancy result = on(8, 6, 32, 16, 0);
    EXPECT_EQ(result.blocks, 16);
    EXPECT_EQ(result.limit, OccupancyLimit::blocks);
    EXPECT_EQ(name(result.limit), "blocks");
}

TEST(Occupancy, LimitedByRegisters)
{
    // 65 registers per thread are rounded up to 72: 2304 per warp, so 28 warps fit, that is three
    // blocks of 8 warps.
    const Occupancy result = on(8, 0, 256, 65, 0);
    EXPECT_EQ(result.blocks, 3);
    EXPECT_EQ(result.limit, OccupancyLimit::registers);
    EXPECT_EQ(on(8, 0, 1024, 255, 0).blocks, 0);
    EXPECT_EQ(on(8, 0, 32, 256, 0).blocks, 0);
}

TEST(Occupancy, LimitedBySharedMemory)
{
    // 48 KiB plus the reserved 1 KiB: four blocks fit in 228 KiB.
    const Occupancy result = on(9, 0, 128, 32, 48 * 1024);
    EXPECT_EQ(result.blocks, 4);
    EXPECT_EQ(result.limit, OccupancyLimit::shared_memory);
    EXPECT_EQ(on(9, 0, 128, 32, 228 * 1024).blocks, 0);
    EXPECT_EQ(on(7, 5, 128, 32, 32 * 1024).blocks, 2);
}

TEST(Occupancy, ImpossibleBlocksAndUnknownDevices)
{
    EXPECT_EQ(on(9, 0, 0, 32, 0).blocks, 0);
    EXPECT_EQ(on(9, 0, 1025, 32, 0).blocks, 0);
    EXPECT_FALSE(multiprocessor_limits(4, 0).has_value());
}

const MultiprocessorLimits& called(std::string_view id)
{
    for (const MultiprocessorLimits& one : multiprocessors())
        if (one.id == id) return one;
    throw std::out_of_range("no such multiprocessor");
}

// Lecture exercises: 12 blocks of 8 × 8 threads would fill a G80, but it allows only 8 blocks.
TEST(Occupancy, FirstGenerations)
{
    const MultiprocessorLimits& g80 = called("g80");
    EXPECT_EQ(occupancy(g80, 64, 10, 0).blocks, 8);
    EXPECT_EQ(occupancy(g80, 64, 10, 0).limit, OccupancyLimit::blocks);
    EXPECT_EQ(occupancy(g80, 64, 10, 0).warps, 16);
    EXPECT_EQ(occupancy(g80, 256, 10, 0).blocks, 3);
    EXPECT_EQ(occupancy(g80, 256, 10, 0).warps, 24);
    EXPECT_EQ(occupancy(g80, 256, 11, 0).blocks, 2); // 2816 of 8192 registers each
    EXPECT_EQ(occupancy(g80, 1024, 8, 0).blocks, 0);
    EXPECT_EQ(occupancy(g80, 256, 10, 16 * 1024).blocks, 1);
    EXPECT_EQ(occupancy(g80, 256, 10, 16 * 1024 + 1).blocks, 0);
    // The register file is allocated for pairs of warps, so 3 warps count as 4: 4 · 32 · 20 = 2560.
    EXPECT_EQ(occupancy(g80, 96, 20, 0).registers_per_block, 2560);
    EXPECT_EQ(occupancy(g80, 96, 20, 0).blocks, 3);

    const MultiprocessorLimits& gt200 = called("gt200");
    EXPECT_EQ(occupancy(gt200, 64, 10, 0).warps, 16);
    EXPECT_EQ(occupancy(gt200, 256, 16, 0).blocks, 4);
    EXPECT_EQ(occupancy(gt200, 1024, 16, 0).blocks, 0);

    const MultiprocessorLimits& fermi = called("fermi");
    EXPECT_EQ(occupancy(fermi, 256, 20, 0).blocks,
              6); // 20 · 32 = 640 per warp: 51 warps, in pairs 50
    EXPECT_EQ(occupancy(fermi, 192, 20, 0).blocks, 8);
    EXPECT_EQ(occupancy(fermi, 256, 21, 0).blocks, 5); // 704 per warp: 46 warps
    EXPECT_EQ(occupancy(fermi, 256, 64, 0).blocks, 0);
}

// The device properties that NVIDIA's header takes; everything else it derives from them.
cudaOccDeviceProp properties_of(const MultiprocessorLimits& limits)
{
    constexpr int without_opt_in = 48 * 1024;
    cudaOccDeviceProp device;
    device.computeMajor = limits.compute_major;
    device.computeMinor = limits.compute_minor;
    device.maxThreadsPerBlock = limits.threads_per_block;
    device.maxThreadsPerMultiprocessor = 32 * limits.warps;
    device.regsPerBlock = limits.registers;
    device.regsPerMultiprocessor = limits.registers;
    device.warpSize = 32;
    device.sharedMemPerBlock = without_opt_in;
    device.sharedMemPerMultiprocessor = static_cast<size_t>(limits.shared_bytes);
    device.numSms = 1;
    device.sharedMemPerBlockOptin = static_cast<size_t>(limits.shared_bytes_per_block);
    device.reservedSharedMemPerBlock = static_cast<size_t>(limits.reserved_shared_bytes);
    return device;
}

int blocks_by_nvidia(const MultiprocessorLimits& limits, int threads, int registers, int shared)
{
    const cudaOccDeviceProp device = properties_of(limits);
    cudaOccFuncAttributes kernel;
    kernel.maxThreadsPerBlock = INT_MAX;
    kernel.numRegs = registers;
    kernel.sharedSizeBytes = 0;
    kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    kernel.maxDynamicSharedSizeBytes = static_cast<size_t>(shared);
    kernel.numBlockBarriers = 1;
    const cudaOccDeviceState state;
    cudaOccResult result;
    const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
        &result, &device, &kernel, &state, threads, static_cast<size_t>(shared));
    if (error != CUDA_OCC_SUCCESS) throw std::runtime_error("cuda_occupancy.h does not know it");
    return result.activeBlocksPerMultiprocessor;
}

TEST(Occupancy, MatchesNvidiaHeader)
{
    std::set<std::string_view> seen;
    int compared = 0;
    for (const MultiprocessorLimits& limits : multiprocessors()) {
        if (limits.compute_major < 3) continue; // the header starts with compute capability 3
        seen.insert(limits.id);
        for (int threads = 1; threads <= 1024; threads += threads % 32 == 1 ? 31 : 33)
            for (int registers = 1; registers <= 255; registers += 6)
                for (int shared = 0; shared <= limits.shared_bytes; shared += 4999) {
                    ++compared;
                    ASSERT_EQ(occupancy(limits, threads, registers, shared).blocks,
                              blocks_by_nvidia(limits, threads, registers, shared))
                        << limits.id << ": " << threads << " threads, " << registers
                        << " registers, " << shared << " bytes";
                }
    }
    EXPECT_GE(seen.size(), 12u);
    EXPECT_GE(compared, 10000);
}

} // namespace
} // namespace lanescope::counting
