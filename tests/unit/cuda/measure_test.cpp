// The measuring loop on a device whose clock the test advances, so that order, batches and
// statistics are exact.
#include "compute/cuda/measure/measure.h"
#include "compute/spread.h"

#include <gmock/gmock.h>

#include <cmath>

namespace {

using namespace lanescope;
using namespace lanescope::cuda;

// A device on which the only effect of work is to advance the clock.
class ClockDevice : public device::Device {
public:
    double now_ms = 0;
    bool has_clock = true;

    device::Engine engine() const override { return device::Engine::cuda; }
    const device::Properties& properties() const override { return properties_; }
    std::unique_ptr<device::Buffer> allocate(std::size_t) override { return nullptr; }
    std::unique_ptr<device::Image> allocate_image(int, int, int, device::Format) override
    {
        return nullptr;
    }
    std::unique_ptr<device::Texture> texture(const device::Image&, const device::Sampling&) override
    {
        return nullptr;
    }
    void upload(device::Address, std::span<const std::byte>) override {}
    void download(std::span<std::byte>, device::Address) override {}
    void upload(const device::Image&, std::span<const std::byte>) override {}
    void download(std::span<std::byte>, const device::Image&) override {}
    void copy(device::Address, device::Address, std::size_t) override {}
    void copy(const device::Image&, device::Address) override {}
    void fill(device::Address, std::uint8_t, std::size_t) override {}
    std::unique_ptr<device::Module> load(std::string_view) override { return nullptr; }
    void launch(const device::Kernel&, const device::Launch&) override {}
    void synchronize() override {}
    std::unique_ptr<device::Timer> timer() override
    {
        return has_clock ? std::make_unique<ClockTimer>(*this) : nullptr;
    }

private:
    class ClockTimer : public device::Timer {
    public:
        explicit ClockTimer(const ClockDevice& device) : device_(device) {}
        void begin() override { start_ms_ = device_.now_ms; }
        void end() override { finished_.push_back(device_.now_ms - start_ms_); }
        std::vector<double> poll_ms() override { return std::exchange(finished_, {}); }

    private:
        const ClockDevice& device_;
        double start_ms_ = 0;
        std::vector<double> finished_;
    };
    device::Properties properties_;
};

TEST(Measure, CandidatesAlternate)
{
    ClockDevice device;
    std::string order;
    const std::vector<Work> candidates{[&] { order += 'A', device.now_ms += 1; },
                                       [&] { order += 'B', device.now_ms += 2; }};
    const auto measured = measure(device, candidates, {.warm_ups = 2, .samples = 3});
    EXPECT_EQ(order, "AABB"
                     "ABABAB");
    EXPECT_DOUBLE_EQ(measured[0].ms.median, 1);
    EXPECT_DOUBLE_EQ(measured[1].ms.median, 2);
    EXPECT_EQ(measured[0].ms.count, 3u);
    EXPECT_EQ(measured[0].runs_per_sample, 1);
}

TEST(Measure, LongWorkIsTimedLessOften)
{
    ClockDevice device;
    const std::vector<Work> candidates{[&] { device.now_ms += 1000; }, [&] { device.now_ms += 90; },
                                       [&] { device.now_ms += 1; }};
    const auto measured = measure(
        device, candidates, {.warm_ups = 1, .samples = 30, .enough_ms = 2000, .min_samples = 7});
    EXPECT_EQ(measured[0].ms.count, 7u) << "the fewest";
    EXPECT_EQ(measured[1].ms.count, 23u) << "2,070 ms";
    EXPECT_EQ(measured[2].ms.count, 30u);
}

TEST(Measure, ShortWorkIsTimedInBatches)
{
    ClockDevice device;
    const Work work = [&] { device.now_ms += 0.004; };
    const auto measured = measure(device, {&work, 1});
    EXPECT_EQ(measured[0].runs_per_sample, 250);
    EXPECT_EQ(measured[0].ms.count, 30u);
    EXPECT_NEAR(measured[0].ms.median, 0.004, 1e-9);
}

TEST(Measure, RefusesEngineWithoutClock)
{
    ClockDevice device;
    device.has_clock = false;
    const Work work = [] {};
    EXPECT_THROW(measure(device, {&work, 1}), device::DeviceError);
}

TEST(Percentile, InterpolatesBetweenSamples)
{
    EXPECT_DOUBLE_EQ(spread_of({4, 1, 3, 2}).median, 2.5);
    EXPECT_DOUBLE_EQ(spread_of({5, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11}).p10, 2);
    EXPECT_DOUBLE_EQ(spread_of({7}).p90, 7);
    EXPECT_EQ(spread_of({}).count, 0u);
    EXPECT_TRUE(std::isnan(percentile_of_sorted({}, 0.5)));
}

} // namespace
