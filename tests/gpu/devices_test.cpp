// Several devices: separate GPUs if the machine has enough, otherwise one GPU simulates them with
// streams. The results must be the same; each test prints which case it was.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "compute/experiment/lab/lab.h"
#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

constexpr std::size_t count = 1 << 20;
constexpr std::size_t bytes = count * sizeof(unsigned);

class Devices : public OnGpu, public testing::WithParamInterface<int> {
protected:
    void SetUp() override
    {
        OnGpu::SetUp();
        if (IsSkipped()) return;
        group = std::make_unique<device::Group>(*gpu, device::streams_of(*gpu));
        group->resize(GetParam());
        EXPECT_EQ(group->is_simulated(), GetParam() > gpu->count());
        fmt::print("{}\n", group->words());
    }
    void TearDown() override { group.reset(); }

    std::unique_ptr<device::Buffer> filled(int number, unsigned value)
    {
        return uploaded(group->device(number), std::vector<unsigned>(count, value));
    }
    // Waits for the uploads, which run in streams of their devices.
    void settle()
    {
        for (int i = 0; i < group->size(); ++i) group->device(i).synchronize();
    }
    std::vector<unsigned> values(int number, const device::Buffer& buffer)
    {
        return device::download<unsigned>(group->device(number), buffer.address(), count);
    }

    std::unique_ptr<device::Group> group;
};

TEST_P(Devices, CopyToNeighbour)
{
    const int devices = GetParam();
    std::vector<std::unique_ptr<device::Buffer>> from, to;
    for (int i = 0; i < devices; ++i) {
        from.push_back(filled(i, 100u + static_cast<unsigned>(i)));
        to.push_back(filled(i, 0));
    }
    settle();
    for (int i = 0; i < devices; ++i) {
        const int next = (i + 1) % devices;
        group->use(i, 1);
        group->copy(next, to[static_cast<std::size_t>(next)]->address(),
                    from[static_cast<std::size_t>(i)]->address(), bytes / 2);
    }
    group->synchronize();
    for (int i = 0; i < devices; ++i) {
        const auto got = values(i, *to[static_cast<std::size_t>(i)]);
        const unsigned sent = 100u + static_cast<unsigned>((i + devices - 1) % devices);
        EXPECT_EQ(std::ranges::count(got, sent), static_cast<std::ptrdiff_t>(count / 2));
        EXPECT_EQ(got.front(), sent);
        EXPECT_EQ(got.back(), 0u) << "only what was to be copied";
    }
}

// Device 1 waits for a long kernel, and its copy sees that kernel's result.
TEST_P(Devices, WaitForEachOther)
{
    const auto spins = gpu->load(kernels_ptx());
    const auto from = filled(0, 7);
    const auto made = filled(0, 0);
    const auto there = filled(1, 0);
    const auto back = filled(0, 0);
    settle();
    group->use(0, 0);
    gpu->launch(spins->kernel("spin"), {.arguments = {50'000'000LL}});
    gpu->launch(spins->kernel("add_one"), {.grid = {count / 256, 1, 1},
                                           .block = {256, 1, 1},
                                           .arguments = {*from, *made, static_cast<int>(count)}});
    group->use(0, 1);
    group->wait_for(0, 0);
    group->copy(1, there->address(), made->address(), bytes);
    group->use(1, 0);
    group->wait_for(0, 1);
    group->copy(0, back->address(), there->address(), bytes);
    group->join();
    EXPECT_EQ(values(0, *back), std::vector<unsigned>(count, 8)) << "join() waits for all of it";
}

// Times of all devices share one clock: no interval starts before the step or ends after it.
TEST_P(Devices, ShareOneTimeline)
{
    const labs::Lab& lab = labs::find("devices");
    for (const char* variant : {"host", "peer", "overlapped"}) {
        SCOPED_TRACE(variant);
        labs::Values chosen(lab);
        chosen.set("devices", std::to_string(GetParam()));
        chosen.set("size", "2048");
        device::PlainAllocator memory(*gpu);
        const auto experiment =
            lab.start({*gpu, memory, lab, labs::find_variant(lab, variant), chosen, 1, {}});
        for (int step = 0; step < 3; ++step) experiment->step();
        const labs::Picture picture = experiment->picture("timeline");
        const labs::Timeline& timeline = *std::get<labs::TimelinePicture>(picture).timeline;
        EXPECT_TRUE(timeline.timed);
        EXPECT_EQ(timeline.devices, GetParam());
        EXPECT_EQ(timeline.device_names, group->words());
        EXPECT_GT(timeline.ideal_ms(), 0);
        constexpr double clocks_ms = 0.1; // tolerance between the clocks of two devices
        for (const auto& one : timeline.operations) {
            if (one.unit == labs::Timeline::Unit::wait) continue;
            EXPECT_LE(one.start_ms, one.end_ms);
            EXPECT_GE(one.start_ms, 0);
            EXPECT_LE(one.end_ms, timeline.total_ms + clocks_ms);
            for (const int awaited : one.after)
                EXPECT_GE(one.end_ms + clocks_ms,
                          timeline.operations[static_cast<std::size_t>(awaited)].end_ms);
        }
        const labs::Check check = experiment->check();
        EXPECT_TRUE(check.correct) << check.message;
    }
}

INSTANTIATE_TEST_SUITE_P(Several, Devices, testing::Values(2, 3, 4));

} // namespace
} // namespace lanescope::gpu_tests
