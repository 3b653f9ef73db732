// Mouse strokes change the picture, and the reference follows them.
#include <gtest/gtest.h>

#include "compute/simt/simt_device.h"
#include "tests/unit/labs/check_labs.h"

namespace lanescope::labs {
namespace {

class PaintedLab : public testing::TestWithParam<const char*> {
protected:
    std::unique_ptr<device::Device> device_ = simt::make_device();
    device::PlainAllocator shown_{*device_};
    const Lab& lab_ = find(GetParam());

    std::unique_ptr<Experiment> start()
    {
        return lab_.start({.device = *device_,
                           .shown = shown_,
                           .lab = lab_,
                           .variant = lab_.variants.front(),
                           .values = values_of(lab_, {{"size", "129"}}),
                           .seed = 3,
                           .image = {}});
    }
    std::vector<float> cells_after(Experiment& experiment)
    {
        const auto result = experiment.next_result();
        experiment.step();
        return device::download<float>(*device_, result.buffer->address() + result.offset_bytes,
                                       static_cast<std::size_t>(result.width) * result.height);
    }
};

TEST_P(PaintedLab, StaysCorrectAndShowsStroke)
{
    const auto plain = start();
    const auto painted = start();
    for (const auto& experiment : {plain.get(), painted.get()}) experiment->step();
    painted->paint({.u = 0.5, .v = 0.9, .radius = 0.1, .erase = false});
    painted->paint({.u = 0.98, .v = 0.1, .radius = 0.05, .erase = true}); // extends past the edge
    EXPECT_NE(cells_after(*plain), cells_after(*painted));
    const Check check = painted->check();
    EXPECT_TRUE(check.correct) << check.max_error << " of " << check.tolerance << ". "
                               << check.message;
}

TEST_P(PaintedLab, VariantMayChangeBetweenStrokes)
{
    const auto experiment = start();
    for (const Variant& variant : lab_.variants) {
        experiment->select(variant);
        experiment->step();
        experiment->paint({.u = 0.3, .v = 0.6, .radius = 0.2, .erase = false});
    }
    EXPECT_TRUE(experiment->check().correct) << experiment->check().message;
}

TEST(PaintedRod, TemperatureFollowsStrokeHeight)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const Lab& lab = find("rod");
    Values values(lab);
    values.set("size", "1001");
    values.set("diffusion", "0");
    const auto rod = lab.start({.device = *device,
                                .shown = shown,
                                .lab = lab,
                                .variant = find_variant(lab, "naive"),
                                .values = values,
                                .seed = 1,
                                .image = {}});
    rod->paint({.u = 0.5, .v = 0.7, .radius = 0.1, .erase = false});
    const auto result = rod->next_result();
    rod->step();
    const auto cells = device::download<float>(
        *device, result.buffer->address() + result.offset_bytes, result.width);
    EXPECT_NEAR(cells[500], 70, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Labs, PaintedLab, testing::Values("heat", "rod"),
                         [](const auto& info) { return std::string(info.param); });

} // namespace
} // namespace lanescope::labs
