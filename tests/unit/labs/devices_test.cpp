// A plate divided among several devices: the same bits as on one device, halos exchanged in order,
// and a common timeline although each device has its own clock.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/experiment/record/read.h"
#include "compute/experiment/record/timeline.h"
#include "compute/simt/debug/launches.h"
#include "compute/simt/simt_device.h"
#include "tests/unit/labs/check_labs.h"

namespace lanescope::labs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Unit = Timeline::Unit;
using Chosen = std::map<std::string, std::string>;

struct Started {
    device::PlainAllocator shown;
    std::unique_ptr<Experiment> experiment;

    Started(device::Device& device, const char* lab, const std::string& variant,
            const Chosen& chosen)
        : shown(device), experiment(find(lab).start({.device = device,
                                                     .shown = shown,
                                                     .lab = find(lab),
                                                     .variant = find_variant(find(lab), variant),
                                                     .values = values_of(find(lab), chosen),
                                                     .seed = 3,
                                                     .image = {}}))
    {
    }
};

std::vector<std::uint32_t> bits(device::Device& device, Experiment& experiment)
{
    const auto field = std::get<FieldPicture>(experiment.picture("field"));
    return device::download<std::uint32_t>(device, field.values->address(),
                                           static_cast<std::size_t>(field.width) * field.height);
}

std::vector<std::uint32_t> after_steps(device::Device& device, const char* lab,
                                       const std::string& variant, const Chosen& chosen,
                                       std::int64_t steps)
{
    const Started one(device, lab, variant, chosen);
    while (one.experiment->steps() < steps) one.experiment->step();
    return bits(device, *one.experiment);
}

class SplitPlate : public testing::TestWithParam<Chosen> {};

TEST_P(SplitPlate, EqualsWholePlateBitwise)
{
    const auto device = simt::make_device({.checks = simt::Checks::all()});
    const auto whole = after_steps(*device, "heat", "naive", GetParam(), 12);
    for (const char* devices : {"1", "2", "3", "4"})
        for (const char* variant : {"host", "peer", "overlapped"}) {
            Chosen chosen = GetParam();
            chosen["devices"] = devices;
            EXPECT_EQ(after_steps(*device, "devices", variant, chosen, 12), whole)
                << variant << " on " << devices;
        }
}

INSTANTIATE_TEST_SUITE_P(Sizes, SplitPlate,
                         testing::Values(Chosen{{"size", "3"}},
                                         Chosen{{"size", "31"}, {"height", "3"}},
                                         Chosen{{"size", "3"}, {"height", "50"}},
                                         Chosen{{"size", "61"}, {"height", "7"}},
                                         Chosen{{"size", "37"}, {"height", "9"}},
                                         Chosen{{"size", "130"}, {"height", "101"}}));

// For the debugger, the machine that records launches simulates all devices.
TEST(Devices, OneMachineSimulatesAll)
{
    const Chosen chosen{{"size", "33"}, {"height", "29"}, {"devices", "3"}};
    const auto device = simt::make_device();
    simt::SteppedDevice alone({.threads = 1});
    for (const char* variant : {"host", "peer", "overlapped"})
        EXPECT_EQ(after_steps(alone, "devices", variant, chosen, 8),
                  after_steps(*device, "devices", variant, chosen, 8))
            << variant;
}

TEST(Devices, VariantsContinueFromEachOther)
{
    const Chosen chosen{{"size", "40"}, {"devices", "4"}};
    const auto device = simt::make_device();
    const Started one(*device, "devices", "host", chosen);
    for (const char* variant : {"host", "peer", "overlapped", "host"}) {
        one.experiment->select(find_variant(find("devices"), variant));
        one.experiment->step();
    }
    EXPECT_EQ(bits(*device, *one.experiment), after_steps(*device, "devices", "peer", chosen, 16));
}

// Counting a step again does not change any device's memory.
TEST(Devices, RecountingChangesNothing)
{
    const Chosen chosen{{"size", "40"}, {"devices", "3"}};
    const auto device = simt::make_device();
    const Started one(*device, "devices", "overlapped", chosen);
    for (int step = 0; step < 3; ++step) {
        trace::Trace trace;
        one.experiment->recount(trace);
        EXPECT_GT(trace.warp_instructions, 0u);
        one.experiment->step();
    }
    EXPECT_EQ(bits(*device, *one.experiment), after_steps(*device, "devices", "peer", chosen, 12));
}

// Counts cover all devices, but a warp map only the warps that stored on device 0.
TEST(Devices, CountsCoverAllDevicesMapsOnlyTheFirst)
{
    const auto device = simt::make_device();
    const auto counted = [&](const char* devices) {
        const Started one(*device, "devices", "peer", {{"size", "32"}, {"devices", devices}});
        trace::Trace trace;
        trace.footprint = one.experiment->next_result().footprint();
        one.experiment->step(&trace);
        std::uint64_t warp_total = 0;
        for (const trace::WarpCounts& warp : trace.warps) warp_total += warp.warp_instructions;
        const auto owned = static_cast<std::size_t>(std::ranges::count_if(
            trace.footprint.owners, [](std::uint32_t owner) { return owner != 0; }));
        return std::tuple(trace.warp_instructions, warp_total, owned);
    };
    const auto [all, warp_total, owned] = counted("1");
    EXPECT_EQ(warp_total, all);
    EXPECT_EQ(owned, 32u * 32);
    EXPECT_EQ(counted("2"), std::tuple(all, all / 2, 16u * 32));
}

TEST(Devices, EarlyExchangeIsWrongAtSeams)
{
    const Chosen chosen{{"size", "32"}, {"devices", "2"}};
    const auto device = simt::make_device();
    const auto right = after_steps(*device, "devices", "overlapped", chosen, 4);
    const auto wrong = after_steps(*device, "devices", "too_early", chosen, 4);
    for (int y = 0; y < 32; ++y) {
        const bool same = std::equal(right.begin() + 32 * y, right.begin() + 32 * (y + 1),
                                     wrong.begin() + 32 * y);
        EXPECT_EQ(same, y < 16 - 3 || y >= 16 + 3)
            << "row " << y << ": from the second step on, errors travel a row a step";
    }
}

// Order of operations: the edges, copies of them in another stream, the interior; then each device
// waits for its neighbours.
TEST(Devices, OverlappedOperationsKeepOrder)
{
    const auto device = simt::make_device();
    const Started one(*device, "devices", "overlapped", {{"size", "16"}, {"devices", "2"}});
    one.experiment->step();
    const Picture picture = one.experiment->picture("timeline");
    const Timeline& timeline = *std::get<TimelinePicture>(picture).timeline;
    EXPECT_FALSE(timeline.timed) << "simt has no clock";
    EXPECT_EQ(timeline.devices, 2);
    EXPECT_EQ(timeline.device_names, "2 devices simulated by the lockstep machine");
    ASSERT_EQ(timeline.operations.size(), 4u * 2 * 3);
    std::vector<std::string> words;
    for (std::size_t i = 0; i < 8; ++i) {
        const auto& operation = timeline.operations[i];
        words.push_back(fmt::format("{} {} {} after {}", operation.device, operation.stream,
                                    operation.unit == Unit::peer ? "peer" : operation.title,
                                    fmt::join(operation.after, " ")));
    }
    EXPECT_THAT(words, ElementsAre("0 0 edges after ", "0 1 peer after 0", "0 0 inner rows after ",
                                   "1 0 edges after ", "1 1 peer after 3", "1 0 inner rows after ",
                                   "0 0 edges after 4", "0 1 peer after 6"));
    EXPECT_EQ(timeline.operations[1].other, 1);
    EXPECT_EQ(timeline.operations[4].other, 0);
}

TEST(Devices, CopyThroughHostIsTwoCopies)
{
    const auto device = simt::make_device();
    const Started one(*device, "devices", "host", {{"size", "16"}, {"devices", "2"}});
    one.experiment->step();
    const Picture picture = one.experiment->picture("timeline");
    const Timeline& timeline = *std::get<TimelinePicture>(picture).timeline;
    std::vector<std::pair<Unit, int>> first;
    for (std::size_t i = 0; i < 8; ++i)
        first.emplace_back(timeline.operations[i].unit, timeline.operations[i].device);
    EXPECT_THAT(first, ElementsAre(std::pair(Unit::kernel, 0), std::pair(Unit::kernel, 1),
                                   std::pair(Unit::wait, 0), std::pair(Unit::to_host, 1),
                                   std::pair(Unit::to_device, 0), std::pair(Unit::to_host, 0),
                                   std::pair(Unit::to_device, 1), std::pair(Unit::wait, 0)));
}

// A device with a separate clock. It records the calls to its streams and returns times that the
// test sets.
class Clocked : public simt::SimtDevice, public device::Streams {
public:
    Clocked(std::string name, std::vector<double> ms, std::vector<std::string>& reported)
        : SimtDevice(simt::Options{.threads = 1}), name_(std::move(name)), ms_(std::move(ms)),
          reported_(reported)
    {
    }
    void pair_with(std::unique_ptr<Clocked> other) { other_ = std::move(other); }
    int count() const override { return 2; }
    std::unique_ptr<device::Device> beside(int) override { return std::move(other_); }

    std::unique_ptr<device::HostMemory> allocate_host(std::size_t bytes, bool) override
    {
        return device::pageable_memory(bytes);
    }
    void copy_in(device::Address, std::span<const std::byte>) override {}
    void copy_out(std::span<std::byte>, device::Address) override {}
    void use_stream(int number) override { stream_ = number; }
    void join_streams() override
    {
        reported_.push_back(name_ + " joins");
        stream_ = 0;
    }
    void wait_for(device::Streams& other, int number) override
    {
        reported_.push_back(fmt::format("{}.{} waits for {}.{}", name_, stream_,
                                        dynamic_cast<Clocked&>(other).name_, number));
    }
    void copy_to(device::Device&, device::Address, device::Address, std::size_t) override {}
    std::unique_ptr<device::Marks> marks() override
    {
        class Given : public device::Marks {
        public:
            explicit Given(std::vector<double> ms) : ms_(std::move(ms)) {}
            void mark() override { ++marked_; }
            std::vector<double> read_ms() override
            {
                EXPECT_EQ(marked_, ms_.size());
                return ms_;
            }

        private:
            std::vector<double> ms_;
            std::size_t marked_ = 0;
        };
        return std::make_unique<Given>(ms_);
    }

private:
    std::string name_;
    std::vector<double> ms_;
    std::vector<std::string>& reported_;
    std::unique_ptr<Clocked> other_;
    int stream_ = 0;
};

// Device 1's clock reads 0 between the readings 10 and 12 of device 0's clock, so its time 0 is 11
// on device 0. The step starts at 20 on device 0.
TEST(Devices, ShareOneTimeline)
{
    std::vector<std::string> reported;
    Clocked first("a", {10, 12, 20, 24, 31}, reported);
    first.pair_with(std::make_unique<Clocked>("b", std::vector<double>{0, 14, 15}, reported));
    device::Group group(first, device::streams_of(first));
    group.resize(2);
    ASSERT_FALSE(group.is_simulated());
    TimelineLog log(group);
    log.begin();
    reported.clear();
    log.operation({.unit = Unit::kernel}, [&] { group.use(0, 0); });
    log.operation({.unit = Unit::kernel, .device = 1}, [&] { group.use(1, 0); });
    group.use(1, 1);
    group.wait_for(0, 0);
    log.waits({1, 1}, {0, 0});
    log.operation({.unit = Unit::peer, .stream = 1, .device = 1}, [&] { group.use(1, 1); });
    log.end();
    EXPECT_THAT(reported, ElementsAre("b.0 waits for a.0", "b.2 waits for a.1", "a joins",
                                      "b joins", "a.0 waits for b.0"));
    const auto timeline = log.read();
    ASSERT_EQ(timeline->operations.size(), 3u);
    EXPECT_EQ(timeline->operations[0].end_ms, 4);
    EXPECT_EQ(timeline->operations[1].end_ms, 5) << "14 there is 25 here";
    EXPECT_EQ(timeline->operations[2].end_ms, 6);
    EXPECT_EQ(timeline->operations[2].start_ms, 4) << "it waited for device 0";
    EXPECT_THAT(timeline->operations[2].after, ElementsAre(0));
    EXPECT_EQ(timeline->total_ms, 11);
}

std::string refusal(const std::string& passes, const std::string& more = {})
{
    const std::string text = R"({"title": "t", "question": "q", "parameters": [], "devices": 2,
        "buffers": {"a": {"type": "f32", "extent": [4], "fill": 0, "each_device": true},
                    "b": {"type": "f32", "extent": [4], "fill": 0}},
        "file": "a.cu", "block": 4, "over": 4, "kernel": "a", "arguments": ["a"], "result": "a",
        "variants": [{"id": "v", "title": "v", "idea": "v", "passes": [)" +
                             passes + R"(]}], "views": [{"field": "a"}], "check": {"each": "0"})" +
                             more + "}";
    try {
        read_record(text, "lab.json", "t");
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

TEST(Devices, RecordMistakesAreReported)
{
    EXPECT_EQ(refusal(R"({"device": 1}, {"copy": "a", "device": 1, "to_device": 0})"), "");
    EXPECT_THAT(refusal(R"({"device": 1}, {"copy": "b", "device": 1, "to_device": 0})"),
                HasSubstr("only device 0 has b"));
    EXPECT_THAT(refusal(R"({"device": 1}, {"copy": "a", "to_device": 0})"),
                HasSubstr("\"device\" is missing"));
    EXPECT_THAT(
        refusal(R"({"device": 1}, {"copy": "a", "device": 1, "to_device": 0, "through": "air"})"),
        HasSubstr("'air' is not a way"));
    EXPECT_THAT(refusal(R"({}, {"wait_for": {"stream": 1}, "device": 1})"),
                HasSubstr("\"device\" is missing"));
}

} // namespace
} // namespace lanescope::labs
