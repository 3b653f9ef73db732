// Ring of timing events: it never waits, drops the oldest measurements, and measures correctly.
#include <chrono>

#include "compute/cuda/measure/measure.h"
#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

class Timed : public OnGpu {
protected:
    void SetUp() override
    {
        OnGpu::SetUp();
        if (IsSkipped()) return;
        module = gpu->load(kernels_ptx());
        timer = gpu->timer();
        spin(1000);
        gpu->synchronize();
    }
    void spin(long long cycles) { gpu->launch(module->kernel("spin"), {.arguments = {cycles}}); }

    std::unique_ptr<device::Module> module;
    std::unique_ptr<device::Timer> timer;
};

TEST_F(Timed, SectionsArriveLaterAndInOrder)
{
    const auto start = std::chrono::steady_clock::now();
    for (long long cycles : {50'000'000LL, 1'000'000LL, 10'000'000LL}) {
        timer->begin();
        spin(cycles);
        timer->end();
    }
    const std::vector<double> early = timer->poll_ms();
    const std::chrono::duration<double, std::milli> queued =
        std::chrono::steady_clock::now() - start;
    gpu->synchronize();
    std::vector<double> all = early;
    const std::vector<double> late = timer->poll_ms();
    all.insert(all.end(), late.begin(), late.end());
    ASSERT_EQ(all.size(), 3u);
    EXPECT_LT(queued.count(), all[0]) << "queueing waited for the work";
    EXPECT_GT(all[0], 3 * all[2]);
    EXPECT_GT(all[2], 3 * all[1]);
    EXPECT_TRUE(timer->poll_ms().empty());
}

TEST_F(Timed, FullRingDropsOldest)
{
    for (int i = 0; i < 300; ++i) {
        timer->begin();
        if (i < 44) spin(200'000);
        timer->end();
    }
    gpu->synchronize();
    const std::vector<double> finished = timer->poll_ms();
    ASSERT_EQ(finished.size(), 256u);
    EXPECT_LT(finished.front(), 0.05)
        << "the first 44 stretches, which took longer, must be the forgotten ones";
}

TEST_F(Timed, ShortWorkIsMeasuredInBatches)
{
    const cuda::Work work = [&] { spin(2000); };
    const auto measured = cuda::measure(*gpu, {&work, 1});
    EXPECT_GT(measured[0].runs_per_sample, 1);
    EXPECT_GE(measured[0].ms.count, 30u);
    EXPECT_GT(measured[0].ms.median, 0.0005);
    EXPECT_LT(measured[0].ms.median, 0.02);
    EXPECT_LE(measured[0].ms.p10, measured[0].ms.median);
    EXPECT_LE(measured[0].ms.median, measured[0].ms.p90);
}

} // namespace
} // namespace lanescope::gpu_tests
