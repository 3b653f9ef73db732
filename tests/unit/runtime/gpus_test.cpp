// Attributes of the simulated GPU as programs query them. The library reads the choice of GPU once
// per process, so each GPU is queried in its own process.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "compute/counting/gpus.h"

namespace {

using lanescope::counting::Gpu;

struct Asked {
    int number; // cudaDeviceAttr
    int expected;
};

// Attributes by which programs choose their grids, tiles and code paths.
std::vector<Asked> attributes_of(const Gpu& gpu)
{
    const auto& sm = gpu.limits();
    return {{1, 1024},
            {8, 49152},
            {10, 32},
            {12, sm.registers},
            {13, gpu.clock_khz},
            {16, gpu.multiprocessors},
            {36, gpu.memory_clock_khz},
            {37, gpu.memory_bus_bits},
            {38, gpu.l2_bytes},
            {39, 32 * sm.warps},
            {75, gpu.compute_major},
            {76, gpu.compute_minor},
            {81, sm.shared_bytes},
            {82, sm.registers},
            {87, gpu.fp32_per_fp64},
            {97, sm.shared_bytes_per_block},
            {106, sm.blocks},
            {108, gpu.persisting_l2_bytes},
            {111, sm.reserved_shared_bytes}};
}

// Exits with 0 if the library describes that GPU, otherwise with the number of an attribute that
// differs.
[[noreturn]] void ask(const std::string& library, const Gpu& gpu)
{
    void* const opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) std::_Exit(255);
    const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(opened, "cuInit"));
    const auto attribute =
        reinterpret_cast<int (*)(int*, int, int)>(dlsym(opened, "cudaDeviceGetAttribute"));
    const auto name = reinterpret_cast<int (*)(char*, int, int)>(dlsym(opened, "cuDeviceGetName"));
    for (const Asked& asked : attributes_of(gpu)) {
        int value = -1;
        if (attribute(&value, asked.number, 0) != 0 || value != asked.expected)
            std::_Exit(asked.number);
    }
    char text[100] = {};
    if (init(0) != 0 || name(text, sizeof text, 0) != 0 ||
        std::string_view(text).find("simulates " + gpu.with_article()) == std::string_view::npos)
        std::_Exit(254);
    std::_Exit(0);
}

TEST(SimulatedGpuDeathTest, AttributesMatchItsRow)
{
    const std::string library = LANESCOPE_BINARY_DIR "/runtime/libcudart.so.13";
    if (!std::filesystem::exists(library))
        GTEST_SKIP() << "There is no " << library << ": it is not built under a sanitizer.";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    for (const Gpu& gpu : lanescope::counting::gpus()) {
        SCOPED_TRACE(gpu.name);
        setenv("LANESCOPE_GPU", std::string(gpu.name).c_str(), 1);
        EXPECT_EXIT(ask(library, gpu), testing::ExitedWithCode(0), "");
    }
    unsetenv("LANESCOPE_GPU");
    EXPECT_EXIT(ask(library, lanescope::counting::gpu_named("H100")), testing::ExitedWithCode(0),
                "");
}

} // namespace
