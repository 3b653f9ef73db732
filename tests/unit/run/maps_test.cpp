// Memory for maps of counts: if it cannot grow, there is an exception and the map has no data.
#include <gtest/gtest.h>

#include "app/run/engine/engine.h"
#include "app/run/engine/shared_device.h"
#include "app/run/maps/memory_map.h"
#include "app/run/maps/warp_map.h"
#include "render/context/offscreen.h"

namespace lanescope::app {
namespace {

class NoRoom : public device::Allocator {
public:
    std::unique_ptr<device::Buffer> buffer(std::size_t) override { throw std::bad_alloc(); }
    std::unique_ptr<device::Image> image(int, int, device::Format) override
    {
        throw std::bad_alloc();
    }
};

class Maps : public testing::Test {
protected:
    std::unique_ptr<labs::Experiment> transpose(const char* size) const
    {
        const labs::Lab& lab = labs::find("transpose");
        labs::Values values(lab);
        values.set("size", size);
        return lab.start({.device = shared_.device(),
                          .shown = shared_.shown(),
                          .lab = lab,
                          .variant = labs::find_variant(lab, "naive"),
                          .values = values,
                          .seed = 1,
                          .image = {}});
    }

    const render::Offscreen context_;
    const SharedDevice shared_{open_engine("simt"), "simt",
                               std::make_shared<render::GlTaskQueue>()};
    NoRoom no_room_;
};

TEST_F(Maps, FailedGrowthThrowsAndLeavesNoData)
{
    const render::MappedScope mapped(shared_.sharing());
    MemoryMap memory(shared_.device(), shared_.sharing());
    WarpMap warps(shared_.device(), shared_.sharing());
    const auto small = transpose("32");
    trace::Trace trace;
    memory.ask(*small, "", trace, shared_.shown());
    warps.ask(*small, trace, shared_.shown());
    small->step(&trace);
    memory.take(trace);
    warps.take(trace, nullptr, shared_.shown());
    ASSERT_TRUE(memory.taken());
    ASSERT_TRUE(warps.data());
    EXPECT_TRUE(glIsBuffer(memory.data(render::SectorMetric::touches).counts));

    const auto large = transpose("256");
    trace::Trace more;
    EXPECT_THROW(memory.ask(*large, "", more, no_room_), std::bad_alloc);
    EXPECT_FALSE(memory.taken());
    EXPECT_THROW(warps.ask(*large, more, no_room_), std::bad_alloc);
    EXPECT_FALSE(warps.data());
}

} // namespace
} // namespace lanescope::app
