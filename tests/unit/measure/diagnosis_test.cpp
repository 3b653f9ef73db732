// Output of `doctor` for GPUs and drivers that this machine does not have.
#include "app/measure/doctor/diagnosis.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace {

using namespace lanescope;
using namespace lanescope::app;
using testing::HasSubstr;

const Ability& ability(const std::vector<Ability>& all, std::string_view what)
{
    const auto found = std::ranges::find_if(
        all, [&](const Ability& each) { return each.what.find(what) != std::string::npos; });
    EXPECT_NE(found, all.end()) << what;
    return *found;
}

Diagnosis turing()
{
    Diagnosis found;
    found.gpu = {true, "NVIDIA T4, driver 580.95.05.", {}, 75};
    found.offscreen.context = render::ContextInfo{"NVIDIA", "T4", "4.6", "EGL device 0", false};
    found.offscreen.sharing = {render::SharingPath::cuda_mapped, "One GPU."};
    found.window.problem = "There is no display.";
    found.versions = {{"CUDA compilers", "NVRTC"}, {"ffmpeg", ""}};
    return found;
}

TEST(Abilities, OlderGpuLacksNewerFeatures)
{
    const auto all = abilities_of(turing());
    EXPECT_TRUE(ability(all, "times on the GPU").works);
    EXPECT_TRUE(ability(all, "shared between the GPU").works);
    EXPECT_FALSE(ability(all, "tensor cores").works);
    EXPECT_THAT(ability(all, "tensor cores").why_not, HasSubstr("8.0, and this GPU has 7.5"));
    EXPECT_EQ(ability(all, "the window").why_not, "There is no display.");
    EXPECT_THAT(ability(all, "videos").why_not, HasSubstr("install ffmpeg"));
}

TEST(Abilities, OlderDriverDisablesOnlyRuntimeFeatures)
{
    Diagnosis found = turing();
    found.gpu.older_driver = "535.104.05";
    const auto all = abilities_of(found);
    for (const char* what : {"times on the GPU", "probes", "shared between the GPU"})
        EXPECT_TRUE(ability(all, what).works) << what;
    EXPECT_FALSE(ability(all, "CUB").works);
    EXPECT_THAT(ability(all, "CUB").why_not,
                HasSubstr("needs a driver for CUDA 13.0, and this is 535.104.05"));
    found.gpu.older_driver.clear();
    EXPECT_TRUE(ability(abilities_of(found), "CUB").works);
}

TEST(Abilities, NameOldDriverAsReason)
{
    cuda::Findings old;
    old.status = cudaErrorInsufficientDriver;
    old.driver_version = 9020;
    old.driver = "396.37";
    Diagnosis found = turing();
    found.gpu = cuda::judge(old);
    const auto all = abilities_of(found);
    for (const char* what :
         {"times on the GPU", "probes", "tensor cores", "shared between the GPU"}) {
        EXPECT_FALSE(ability(all, what).works) << what;
        EXPECT_THAT(ability(all, what).why_not, HasSubstr("396.37 supports CUDA 9.2")) << what;
    }
    EXPECT_TRUE(ability(all, "lockstep machine").works);
    EXPECT_TRUE(ability(all, "pictures").works);
}

} // namespace
