// The table of GPUs that can be simulated.
#include "compute/counting/gpus.h"

#include <cmath>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/error.h"

namespace lanescope::counting {
namespace {

TEST(Gpus, EachRowIsConsistent)
{
    std::set<std::string_view> names;
    for (const Gpu& gpu : gpus()) {
        SCOPED_TRACE(gpu.name);
        EXPECT_TRUE(names.insert(gpu.name).second);
        EXPECT_TRUE(names.insert(gpu.product).second);
        ASSERT_TRUE(multiprocessor_limits(gpu.compute_major, gpu.compute_minor))
            << "multiprocessors.def lacks its compute capability";
        EXPECT_EQ(gpu.limits().compute_major, gpu.compute_major);
        EXPECT_EQ(gpu.limits().compute_minor, gpu.compute_minor);
        EXPECT_GT(gpu.l1_bytes, gpu.limits().shared_bytes);
        EXPECT_LT(gpu.persisting_l2_bytes, gpu.l2_bytes);
        EXPECT_EQ(gpu.persisting_l2_bytes == 0, gpu.compute_major < 8);
        // Two transfers per clock and bus wire; within 3%, because vendors round their figures.
        const double computed = 2e3 * gpu.memory_clock_khz * gpu.memory_bus_bits / 8 / 1e9;
        EXPECT_NEAR(gpu.memory_gb_per_s, computed, 0.03 * computed);
    }
}

TEST(Gpus, NameLookupIgnoresCaseSeparatorsAndVendor)
{
    for (const Gpu& gpu : gpus()) {
        EXPECT_EQ(&gpu_named(gpu.name), &gpu);
        EXPECT_EQ(&gpu_named(gpu.product), &gpu);
    }
    for (const char* written :
         {"RTX 4090", "rtx4090", "Rtx-4090", "4090", "GeForce RTX 4090", "NVIDIA GeForce RTX 4090"})
        EXPECT_EQ(gpu_named(written).name, "RTX 4090") << written;
    EXPECT_EQ(gpu_named("t4").name, "T4");
    EXPECT_EQ(gpu_named("nvidia tesla t4").name, "T4");
}

TEST(Gpus, ErrorForUnknownNameListsAll)
{
    for (const char* written : {"", "RTX", "H1000", "Radeon 7900"}) {
        try {
            gpu_named(written);
            ADD_FAILURE() << written << " is accepted";
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), ExitStatus::bad_usage);
            for (const Gpu& gpu : gpus())
                EXPECT_THAT(error.what(), testing::HasSubstr(std::string(gpu.name)));
        }
    }
}

TEST(Gpus, DefaultIsH100)
{
    EXPECT_EQ(chosen_gpu(), nullptr);
    EXPECT_EQ(simulated_gpu().name, "H100");
    EXPECT_EQ(simulated_gpu().architecture(), "sm_90");
    EXPECT_EQ(simulated_gpu().with_article(), "an H100");
    EXPECT_EQ(gpu_named("T4").with_article(), "a T4");
    EXPECT_EQ(gpu_named("RTX 5090").architecture(), "sm_120");
}

} // namespace
} // namespace lanescope::counting
