// Kernels that launch kernels on the GPU: linked with NVIDIA's device runtime, with its order and
// errors, and counted by probes like on the lockstep machine.
#include <algorithm>
#include <tuple>

#include "compute/simt/simt_device.h"
#include "tests/gpu/gpu.h"
#include "tests/gpu/probed.h"

namespace lanescope::gpu_tests {
namespace {

constexpr std::size_t list_words = 64;

std::vector<int> list_after(device::Device& device, const std::string& kernel,
                            std::vector<device::Argument> more = {}, trace::Trace* trace = nullptr)
{
    const auto module = device.load(assets::find("tests/gpu/launching_kernels.ptx").value());
    const auto list = uploaded(device, std::vector<int>(list_words, 0));
    device::Launch launch{.arguments = {*list}, .trace = trace};
    for (device::Argument& argument : more) launch.arguments.push_back(std::move(argument));
    if (trace != nullptr) {
        trace->footprint.address = list->address();
        trace->footprint.bytes = list->bytes();
    }
    device.launch(module->kernel(kernel), launch);
    device.synchronize();
    return device::download<int>(device, list->address(), list_words);
}

class DeviceLaunches : public OnGpu {};

TEST_F(DeviceLaunches, RunInStreamOrderWithTailLaunchesLast)
{
    const auto list = list_after(*gpu, "in_order");
    ASSERT_EQ(list[0], 6) << "3 blocks, 1, 1 and the tail";
    EXPECT_EQ(list[6], 9) << "the tail is last";
    const auto begin = list.begin() + 1;
    const auto place = [&](int value) { return std::find(begin, list.end(), value) - begin; };
    const auto twos = std::count(begin, begin + place(3), 2);
    EXPECT_EQ(twos, 3) << "3 is behind every 2";
}

TEST_F(DeviceLaunches, FailLikeLockstepMachine)
{
    const auto simt = simt::make_device();
    for (const char* kernel : {"deeper", "too_wide"}) {
        const auto here = list_after(*gpu, kernel);
        const auto there = list_after(*simt, kernel);
        EXPECT_EQ(here[0], there[0]) << kernel;
        EXPECT_EQ(here[1], there[1]) << kernel;
    }
    // The number of pending launches depends on how fast they finish: an H100 accepted all 5,000.
    const auto here = list_after(*gpu, "too_many", {5000});
    const auto there = list_after(*simt, "too_many", {5000});
    RecordProperty("accepted_on_gpu", here[1]);
    std::printf("too_many: GPU ran %d, accepted %d, error %d; simt ran %d, accepted %d, error %d\n",
                here[0], here[1], here[2], there[0], there[1], there[2]);
    EXPECT_EQ(here[0], here[1]) << "all that were accepted ran";
    EXPECT_EQ(there[1], 2048);
    EXPECT_EQ(here[2], here[1] < 5000 ? there[2] : 0);
}

using WarpKey = std::vector<std::uint64_t>;

WarpKey key_of(const trace::WarpCounts& warp)
{
    WarpKey key;
    for (const trace::WarpCountRow& row : trace::warp_count_rows)
        if (row.field != &trace::WarpCounts::texel_sectors &&
            row.field != &trace::WarpCounts::warp_instructions)
            key.push_back(warp.*row.field);
    return key;
}

// Launches start in any order, so warps are compared as a set, and elements by the counts of the
// warp that stored them. Instructions of warps whose lanes exit separately may differ, as explained
// in probes_test.cpp.
void expect_same_work(const trace::Trace& probes, const trace::Trace& simt)
{
    EXPECT_EQ(probes.device_launches, simt.device_launches);
    ASSERT_EQ(probes.sites.size(), simt.sites.size());
    for (std::size_t i = 0; i < simt.counts.size(); ++i) {
        trace::Counts expected = simt.counts[i];
        expected.modelled_sectors = 0;
        EXPECT_TRUE(probes.counts[i] == expected)
            << simt.sites[i % simt.sites.size()].ptx << ": " << probes.counts[i].executions
            << " against " << expected.executions;
    }
    const std::uint64_t apart = std::max(probes.warp_instructions, simt.warp_instructions) -
                                std::min(probes.warp_instructions, simt.warp_instructions);
    EXPECT_LE(apart, simt.totals().divergent_branches);
    EXPECT_EQ(probes.thread_instructions, simt.thread_instructions);
    ASSERT_EQ(probes.warps.size(), simt.warps.size()) << "%gridid is no launch's own";
    const auto keys = [](const trace::Trace& trace) {
        std::vector<WarpKey> all;
        for (const trace::WarpCounts& warp : trace.warps) all.push_back(key_of(warp));
        std::ranges::sort(all);
        return all;
    };
    EXPECT_TRUE(keys(probes) == keys(simt)) << "warps did other work";
    ASSERT_EQ(probes.footprint.owners.size(), simt.footprint.owners.size());
    std::size_t different = 0;
    for (std::size_t i = 0; i < simt.footprint.owners.size(); ++i) {
        const auto [a, b] = std::tuple(probes.footprint.owners[i], simt.footprint.owners[i]);
        different += (a == 0) != (b == 0) ||
                     (a != 0 && key_of(probes.warps.at(a - 1)) != key_of(simt.warps.at(b - 1)));
    }
    EXPECT_EQ(different, 0u) << "elements of " << simt.footprint.owners.size();
}

TEST_F(DeviceLaunches, AreCountedWithParent)
{
    const auto simt = simt::make_device();
    trace::Trace probes, lockstep;
    const auto here = list_after(*gpu, "tree", {4}, &probes);
    const auto there = list_after(*simt, "tree", {4}, &lockstep);
    EXPECT_EQ(here, there);
    EXPECT_GT(lockstep.device_launches, 30u);
    expect_same_work(probes, lockstep);
}

// Counts that are kept on the device also include the number of launches from the device.
TEST_F(DeviceLaunches, AreCountedWhenCountsStayOnDevice)
{
    trace::Trace waited, kept;
    list_after(*gpu, "tree", {3}, &waited);
    kept.keep_on_device = true;
    list_after(*gpu, "tree", {3}, &kept);
    EXPECT_EQ(kept.device_launches, waited.device_launches);
    EXPECT_EQ(kept.device_counts.warp_count, waited.warps.size());
}

class LaunchingLab : public OnGpu, public testing::WithParamInterface<LabCase> {
protected:
    trace::Trace traced(device::Device& device,
                        const std::map<std::string, std::string>& size) const
    {
        const LabCase& wanted = GetParam();
        device::PlainAllocator memory(device);
        labs::Values values(*wanted.lab);
        for (const auto& [parameter, value] : size) values.set(parameter, value);
        const auto experiment =
            wanted.lab->start({device, memory, *wanted.lab, *wanted.variant, values, 1, {}});
        trace::Trace trace;
        experiment->step();
        trace.footprint = experiment->next_result().footprint();
        experiment->step(&trace);
        const labs::Check check = experiment->check();
        EXPECT_EQ(check.correct, !wanted.variant->wrong) << check.message;
        return trace;
    }
};

TEST_P(LaunchingLab, CountsMatchLockstepMachine)
{
    const auto simt = simt::make_device();
    for (const auto& size : GetParam().lab->test_sizes) {
        std::string name;
        for (const auto& [parameter, value] : size) name += parameter + "=" + value + " ";
        SCOPED_TRACE(name);
        expect_same_work(traced(*gpu, size), traced(*simt, size));
    }
}

std::vector<LabCase> launching_cases()
{
    std::vector<LabCase> all = lab_cases();
    std::erase_if(all, [](const LabCase& one) {
        return one.variant->wrong ||
               one.lab->ptx(*one.variant).find("__cudaCDP2") == std::string_view::npos;
    });
    return all;
}

INSTANTIATE_TEST_SUITE_P(Every, LaunchingLab, testing::ValuesIn(launching_cases()),
                         [](const auto& info) {
                             return info.param.lab->id + "_" + info.param.variant->id;
                         });

} // namespace
} // namespace lanescope::gpu_tests
