// Filling inputs stops when the device is cancelled, and the next call fills them completely.
#include <gtest/gtest.h>

#include <atomic>

#include "compute/experiment/inputs/parallel.h"
#include "compute/simt/simt_device.h"
#include "tests/unit/labs/check_labs.h"

namespace lanescope::labs {
namespace {

TEST(Filling, CancelsQuickly)
{
    constexpr std::size_t count = std::size_t{1} << 24;
    std::atomic<bool> cancelled = false;
    std::atomic<std::size_t> filled = 0;
    const auto work = [&](std::size_t begin, std::size_t end) {
        filled += end - begin;
        cancelled = true; // as if another thread cancelled during the first chunk
    };
    {
        const LeavesWhen leaves(cancelled);
        EXPECT_THROW(in_parallel(count, work), device::Cancelled);
        EXPECT_LT(filled, count / 64);
    }
    filled = 0;
    in_parallel(count, work); // outside LeavesWhen, `cancelled` has no effect
    EXPECT_EQ(filled, count);
}

class FilledLab : public testing::TestWithParam<const char*> {};

TEST_P(FilledLab, IsFilledCompletelyAfterCancel)
{
    const Lab& lab = find(GetParam());
    const auto result_of = [&](bool cancels) {
        const auto device = simt::make_device();
        device::PlainAllocator shown(*device);
        const auto experiment = lab.start({.device = *device,
                                           .shown = shown,
                                           .lab = lab,
                                           .variant = lab.variants.front(),
                                           .values = Values(lab),
                                           .seed = 3,
                                           .image = {}});
        if (cancels) {
            device->cancel();
            EXPECT_THROW(experiment->step(), device::Cancelled);
            device->resume();
        }
        const auto result = experiment->next_result();
        experiment->step();
        EXPECT_TRUE(experiment->check().correct) << experiment->check().message;
        return device::download<float>(*device, result.buffer->address() + result.offset_bytes,
                                       static_cast<std::size_t>(result.width) * result.height);
    };
    EXPECT_EQ(result_of(true), result_of(false));
}

INSTANTIATE_TEST_SUITE_P(Labs, FilledLab, testing::Values("vector_add", "transpose", "heat"),
                         [](const auto& info) { return std::string(info.param); });

} // namespace
} // namespace lanescope::labs
