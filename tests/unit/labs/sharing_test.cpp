// Steps that draw frames: who owns OpenGL's memory at each call, the bytes that calls copy, and
// faults at the line of the call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/device/graphics.h"
#include "compute/experiment/lab/lab.h"
#include "compute/experiment/record/frame_calls.h"
#include "compute/experiment/record/timeline.h"
#include "compute/simt/simt_device.h"

namespace lanescope::labs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Unit = Timeline::Unit;

constexpr int side = 33;

struct Started {
    explicit Started(const std::string& variant)
        : device(simt::make_device()), shown(*device), values(find("sharing"))
    {
        values.set("size", std::to_string(side));
        const Lab& lab = find("sharing");
        experiment = lab.start({.device = *device,
                                .shown = shown,
                                .lab = lab,
                                .variant = find_variant(lab, variant),
                                .values = values,
                                .image = {}});
    }
    Timeline timeline() const
    {
        experiment->step();
        const Picture picture = experiment->picture("timeline");
        return *std::get<TimelinePicture>(picture).timeline;
    }

    std::unique_ptr<device::Device> device;
    device::PlainAllocator shown;
    Values values;
    std::unique_ptr<Experiment> experiment;
};

std::vector<Unit> first_frame(const Timeline& timeline)
{
    std::vector<Unit> units;
    for (const auto& one : timeline.operations)
        if (one.frame == 0) units.push_back(one.unit);
    return units;
}

std::uint64_t bytes_of(const Timeline& timeline)
{
    std::uint64_t bytes = 0;
    for (const auto& one : timeline.operations) bytes += one.bytes;
    return bytes;
}

TEST(Sharing, FramesAreCallsInOrder)
{
    const Timeline host = Started("vertices_host").timeline();
    EXPECT_EQ(host.frames, 3);
    EXPECT_FALSE(host.timed);
    EXPECT_THAT(host.not_timed, HasSubstr("no clock"));
    EXPECT_THAT(first_frame(host), ElementsAre(Unit::kernel, Unit::to_host, Unit::wait,
                                               Unit::to_opengl, Unit::draw, Unit::present));
    EXPECT_THAT(first_frame(Started("texture_shared").timeline()),
                ElementsAre(Unit::map, Unit::kernel, Unit::unmap, Unit::draw, Unit::present));
}

// A vertex has 16 bytes, a texel 4. Both directions count.
TEST(Sharing, OnlyCopiesMoveBytes)
{
    constexpr std::uint64_t cells = 3 * side * side;
    EXPECT_EQ(bytes_of(Started("vertices_host").timeline()), 2 * 16 * cells);
    EXPECT_EQ(bytes_of(Started("texture_host").timeline()), 2 * 4 * cells);
    EXPECT_EQ(bytes_of(Started("vertices_shared").timeline()), 0u);
    EXPECT_EQ(bytes_of(Started("texture_shared").timeline()), 0u);
    EXPECT_EQ(bytes_of(Started("registered_again").timeline()), 0u);
}

// The window counts every step.
TEST(Sharing, CountedStepsHaveTheirCalls)
{
    const Started started("vertices_host");
    trace::Trace trace;
    started.experiment->step(&trace);
    const Picture picture = started.experiment->picture("timeline");
    const Timeline& counted = *std::get<TimelinePicture>(picture).timeline;
    EXPECT_EQ(counted.frames, 3);
    EXPECT_EQ(first_frame(counted), first_frame(Started("vertices_host").timeline()));
    EXPECT_EQ(bytes_of(counted), 3u * 2 * 16 * side * side);
    EXPECT_GT(trace.totals().global_store.requests, 0u);
}

// The check reads what OpenGL has, so a missing upload would fail it.
TEST(Sharing, OpenGlHasTheLastFrame)
{
    for (const Variant& variant : find("sharing").variants) {
        if (!variant.fault.empty()) continue;
        const Started started(variant.id);
        for (int step = 0; step < 3; ++step) started.experiment->step();
        const Check check = started.experiment->check();
        EXPECT_TRUE(check.correct) << variant.id << ": " << check.message;
    }
}

TEST(Sharing, DrawingMappedMemoryIsAFaultAtItsLine)
{
    const Started started("drawn_mapped");
    try {
        started.experiment->step();
        FAIL() << "no fault";
    } catch (const device::KernelFault& fault) {
        EXPECT_EQ(fault.fault().kind, "mapped_resource");
        EXPECT_EQ(fault.fault().file, "drawn_mapped.cu");
        const std::string_view source =
            find("sharing").source(find_variant(find("sharing"), "drawn_mapped"));
        std::size_t at = 0;
        for (int line = 1; line < fault.fault().line; ++line) at = source.find('\n', at) + 1;
        EXPECT_TRUE(source.substr(at).starts_with("//     glDrawArrays")) << fault.fault().line;
    }
    // The memory is the device's again.
    EXPECT_NO_THROW(started.experiment->picture("field"));
}

// Every call of a frame is in the source that the window shows.
TEST(Sharing, SourcesShowTheirCalls)
{
    const Lab& lab = find("sharing");
    for (const Variant& variant : lab.variants)
        for (const Action& frame : lab.record->plans.at(variant.index).step)
            for (const Action& one : frame.body) {
                if (one.kind == Action::Kind::wait && variant.id.ends_with("_host")) continue;
                const std::string_view words = call_words(one.kind, one.to == "texture");
                EXPECT_FALSE(words.empty());
                EXPECT_THAT(std::string(lab.source(variant)), HasSubstr(std::string(words)))
                    << variant.id;
            }
}

class Calls : public testing::Test {
protected:
    Calls() : device(simt::make_device()), calls(*device)
    {
        memory = calls.buffer("a", 64);
        calls.begin({"a"}, {});
    }
    std::string fault_of(const std::function<void()>& call)
    {
        try {
            call();
        } catch (const device::KernelFault& fault) {
            return fault.fault().kind;
        }
        return "none";
    }

    std::unique_ptr<device::Device> device;
    FrameCalls calls;
    std::shared_ptr<device::Buffer> memory;
    const HostCall here{"kernel", "a.cu", 3};
};

TEST_F(Calls, OwnersAreChecked)
{
    EXPECT_EQ(fault_of([&] { calls.require_mapped("a", here); }), "unmapped_resource");
    EXPECT_EQ(fault_of([&] { calls.unmap("a", here); }), "unmapped_resource");
    EXPECT_EQ(fault_of([&] { calls.draw("a", here); }), "none");
    EXPECT_EQ(fault_of([&] { calls.register_memory("a", here); }), "resource_access");
    calls.map("a", here);
    EXPECT_EQ(fault_of([&] { calls.require_mapped("a", here); }), "none");
    EXPECT_EQ(fault_of([&] { calls.map("a", here); }), "mapped_resource");
    EXPECT_EQ(fault_of([&] { calls.draw("a", here); }), "mapped_resource");
    EXPECT_EQ(fault_of([&] { calls.update("a", {}, here); }), "mapped_resource");
    EXPECT_EQ(fault_of([&] { calls.unregister_memory("a", here); }), "mapped_resource");
    calls.unmap("a", here);
    calls.unregister_memory("a", here);
    EXPECT_EQ(fault_of([&] { calls.map("a", here); }), "resource_access");
    calls.end();
    EXPECT_EQ(fault_of([&] { calls.require_mapped("a", here); }), "none") << "outside of a step";
}

TEST_F(Calls, UploadsReachTheMemory)
{
    std::vector<std::byte> bytes(64, std::byte{7});
    calls.update("a", bytes, here);
    EXPECT_EQ(device::download<std::byte>(*device, memory->address(), 64), bytes);
}

} // namespace
} // namespace lanescope::labs
