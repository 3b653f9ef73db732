// Slices that explain results: the writer equals the one found by brute force, and evaluating the
// slice gives the value. LANESCOPE_ELEMENTS sets the number of elements tested per variant.
#include <cstdlib>
#include <cstring>
#include <random>

#include "compute/simt/debug/slice.h"
#include "tests/unit/labs/check_labs.h"

namespace lanescope::labs {
namespace {

using simt::Place;
using simt::Slice;
using simt::SliceNode;

std::vector<Case> sliced_cases()
{
    std::vector<Case> cases = every_case_without_fault();
    std::erase_if(cases, [](const Case& one) {
        const auto& id = one.lab->id;
        const bool named = id == "heat" || id == "transpose" || id == "rotate" ||
                           id == "histogram" || id == "reduction" || id == "scan" || id == "matmul";
        return !named ||
               one.size !=
                   &one.lab->test_sizes[std::min<std::size_t>(2, one.lab->test_sizes.size() - 1)] ||
               !one.variant->runs_on(device::Engine::simt);
    });
    return cases;
}

class Why : public testing::TestWithParam<Case> {};

// Records the last writer of every byte that a launch stores, by brute force.
class Writers : public simt::Observer {
public:
    struct Writer {
        std::uint64_t block = 0;
        int warp = 0;
        int lane = 0;
    };
    std::map<std::pair<std::uint64_t, simt::Address>, Writer> bytes; // by surface (or 0), address

    void access(simt::Executor& x, const simt::AccessEvent& event) override
    {
        if (event.space != ptx::Space::global || event.op == trace::Op::load) return;
        for (std::uint32_t rest = event.mask; rest != 0; rest &= rest - 1) {
            const int lane = simt::lowest_lane(rest);
            bytes[{0, event.address(lane)}] = {x.block->linear, x.warp->index, lane};
        }
    }
    void surface_store(simt::Executor& x, const simt::SurfaceStore& store) override
    {
        bytes[{store.handle, store.offset}] = {x.block->linear, x.warp->index, -1};
    }
};

TEST_P(Why, SliceReproducesValue)
{
    const Case& one = GetParam();
    const char* wanted = std::getenv("LANESCOPE_ELEMENTS");
    const int elements = wanted != nullptr ? std::atoi(wanted) : 4;
    simt::SteppedDevice device({.threads = 1});
    device::PlainAllocator shown(device);
    const auto experiment = one.lab->start({.device = device,
                                            .shown = shown,
                                            .lab = *one.lab,
                                            .variant = *one.variant,
                                            .values = values_of(*one.lab, *one.size),
                                            .seed = 7,
                                            .image = {}});
    const Experiment::Result result = experiment->next_result();
    if (result.buffer == nullptr && result.image == nullptr)
        GTEST_SKIP() << "the result is no array";
    device.note(true);
    experiment->step();
    const std::size_t last = device.launches().size() - 1;

    // Runs all launches up to the last one with that observer.
    Writers writers;
    for (std::size_t launch = 0; launch <= last; ++launch) {
        const auto timeline = device.timeline(launch, {.checks = false});
        simt::Walk& walk = timeline->walk();
        walk.observe_with({&writers}, nullptr);
        walk.run_to(~std::uint64_t{0});
    }
    simt::Slicer slicer(device);
    std::mt19937_64 random(5);
    const auto count =
        static_cast<std::uint64_t>(result.width) * static_cast<std::uint64_t>(result.stored_height);
    int evaluated = 0;
    for (int i = 0; i < elements; ++i) {
        const std::uint64_t index = random() % count;
        Place place;
        place.bytes = std::min(4, result.element_bytes);
        place.address =
            result.offset_bytes + index * static_cast<std::uint64_t>(result.element_bytes);
        if (result.image != nullptr)
            place.surface = result.image->surface();
        else
            place.address += result.buffer->address();
        const auto found = slicer.writer(place, last);
        // A store of several elements begins before this one.
        auto expected = writers.bytes.upper_bound({place.surface, place.address});
        ASSERT_NE(expected, writers.bytes.begin());
        --expected;
        ASSERT_TRUE(found) << "element " << index;
        EXPECT_EQ(found->write.block, expected->second.block) << "element " << index;
        EXPECT_EQ(found->write.warp, expected->second.warp) << "element " << index;
        if (expected->second.lane >= 0) {
            EXPECT_EQ(found->write.lane, expected->second.lane) << "element " << index;
        }

        const Slice slice = slicer.why(place, last, {.max_nodes = 30'000});
        std::vector<std::byte> bytes(static_cast<std::size_t>(place.bytes));
        simt::Timeline& timeline = slicer.timeline(last);
        timeline.go_to(~std::uint64_t{0});
        ASSERT_TRUE(timeline.read(place, bytes));
        std::uint64_t value = 0;
        std::memcpy(&value, bytes.data(), bytes.size());
        if (!slice.complete) continue; // a large sum has too many inputs for the slice
        EXPECT_EQ(slice.nodes.front().bits, value) << "element " << index;
        bool followed = true;
        std::string why;
        for (const SliceNode& node : slice.nodes)
            if (node.kind == SliceNode::Kind::cut) {
                followed = false;
                why = node.name;
            }
        EXPECT_TRUE(followed) << "element " << index << ": " << why;
        const auto again = slicer.evaluate(slice);
        ASSERT_EQ(again.has_value(), followed);
        if (!again) continue;
        EXPECT_EQ(*again, value) << "element " << index << " of " << slice.nodes.size() << " nodes";
        ++evaluated;
    }
    RecordProperty("evaluated", evaluated);
}

INSTANTIATE_TEST_SUITE_P(Labs, Why, testing::ValuesIn(sliced_cases()), case_name);

} // namespace
} // namespace lanescope::labs
