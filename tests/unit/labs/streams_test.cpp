// Steps with operations in several streams: their kinds, order and times, on a device whose clock
// the test sets. Passes captured in a graph: one call per step, with the results of plain launches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/device/graphs.h"
#include "compute/experiment/lab/lab.h"
#include "compute/experiment/record/timeline.h"
#include "compute/simt/simt_device.h"
#include "tests/unit/labs/check_labs.h"

namespace lanescope::labs {
namespace {

using testing::ElementsAre;
using Unit = Timeline::Unit;

Timeline timeline_of(const std::map<std::string, std::string>& values)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const Lab& lab = find("streams");
    Values chosen(lab);
    for (const auto& [id, text] : values) chosen.set(id, text);
    const auto experiment = lab.start({.device = *device,
                                       .shown = shown,
                                       .lab = lab,
                                       .variant = find_variant(lab, "pinned"),
                                       .values = chosen,
                                       .image = {}});
    experiment->step();
    const Picture picture = experiment->picture("timeline");
    return *std::get<TimelinePicture>(picture).timeline;
}

TEST(Streams, ChunksRotateThroughStreams)
{
    const Timeline timeline =
        timeline_of({{"size", "100"}, {"chunks", "3"}, {"streams", "2"}, {"rounds", "1"}});
    EXPECT_FALSE(timeline.timed) << "simt has no clock";
    EXPECT_EQ(timeline.lab, "streams");
    EXPECT_EQ(timeline.variant, "pinned");
    EXPECT_EQ(timeline.values.at("chunks"), "3");
    std::vector<Unit> units;
    std::vector<int> streams;
    for (const auto& one : timeline.operations) {
        units.push_back(one.unit);
        streams.push_back(one.stream);
    }
    EXPECT_THAT(units, ElementsAre(Unit::to_device, Unit::kernel, Unit::to_host, Unit::to_device,
                                   Unit::kernel, Unit::to_host, Unit::to_device, Unit::kernel,
                                   Unit::to_host));
    EXPECT_THAT(streams, ElementsAre(0, 0, 0, 1, 1, 1, 0, 0, 0));
}

// Streams whose marks have the times that the test sets.
class Moments : public device::Streams {
public:
    explicit Moments(std::vector<double> ms) : ms_(std::move(ms)) {}
    std::unique_ptr<device::HostMemory> allocate_host(std::size_t bytes, bool) override
    {
        return device::pageable_memory(bytes);
    }
    void copy_in(device::Address, std::span<const std::byte>) override {}
    void copy_out(std::span<std::byte>, device::Address) override {}
    void use_stream(int) override {}
    void join_streams() override {}
    void wait_for(device::Streams&, int) override {}
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
    std::vector<double> ms_;
};

// The second copy was queued during the first one, so its bar begins at the end of the first one's.
TEST(Streams, EachUnitRunsOneOperation)
{
    const auto device = simt::make_device();
    device::Group group(*device, std::make_shared<Moments>(std::vector<double>{0, 2, 4, 3, 4.5}));
    TimelineLog log(group);
    ASSERT_TRUE(log.timed());
    log.begin();
    log.operation({.unit = Unit::to_device}, [] {});
    log.operation({.unit = Unit::to_device, .stream = 1}, [] {});
    log.operation({.unit = Unit::kernel}, [] {});
    log.operation({.unit = Unit::wait}, [] {});
    log.end();
    const auto timeline = log.read();
    ASSERT_EQ(timeline->operations.size(), 4u);
    EXPECT_TRUE(timeline->timed);
    EXPECT_EQ(timeline->operations[1].start_ms, 2);
    EXPECT_EQ(timeline->operations[1].end_ms, 4);
    EXPECT_EQ(timeline->operations[2].start_ms, 2) << "kernels run beside copies";
    EXPECT_EQ(timeline->operations[2].end_ms, 3);
    EXPECT_EQ(timeline->total_ms, 4.5);
    EXPECT_LE(timeline->operations[3].call_start_ms, timeline->operations[3].call_end_ms);
    EXPECT_EQ(log.read(), timeline) << "marks are read once";
}

// Keeps captured launches, and makes them when their graph is launched.
class Capturing : public simt::SimtDevice, public device::Graphs {
public:
    Capturing() : SimtDevice(simt::Options{.threads = 1}) {}

    void launch(const device::Kernel& kernel, const device::Launch& launch) override
    {
        if (captured_) return captured_->push_back({&kernel, launch});
        ++calls;
        SimtDevice::launch(kernel, launch);
    }
    std::unique_ptr<device::Graph> capture(const std::function<void()>& work) override
    {
        ++captures;
        auto graph = std::make_unique<Captured>(*this);
        captured_ = &graph->launches;
        work();
        captured_ = nullptr;
        return graph;
    }

    int calls = 0;
    int captures = 0;

private:
    struct One {
        const device::Kernel* kernel;
        device::Launch launch;
    };
    struct Captured : device::Graph {
        explicit Captured(Capturing& on) : device(on) {}
        void launch() override
        {
            ++device.calls;
            for (const One& one : launches) device.SimtDevice::launch(*one.kernel, one.launch);
        }
        Capturing& device;
        std::vector<One> launches;
    };
    std::vector<One>* captured_ = nullptr;
};

// Steps a variant of the lab Graph launches.
struct Stepped {
    Stepped(const char* variant, const char* generations)
        : shown(device),
          experiment(
              find("graph_launches")
                  .start({.device = device,
                          .shown = shown,
                          .lab = find("graph_launches"),
                          .variant = find_variant(find("graph_launches"), variant),
                          .values = values_of(find("graph_launches"),
                                              {{"size", "20"}, {"generations", generations}}),
                          .seed = 3,
                          .image = {}}))
    {
    }
    void step(int steps)
    {
        for (int i = 0; i < steps; ++i) experiment->step();
    }

    Capturing device;
    device::PlainAllocator shown;
    std::unique_ptr<Experiment> experiment;
};

TEST(Graphs, ReplaceCallsOfEachStep)
{
    Stepped plain("launches", "4"), graph("graph", "4");
    plain.step(3);
    graph.step(3);
    EXPECT_EQ(plain.device.calls, 3 * 4);
    EXPECT_EQ(graph.device.calls, 3);
    EXPECT_EQ(graph.device.captures, 1);
    EXPECT_TRUE(plain.experiment->check().correct);
    EXPECT_TRUE(graph.experiment->check().correct);
}

// After an odd number of swaps the buffers have changed places, so that every other step needs a
// graph with the other arguments.
TEST(Graphs, AreCapturedAgainForOtherMemory)
{
    Stepped graph("graph", "3");
    graph.step(5);
    EXPECT_EQ(graph.device.captures, 2);
    EXPECT_EQ(graph.device.calls, 5);
    EXPECT_TRUE(graph.experiment->check().correct);
}

TEST(Graphs, AreCapturedAgainForOtherNumbers)
{
    Stepped graph("graph", "4");
    graph.step(2);
    const Lab& lab = find("graph_launches");
    graph.experiment->set(values_of(lab, {{"size", "20"}, {"generations", "2"}}));
    graph.step(2);
    EXPECT_EQ(graph.device.captures, 2);
    EXPECT_EQ(graph.device.calls, 4);
}

// Counts are those of the launches, one by one.
TEST(Graphs, AreNotUsedWhileCounting)
{
    Stepped plain("launches", "4"), graph("graph", "4");
    trace::Trace by_plain, by_graph;
    plain.experiment->step(&by_plain);
    graph.experiment->step(&by_graph);
    EXPECT_EQ(graph.device.captures, 0);
    EXPECT_EQ(graph.device.calls, 4);
    EXPECT_EQ(by_graph.totals().warp_instructions, by_plain.totals().warp_instructions);
    EXPECT_EQ(by_graph.totals().global_store.sectors, by_plain.totals().global_store.sectors);
    EXPECT_TRUE(graph.experiment->check().correct);
}

} // namespace
} // namespace lanescope::labs
