// The heat kernels promise more than a tolerance: all rungs compute the same bits, also with
// painted heat and changed parameters, and the reference replays those events.
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "compute/simt/simt_device.h"
#include "tests/unit/labs/check_labs.h"

namespace lanescope::labs {
namespace {

std::unique_ptr<Experiment> plate(device::Device& device, device::Allocator& shown,
                                  const Variant& variant,
                                  const std::map<std::string, std::string>& chosen)
{
    const Lab& heat = find("heat");
    return heat.start({.device = device,
                       .shown = shown,
                       .lab = heat,
                       .variant = variant,
                       .values = values_of(heat, chosen),
                       .seed = 3,
                       .image = {}});
}

std::vector<std::uint32_t> bits(device::Device& device, Experiment& experiment)
{
    const auto field = std::get<FieldPicture>(experiment.picture("field"));
    return device::download<std::uint32_t>(device, field.values->address(),
                                           static_cast<std::size_t>(field.width) * field.height);
}

TEST(HeatBits, EveryRungComputesSameBits)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    for (const std::map<std::string, std::string>& chosen :
         {std::map<std::string, std::string>{{"size", "130"}, {"height", "70"}},
          {{"size", "61"}, {"height", "3"}, {"boundary", "insulated"}},
          {{"size", "3"}, {"height", "50"}, {"boundary", "insulated"}}}) {
        std::vector<std::uint32_t> first;
        for (const Variant& variant : find("heat").variants) {
            const auto experiment = plate(*device, shown, variant, chosen);
            while (experiment->steps() < 20)
                experiment->step(); // each rung reaches 20 with its
                                    // launches
            if (first.empty()) first = bits(*device, *experiment);
            EXPECT_EQ(bits(*device, *experiment), first) << variant.id;
        }
    }
}

TEST(HeatBits, ReferenceIncludesStrokesAndChanges)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const Lab& heat = find("heat");
    const auto experiment = plate(*device, shown, heat.variants[0], {{"size", "60"}});
    Values values = values_of(heat, {{"size", "60"}});
    for (int i = 0; i < 12; ++i) {
        experiment->step();
        experiment->paint({.u = 0.08 * i, .v = 0.5, .radius = 0.1, .erase = i % 3 == 0});
        if (i % 4 == 0) values.set("diffusion", 0.02 * i);
        if (i == 5) values.set("boundary", "insulated");
        experiment->set(values);
        experiment->select(heat.variants[i % heat.variants.size()]);
        if (i % 5 != 0) continue;
        const Check check = experiment->check();
        EXPECT_TRUE(check.correct) << check.message;
    }
    const Check check = experiment->check();
    EXPECT_TRUE(check.correct) << check.message;
    EXPECT_GT(check.tolerance, 0);
    EXPECT_LT(check.tolerance, 0.01);
}

TEST(HeatBits, WrongStateIsFound)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const auto experiment = plate(*device, shown, find("heat").variants[0], {{"size", "40"}});
    experiment->step();
    const auto field = std::get<FieldPicture>(experiment->picture("field"));
    device::upload<float>(*device, field.values->address() + 4 * (40 * 20 + 7),
                          std::array{std::nanf("")});
    const Check check = experiment->check();
    EXPECT_FALSE(check.correct);
    EXPECT_NE(check.message.find("column 7, row 20"), std::string::npos) << check.message;
}

TEST(HeatBits, UnstableValuesAreExplained)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const auto calm = plate(*device, shown, find("heat").variants[0], {{"size", "9"}});
    EXPECT_TRUE(calm->warning().empty());
    const auto wild =
        plate(*device, shown, find("heat").variants[0], {{"size", "9"}, {"diffusion", "0.3"}});
    EXPECT_NE(wild->warning().find("Unstable"), std::string::npos);
}

TEST(HeatBits, LandscapeCoversPlate)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const auto experiment =
        plate(*device, shown, find("heat").variants[0], {{"size", "600"}, {"height", "20"}});
    const auto surface = std::get<SurfacePicture>(experiment->picture("surface"));
    EXPECT_EQ(surface.columns, 512);
    EXPECT_EQ(surface.rows, 20);
    const auto vertices =
        device::download<float>(*device, surface.vertices->address(), 4u * 512 * 20);
    EXPECT_FLOAT_EQ(vertices[0], -1);
    EXPECT_FLOAT_EQ(vertices[4 * 511], 1);
    EXPECT_FLOAT_EQ(vertices[1], -20.0F / 600);
    for (std::size_t i = 0; i < vertices.size(); i += 4) {
        EXPECT_GE(vertices[i + 2], -1);
        EXPECT_LE(vertices[i + 2], 1);
        EXPECT_FLOAT_EQ(vertices[i + 2], vertices[i + 3] / 200);
    }
}

} // namespace
} // namespace lanescope::labs
