// Sweeps on a GPU: counts as on simt, plausible bandwidths, and cancellation.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "app/measure/sweep.h"
#include "app/run/sweep/sweep_run.h"
#include "compute/cuda/measure/bandwidth.h"
#include "compute/simt/simt_device.h"
#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

class Sweeps : public OnGpu {
protected:
    static app::SweepPlan plan(const std::string& lab_id, std::size_t sweep)
    {
        const labs::Lab& lab = labs::find(lab_id);
        return app::plan_sweep(lab, lab.sweeps[sweep], {}, labs::Values(lab), device::Engine::cuda);
    }
    static std::vector<app::SweepPoint> points(device::Device& device, const app::SweepPlan& plan)
    {
        std::vector<app::SweepPoint> all;
        app::run_sweep(device, plan, [&](app::SweepPoint point) {
            all.push_back(std::move(point));
            return true;
        });
        return all;
    }
};

TEST_F(Sweeps, CountsMatchSimt)
{
    const auto machine = simt::make_device();
    for (std::size_t sweep : {0, 1, 2}) {
        app::SweepPlan wanted = plan("coalescing", sweep);
        if (wanted.sweep->parameter != "size") wanted.base.set("size", "256");
        wanted.samples = 3;
        const auto on_gpu = points(*gpu, wanted);
        const auto on_simt = points(*machine, wanted);
        ASSERT_EQ(on_gpu.size(), wanted.points());
        for (std::size_t i = 0; i < on_gpu.size(); ++i) {
            ASSERT_TRUE(on_gpu[i].totals && on_simt[i].totals) << on_gpu[i].problem;
            EXPECT_EQ(on_gpu[i].totals->global_load, on_simt[i].totals->global_load);
            EXPECT_EQ(on_gpu[i].totals->global_store, on_simt[i].totals->global_store);
            EXPECT_TRUE(on_gpu[i].gb_per_s().has_value());
            EXPECT_FALSE(on_simt[i].gb_per_s().has_value());
        }
    }
}

TEST_F(Sweeps, RatesArePlausibleAndFallWithStride)
{
    const auto all = points(*gpu, plan("coalescing", 0));
    const double copy = cuda::measure_copy_gb_per_s(*gpu);
    for (const app::SweepPoint& point : all) {
        ASSERT_TRUE(point.gb_per_s()) << point.problem;
        EXPECT_TRUE(std::isfinite(*point.gb_per_s()));
        EXPECT_GT(*point.gb_per_s(), 0);
        EXPECT_LT(*point.gb_per_s(), 10 * copy);
        EXPECT_LE(point.time->ms.p10, point.time->ms.median);
        EXPECT_LE(point.time->ms.median, point.time->ms.p90);
        std::printf("stride %s: %.0f GB/s\n", plan("coalescing", 0).values[point.value].c_str(),
                    *point.gb_per_s());
    }
    const auto at = [&](std::size_t i) { return *all[i].gb_per_s(); };
    EXPECT_GT(at(0), 1.3 * at(7)) << "stride 1 against stride 8: a sector for each lane";
}

TEST_F(Sweeps, RunInBackgroundAndCanBeCancelled)
{
    const auto start = std::chrono::steady_clock::now();
    {
        app::SweepRun run(*gpu, plan("transpose", 0));
        while (run.points().empty() && !run.finished())
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        EXPECT_EQ(run.error(), "");
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

} // namespace
} // namespace lanescope::gpu_tests
