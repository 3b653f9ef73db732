// Seeded random kernels with probes: results and counts equal the machine's.
#include <gtest/gtest.h>

#include "tests/random_kernels/program.h"
#include "tests/unit/probes/probing_device.h"

namespace lanescope::random_kernels {
namespace {

TEST(ProbedRandomKernels, KeepTheirResults)
{
    simt::Options one;
    one.threads = 1;
    const auto machine = simt::make_device(one);
    probes::ProbingDevice probing(simt::make_device(one));
    // Starts with seeds whose probed kernels have differed or failed on a GPU.
    std::vector<std::uint64_t> seeds{29000045, 29002404, 29004105, 29008072,
                                     29008815, 29003221, 29004888};
    for (std::uint64_t seed = 1; seed <= 20; ++seed) seeds.push_back(seed);
    for (const std::uint64_t seed : seeds) {
        SCOPED_TRACE(seed);
        const RandomKernel kernel = random_kernel(seed);
        trace::Trace counts, probed_counts;
        const auto results = run(*machine, kernel, &counts);
        EXPECT_EQ(difference(results, run(probing, kernel, &probed_counts)), "");
        bool same_lanes = false;
        const std::string text = difference(counts, probed_counts, same_lanes, false);
        EXPECT_TRUE(same_lanes) << text;
    }
}

} // namespace
} // namespace lanescope::random_kernels
