// Limits of the simulated GPU, as launches and PTX texts see them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/counting/gpus.h"
#include "compute/device/device.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

using testing::HasSubstr;

const char* const nothing = ".version 7.8\n.target sm_75\n.address_size 64\n"
                            ".visible .entry nothing()\n{\n    ret;\n}\n";

std::string refusal(const counting::Gpu& gpu, std::uint32_t shared_bytes)
{
    Machine machine = Machine::from_text(nothing, {.threads = 1, .gpu = &gpu});
    try {
        machine.run("nothing", {{1, 1, 1}, {32, 1, 1}, shared_bytes});
    } catch (const device::LaunchError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(SimulatedGpu, LimitsTheSharedMemoryOfABlock)
{
    for (const counting::Gpu& gpu : counting::gpus()) {
        SCOPED_TRACE(gpu.name);
        const auto max_bytes = static_cast<std::uint32_t>(gpu.limits().shared_bytes_per_block);
        EXPECT_EQ(refusal(gpu, max_bytes), "accepted");
        EXPECT_THAT(refusal(gpu, max_bytes + 1),
                    HasSubstr("the device has " + std::to_string(max_bytes)));
    }
}

TEST(SimulatedGpu, DescribesTheDevice)
{
    const auto device = make_device({.threads = 1, .gpu = &counting::gpu_named("RTX 3060")});
    EXPECT_EQ(device->properties().compute_major, 8);
    EXPECT_EQ(device->properties().compute_minor, 6);
    EXPECT_EQ(device->properties().warps_per_multiprocessor, 48);
    EXPECT_EQ(device->properties().shared_per_multiprocessor, 102'400u);
    EXPECT_EQ(device->properties().shared_per_block_optin, 101'376u);
}

} // namespace
} // namespace lanescope::simt
