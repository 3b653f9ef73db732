// Our occupancy calculation compared with the driver's for the installed GPU.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "compute/counting/occupancy.h"
#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

// Adds a maximum number of registers (.maxnreg) to the kernel's PTX.
std::string with_registers(std::string_view ptx, int registers)
{
    std::string text(ptx);
    const std::size_t body = text.find("\n{", text.find(".entry many_values"));
    EXPECT_NE(body, std::string::npos);
    return text.insert(body, "\n.maxnreg " + std::to_string(registers));
}

TEST_F(OnGpu, OccupancyMatchesDriver)
{
    const device::Properties& device = gpu->properties();
    const auto limits = counting::multiprocessor_limits(device.compute_major, device.compute_minor);
    if (!limits)
        GTEST_SKIP() << "compute capability " << device.compute_major << "." << device.compute_minor
                     << " is not in multiprocessors.def";
    const std::string_view ptx = assets::find("tests/gpu/occupancy_kernels.ptx").value();
    int compared = 0;
    int different = 0;
    std::set<int> registers_seen;
    std::set<int> blocks_seen;
    for (int wanted = 24; wanted <= 255; wanted += 8) {
        const std::string text = with_registers(ptx, wanted);
        cudaLibrary_t library = nullptr;
        ASSERT_EQ(
            cudaLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
            cudaSuccess);
        cudaKernel_t kernel = nullptr;
        ASSERT_EQ(cudaLibraryGetKernel(&kernel, library, "many_values"), cudaSuccess);
        cudaFuncAttributes attributes{};
        ASSERT_EQ(cudaFuncGetAttributes(&attributes, kernel), cudaSuccess);
        registers_seen.insert(attributes.numRegs);
        for (int shared = 0; shared <= limits->shared_bytes_per_block;
             shared += shared < 16384 ? 1000 : 9973) {
            ASSERT_EQ(cudaFuncSetAttribute(
                          kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                          std::min(std::max(shared, 48 * 1024), limits->shared_bytes_per_block)),
                      cudaSuccess);
            for (int threads = 1; threads <= 1024; threads += threads % 32 == 1 ? 31 : 33) {
                int theirs = 0;
                ASSERT_EQ(
                    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&theirs, kernel, threads, shared),
                    cudaSuccess);
                const int ours =
                    counting::occupancy(*limits, threads, attributes.numRegs, shared).blocks;
                ++compared;
                blocks_seen.insert(theirs);
                if (ours != theirs && ++different <= 10)
                    ADD_FAILURE() << threads << " threads, " << attributes.numRegs << " registers, "
                                  << shared << " bytes: " << ours << ", the driver says " << theirs;
            }
        }
        ASSERT_EQ(cudaLibraryUnload(library), cudaSuccess);
    }
    EXPECT_EQ(different, 0);
    EXPECT_GE(compared, 10000);
    EXPECT_GE(registers_seen.size(), 20u);
    EXPECT_GE(blocks_seen.size(), 10u);
    RecordProperty("compared", compared);
    printf("%d inputs compared, %zu register counts, %d differences\n", compared,
           registers_seen.size(), different);
}

} // namespace
} // namespace lanescope::gpu_tests
