// Each reason why no GPU can be used has its own message and suggested fix.
#include "compute/cuda/availability.h"

#include <gmock/gmock.h>

#include "compute/cuda/cuda_device.h"

namespace {

using namespace lanescope;
using namespace lanescope::cuda;
using testing::HasSubstr;

Findings h100()
{
    Findings found;
    found.devices = 1;
    found.driver_version = 13000;
    found.has_nvidia_hardware = true;
    found.name = "NVIDIA H100 80GB HBM3";
    found.capability = 90;
    found.driver = "580.159.04";
    return found;
}

TEST(Availability, NamesTheGpuAndItsDriver)
{
    const Availability here = judge(h100());
    EXPECT_TRUE(here.available);
    EXPECT_EQ(here.reason, "NVIDIA H100 80GB HBM3, driver 580.159.04.");
    EXPECT_EQ(here.cure, "");
}

TEST(Availability, DistinguishesMissingDriverFromMissingLibrary)
{
    Findings found;
    found.status = cudaErrorInsufficientDriver;
    EXPECT_THAT(judge(found).reason, HasSubstr("no NVIDIA driver"));
    EXPECT_THAT(judge(found).cure, HasSubstr("CUDA 13.0"));
    found.has_nvidia_hardware = true;
    EXPECT_THAT(judge(found).reason, HasSubstr("libcuda.so.1"));
}

TEST(Availability, NamesBothVersionsIfDriverIsTooOld)
{
    Findings found = h100();
    found.status = cudaErrorInsufficientDriver;
    found.devices = 0;
    found.driver_version = 9020;
    found.driver = "396.37";
    EXPECT_THAT(judge(found).reason,
                HasSubstr("396.37 supports CUDA 9.2, but this program needs 10.0"));
    EXPECT_THAT(judge(found).cure, HasSubstr("Update the driver"));
}

TEST(Availability, ReportsDriverOnlyPath)
{
    Findings found = h100();
    found.driver = "535.104.05";
    found.driver_version = 12020;
    found.driver_answers = true;
    EXPECT_TRUE(judge(found).available);
    EXPECT_THAT(judge(found).reason, HasSubstr("H100 80GB HBM3, driver 535.104.05. It is older"));
    EXPECT_EQ(judge(found).older_driver, "535.104.05");
}

TEST(Availability, DetectsHiddenGpu)
{
    Findings found = h100();
    found.status = cudaErrorNoDevice;
    found.devices = 0;
    found.visible_devices = "";
    EXPECT_THAT(judge(found).reason, HasSubstr("CUDA_VISIBLE_DEVICES=\"\" hides every GPU"));
    found.visible_devices.reset();
    EXPECT_THAT(judge(found).reason, HasSubstr("finds no GPU"));
}

TEST(Availability, RefusesGpusOlderThanTheKernels)
{
    Findings found = h100();
    found.capability = 61;
    EXPECT_FALSE(judge(found).available);
    EXPECT_THAT(judge(found).reason, HasSubstr("compute capability 6.1"));
}

TEST(Availability, OtherErrorsKeepTheirCudaName)
{
    Findings found = h100();
    found.status = cudaErrorSystemNotReady;
    found.devices = 0;
    EXPECT_THAT(judge(found).reason, HasSubstr("cudaErrorSystemNotReady"));
}

TEST(Availability, CreatingDeviceGivesSameMessage)
{
    const Availability here = availability();
    if (here.available) GTEST_SKIP() << "a GPU is here: " << here.reason;
    EXPECT_FALSE(here.cure.empty());
    try {
        make_device();
        FAIL() << "a device was made without a GPU";
    } catch (const device::DeviceError& error) {
        EXPECT_EQ(error.status(), ExitStatus::device_unavailable);
        EXPECT_EQ(std::string(error.what()), here.reason + " " + here.cure);
    }
}

TEST(Availability, TargetsOfNewerGpusAreRefused)
{
    EXPECT_EQ(target_problem("sm_75", "Tesla T4", 75), "");
    EXPECT_EQ(target_problem("sm_80", "NVIDIA H100", 90), "");
    EXPECT_EQ(target_problem("sm_90a", "NVIDIA H200", 90), "");
    EXPECT_EQ(target_problem("sm_100f", "NVIDIA GB300", 103), "");
    EXPECT_EQ(target_problem("", "Tesla T4", 75), "");
    EXPECT_EQ(target_problem("sm_90", "Tesla T4", 75),
              "The kernel needs compute capability 9.0, and Tesla T4 has 7.5.");
    EXPECT_THAT(target_problem("sm_90a", "NVIDIA B200", 100), HasSubstr("9.0, not a later one"));
    EXPECT_THAT(target_problem("sm_100f", "NVIDIA RTX 5090", 120), HasSubstr("same family"));
}

} // namespace
