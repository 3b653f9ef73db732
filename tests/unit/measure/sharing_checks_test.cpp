// Checks of `doctor` on sharing memory with OpenGL, for machines that are faked.
#include "app/measure/doctor/sharing_checks.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "app/measure/doctor/diagnosis.h"

namespace {

using namespace lanescope;
using namespace lanescope::app;
using testing::HasSubstr;
using State = SharingCheck::State;

SharingCheck check(const Diagnosis& found, const Surroundings& around, std::string_view id)
{
    const auto all = sharing_checks(found, around);
    const auto wanted = std::ranges::find(all, id, &SharingCheck::id);
    EXPECT_NE(wanted, all.end()) << id;
    return *wanted;
}

constexpr int operating_system_error = 304;

// A desktop that computes and draws on one GPU.
Diagnosis desktop()
{
    Diagnosis found;
    found.gpu = {true, "NVIDIA RTX 4090, driver 580.95.05.", {}, 89};
    found.device = "NVIDIA RTX 4090";
    const render::ContextInfo context{"NVIDIA Corporation", "RTX 4090", "4.6", "window", false};
    found.window = {context, {}, {render::SharingPath::cuda_mapped, "Zero copy."}};
    found.offscreen = found.window;
    found.offscreen.context->route = "EGL device 0";
    found.versions = {{"NVIDIA driver", "580.95.05"}};
    return found;
}

Surroundings local()
{
    Surroundings around;
    around.environment = {{"DISPLAY", ":0"}};
    around.open_kernel_module = true;
    around.nvidia_devices = {0x2684};
    around.egl_libraries = {"10_nvidia.json", "50_mesa.json"};
    return around;
}

// OpenGL draws on something else, and CUDA refuses its buffers.
void draw_with(Diagnosis& found, const std::string& vendor, const std::string& renderer,
               int refused_with)
{
    for (DrawingRoute* route : {&found.window, &found.offscreen}) {
        route->context->vendor = vendor;
        route->context->renderer = renderer;
        route->sharing = {render::SharingPath::staged, "Staged.", refused_with};
    }
}

TEST(SharingChecks, EveryRowHasFindingAndEvidence)
{
    Diagnosis laptop = desktop();
    draw_with(laptop, "Intel", "Mesa Intel UHD", operating_system_error);
    Diagnosis bare;
    bare.offscreen.problem = "Install OpenGL for EGL.";
    for (const Diagnosis& found : {desktop(), laptop, bare})
        for (const SharingCheck& each : sharing_checks(found, local())) {
            EXPECT_THAT(each.finding, testing::EndsWith(".")) << each.id;
            EXPECT_FALSE(each.evidence.empty()) << each.id;
            EXPECT_EQ(each.cure.empty() && each.state == State::problem, false) << each.id;
        }
}

TEST(SharingChecks, DesktopHasNoProblem)
{
    for (const SharingCheck& each : sharing_checks(desktop(), local()))
        EXPECT_EQ(each.state, each.id == "formats" ? State::limit : State::fine) << each.finding;
    EXPECT_THAT(check(desktop(), local(), "formats").cure, HasSubstr("GL_RGBA8"));
}

TEST(SharingChecks, LaptopDrawsOnItsOtherGpu)
{
    Diagnosis laptop = desktop();
    draw_with(laptop, "Intel", "Mesa Intel UHD", operating_system_error);
    Surroundings around = local();
    around.other_vendors = {0x8086};
    const SharingCheck gpu = check(laptop, around, "gpu");
    EXPECT_EQ(gpu.state, State::problem);
    EXPECT_THAT(gpu.finding, HasSubstr("Mesa Intel UHD draws, and CUDA computes on NVIDIA"));
    EXPECT_THAT(gpu.cure, HasSubstr("__NV_PRIME_RENDER_OFFLOAD=1"));
    EXPECT_THAT(gpu.cure, HasSubstr("plug the monitor"));
    const SharingCheck error = check(laptop, around, "error_304");
    EXPECT_EQ(error.state, State::problem);
    EXPECT_THAT(error.finding, HasSubstr("not NVIDIA's OpenGL"));

    Diagnosis two_gpus = desktop();
    draw_with(two_gpus, "NVIDIA Corporation", "Quadro P400", 0);
    EXPECT_THAT(check(two_gpus, local(), "gpu").cure, HasSubstr("CUDA_VISIBLE_DEVICES"));
    EXPECT_EQ(check(two_gpus, local(), "error_304").state, State::fine);
}

TEST(SharingChecks, CauseOf304DependsOnSurroundings)
{
    Diagnosis refused = desktop();
    draw_with(refused, "NVIDIA Corporation", "RTX 4090", operating_system_error);
    Surroundings around = local();
    const auto finding = [&] { return check(refused, around, "error_304").finding; };
    EXPECT_THAT(finding(), HasSubstr("An earlier OpenGL error"));
    around.container = true;
    EXPECT_THAT(finding(), HasSubstr("a container without"));
    around.environment["VNCDESKTOP"] = "host:1";
    EXPECT_THAT(finding(), HasSubstr("VNC is the likely cause"));
    around.wsl = true;
    EXPECT_THAT(finding(), HasSubstr("WSL2 is the cause"));
    refused.window.sharing.refused_with = 0;
    EXPECT_THAT(finding(), HasSubstr("offscreen"));
}

TEST(SharingChecks, RemoteDesktopsAreNamedWithEvidence)
{
    struct Case {
        std::map<std::string, std::string> environment;
        State state;
        const char* finding;
        const char* evidence;
    };
    for (const Case& each :
         {Case{{{"VGL_ISACTIVE", "1"}, {"VGL_DISPLAY", "egl0"}},
               State::problem,
               "EGL back end",
               "VGL_DISPLAY=egl0"},
          Case{{{"LD_PRELOAD", "libdlfaker.so:libvglfaker.so"}, {"VGL_DISPLAY", ":0"}},
               State::fine,
               "GLX back end",
               "VGL_DISPLAY=:0"},
          Case{{{"DISPLAY", "localhost:10.0"}, {"SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22"}},
               State::problem,
               "forwarded by SSH",
               "DISPLAY=localhost:10.0"},
          Case{{{"DISPLAY", ":0"}, {"SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22"}},
               State::fine,
               "No sign",
               "VGL_DISPLAY"},
          Case{{{"DISPLAY", ":10"}, {"XRDP_SESSION", "1"}},
               State::problem,
               "xrdp",
               "XRDP_SESSION is set"},
          Case{{{"SESSIONNAME", "RDP-Tcp#3"}},
               State::problem,
               "Windows Remote Desktop",
               "SESSIONNAME=RDP-Tcp#3"}}) {
        Surroundings around = local();
        around.environment = each.environment;
        const SharingCheck remote = check(desktop(), around, "remote");
        EXPECT_EQ(remote.state, each.state) << each.finding;
        EXPECT_THAT(remote.finding, HasSubstr(each.finding));
        EXPECT_THAT(remote.evidence, HasSubstr(each.evidence));
    }
}

TEST(SharingChecks, WslCannotShare)
{
    Surroundings around = local();
    around.wsl = true;
    const SharingCheck wsl = check(desktop(), around, "wsl");
    EXPECT_EQ(wsl.state, State::problem);
    EXPECT_THAT(wsl.evidence, HasSubstr("osrelease"));
}

TEST(SharingChecks, BlackwellNeedsNewAndOpenDriver)
{
    Diagnosis found = desktop();
    Surroundings around = local();
    around.nvidia_devices = {0x2b85};
    EXPECT_EQ(check(found, around, "blackwell").state, State::fine);
    EXPECT_THAT(check(found, around, "blackwell").finding, HasSubstr("10de:2b85"));
    around.open_kernel_module = false;
    EXPECT_THAT(check(found, around, "blackwell").finding, HasSubstr("not the open one"));
    found.gpu = {false, "No GPU.", "Check.", 0};
    found.versions = {{"NVIDIA driver", "550.144.03"}};
    const SharingCheck old = check(found, around, "blackwell");
    EXPECT_EQ(old.state, State::problem);
    EXPECT_THAT(old.finding, HasSubstr("driver 550 is older than 570"));
    EXPECT_THAT(old.cure, HasSubstr("nvidia-driver-570-open"));
    found.versions = {{"NVIDIA driver", ""}};
    EXPECT_THAT(check(found, around, "blackwell").finding, HasSubstr("no driver is loaded"));
    around.nvidia_devices = {0x2684}; // Ada
    EXPECT_EQ(check(found, around, "blackwell").state, State::fine);
}

TEST(SharingChecks, HeadlessEglNamesItsMissingPart)
{
    Diagnosis found = desktop();
    found.offscreen.context =
        render::ContextInfo{"Mesa", "llvmpipe", "4.5", "EGL surfaceless", true};
    found.offscreen.sharing = {render::SharingPath::staged, "Staged."};
    Surroundings around = local();
    EXPECT_THAT(check(found, around, "egl").cure, HasSubstr("/dev/dri/renderD*"));
    around.egl_libraries = {"50_mesa.json"};
    EXPECT_THAT(check(found, around, "egl").cure, HasSubstr("10_nvidia.json"));
    around.container = true;
    EXPECT_THAT(check(found, around, "egl").finding, HasSubstr("CAPABILITIES=not set"));
    around.environment["NVIDIA_DRIVER_CAPABILITIES"] = "compute,utility";
    EXPECT_THAT(check(found, around, "egl").finding, HasSubstr("CAPABILITIES=compute,utility"));
    found.offscreen.context.reset();
    found.offscreen.problem = "Install OpenGL for EGL.";
    EXPECT_EQ(check(found, around, "egl").cure, "Install OpenGL for EGL.");
}

TEST(SharingChecks, WithoutGpuOnlyTheMachineIsJudged)
{
    Diagnosis found;
    found.gpu = {false, "There is no NVIDIA driver on this machine.", "Install one."};
    EXPECT_EQ(check(found, {}, "gpu").state, State::unknown);
    EXPECT_EQ(check(found, {}, "error_304").state, State::unknown);
    EXPECT_THAT(check(found, {}, "blackwell").finding, HasSubstr("no NVIDIA GPU"));
}

} // namespace
