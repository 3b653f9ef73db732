// The causes come from reports of users: WSL2, VirtualGL's EGL back end, screens on another GPU,
// containers without graphics, drivers older than the GPU.
#include "app/measure/doctor/sharing_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "app/measure/doctor/diagnosis.h"

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;
using State = SharingCheck::State;

constexpr const char* prime_variables =
    "__NV_PRIME_RENDER_OFFLOAD=1 __GLX_VENDOR_LIBRARY_NAME=nvidia";
constexpr auto variables = std::to_array<const char*>(
    {"DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION", "VGL_DISPLAY", "VGL_ISACTIVE", "LD_PRELOAD",
     "VNCDESKTOP", "XRDP_SESSION", "NXSESSIONID", "CHROME_REMOTE_DESKTOP_SESSION", "SESSIONNAME",
     "NVIDIA_DRIVER_CAPABILITIES"});

std::string text_of(const fs::path& path)
{
    std::ifstream file(path);
    std::string text;
    std::getline(file, text);
    return text;
}

unsigned hexadecimal(std::string_view text)
{
    if (text.starts_with("0x")) text.remove_prefix(2);
    unsigned value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, 16);
    return value;
}

void look_at_pci(Surroundings& around)
{
    constexpr unsigned display_class = 0x03;
    constexpr unsigned nvidia = 0x10de;
    std::error_code none;
    for (const auto& device : fs::directory_iterator("/sys/bus/pci/devices", none)) {
        if (hexadecimal(text_of(device.path() / "class")) >> 16U != display_class) continue;
        const unsigned vendor = hexadecimal(text_of(device.path() / "vendor"));
        if (vendor == nvidia)
            around.nvidia_devices.push_back(hexadecimal(text_of(device.path() / "device")));
        else
            around.other_vendors.push_back(vendor);
    }
}

std::string variable(const Surroundings& around, const char* name)
{
    const auto found = around.environment.find(name);
    return found == around.environment.end() ? std::string() : found->second;
}

// Drawing happens in a window if there is one.
const DrawingRoute& shown_route(const Diagnosis& found)
{
    return found.window.context ? found.window : found.offscreen;
}

bool shares(const Diagnosis& found)
{
    return found.gpu.available && shown_route(found).context &&
           shown_route(found).sharing.path == render::SharingPath::cuda_mapped;
}

bool nvidia_draws(const Diagnosis& found)
{
    const auto& context = shown_route(found).context;
    return context && context->vendor.find("NVIDIA") != std::string::npos;
}

std::string renderer(const Diagnosis& found)
{
    const auto& context = shown_route(found).context;
    return context ? context->renderer : "nothing";
}

// 570 for "570.86.16"; 0 if unknown.
int driver_branch(const Diagnosis& found)
{
    for (const Diagnosis::Version& version : found.versions) {
        if (version.what != "NVIDIA driver") continue;
        int branch = 0;
        std::from_chars(version.version.data(), version.version.data() + version.version.size(),
                        branch);
        return branch;
    }
    return 0;
}

bool is_blackwell(unsigned device)
{
    struct Range {
        unsigned first;
        unsigned last;
    };
    // GB10x; GB202, GB203, GB205 to GB207, GB10; GB110
    constexpr auto ranges =
        std::to_array<Range>({{0x2900, 0x29ff}, {0x2b80, 0x2fff}, {0x3180, 0x31ff}});
    return std::ranges::any_of(
        ranges, [&](const Range& range) { return device >= range.first && device <= range.last; });
}

// "virtualgl", "virtualgl_egl", "ssh", "vnc", …; empty on a local screen.
struct RemoteDesktop {
    std::string name;
    std::string evidence;
    bool can_share = false;
};

std::optional<RemoteDesktop> remote_desktop(const Surroundings& around)
{
    const std::string vgl_display = variable(around, "VGL_DISPLAY");
    const bool virtualgl = !variable(around, "VGL_ISACTIVE").empty() ||
                           variable(around, "LD_PRELOAD").find("vglfaker") != std::string::npos;
    if (virtualgl && (vgl_display.starts_with("egl") || vgl_display.starts_with("/dev/dri")))
        return RemoteDesktop{"VirtualGL with its EGL back end",
                             fmt::format("VGL_DISPLAY={}", vgl_display), false};
    if (virtualgl)
        return RemoteDesktop{"VirtualGL with its GLX back end",
                             vgl_display.empty() ? "LD_PRELOAD and VGL_ISACTIVE"
                                                 : fmt::format("VGL_DISPLAY={}", vgl_display),
                             true};
    struct Row {
        const char* variable;
        const char* name;
    };
    constexpr auto rows =
        std::to_array<Row>({{"VNCDESKTOP", "VNC"},
                            {"XRDP_SESSION", "xrdp"},
                            {"NXSESSIONID", "NoMachine"},
                            {"CHROME_REMOTE_DESKTOP_SESSION", "Chrome Remote Desktop"}});
    for (const Row& row : rows)
        if (!variable(around, row.variable).empty())
            return RemoteDesktop{row.name, fmt::format("{} is set", row.variable), false};
    if (variable(around, "SESSIONNAME").starts_with("RDP"))
        return RemoteDesktop{"Windows Remote Desktop",
                             fmt::format("SESSIONNAME={}", variable(around, "SESSIONNAME")), false};
    const std::string display = variable(around, "DISPLAY");
    if (!variable(around, "SSH_CONNECTION").empty() && !display.empty() &&
        !display.starts_with(':'))
        return RemoteDesktop{"X11 forwarded by SSH", fmt::format("DISPLAY={}", display), false};
    return {};
}

SharingCheck check_formats()
{
    return {"formats",
            "Formats with three components",
            State::limit,
            "CUDA registers textures with one, two or four components; GL_RGB8, GL_RGB16F, "
            "GL_RGB32F and the compressed formats are refused everywhere.",
            "CUDA's documentation of cudaGraphicsGLRegisterImage",
            "Use GL_RGBA8, GL_RGBA16F or GL_RGBA32F. Buffers have no format: three floats per "
            "vertex are fine."};
}

SharingCheck check_gpu(const Diagnosis& found, const Surroundings& around)
{
    SharingCheck check{"gpu",
                       "OpenGL on CUDA's GPU",
                       State::unknown,
                       {},
                       "cudaGLGetDevices and a registered buffer, in a window and offscreen",
                       {}};
    if (!found.gpu.available) {
        check.finding = "CUDA has no GPU here, so there is none to share with.";
        check.evidence = "cudaGetDeviceCount";
        check.cure = found.gpu.cure;
        return check;
    }
    if (shares(found)) {
        check.state = State::fine;
        check.finding = fmt::format("{} computes and draws.", renderer(found));
        return check;
    }
    check.state = State::problem;
    if (!shown_route(found).context) {
        check.finding = "There is no OpenGL here.";
        check.cure = shown_route(found).problem;
        return check;
    }
    check.finding =
        fmt::format("{} draws, and CUDA computes on {}.", renderer(found), found.device);
    if (nvidia_draws(found))
        check.cure = "Choose the GPU that draws with CUDA_VISIBLE_DEVICES, or plug the monitor "
                     "into the GPU that computes.";
    else
        check.cure = fmt::format(
            "Start the program with {}{}; on Windows choose \"High "
            "performance\" for it in the graphics settings.",
            prime_variables,
            around.other_vendors.empty() ? "" : ", or plug the monitor into the NVIDIA GPU");
    return check;
}

// The most likely cause of error 304, as a sentence, and its cure.
std::pair<std::string, std::string> cause_of_304(const Diagnosis& found, const Surroundings& around)
{
    if (around.wsl)
        return {"WSL2 is the cause: its OpenGL is not CUDA's driver.",
                "Use native Linux or Windows; pictures are copied meanwhile."};
    if (const auto remote = remote_desktop(around); remote && !remote->can_share)
        return {fmt::format("{} is the likely cause.", remote->name),
                "Start the program on the machine's own screen, or with VirtualGL's GLX back end."};
    if (!nvidia_draws(found))
        return {fmt::format("The likely cause is that {} draws, which is not NVIDIA's OpenGL.",
                            renderer(found)),
                fmt::format("Start the program with {}, or plug the monitor into the NVIDIA GPU.",
                            prime_variables)};
    if (around.container)
        return {"The likely cause is a container without the driver's graphics libraries.",
                "Start it with NVIDIA_DRIVER_CAPABILITIES=all, or compute,graphics,utility."};
    return {"An earlier OpenGL error, or a driver whose kernel module and libraries differ in "
            "version, can cause it.",
            "Restart the machine after a driver update; call glGetError before registering."};
}

SharingCheck check_304(const Diagnosis& found, const Surroundings& around)
{
    constexpr int operating_system_error = 304; // cudaErrorOperatingSystem
    SharingCheck check{"error_304",
                       "Error 304 (cudaErrorOperatingSystem)",
                       State::unknown,
                       {},
                       "cudaGLGetDevices and cudaGraphicsGLRegisterBuffer, in a window and "
                       "offscreen",
                       {}};
    if (!found.gpu.available) {
        check.finding = "Without a GPU no buffer was registered.";
        check.evidence = "cudaGetDeviceCount";
        return check;
    }
    const bool in_window = found.window.sharing.refused_with == operating_system_error;
    const bool offscreen = found.offscreen.sharing.refused_with == operating_system_error;
    if (!in_window && !offscreen) {
        check.state = State::fine;
        check.finding = "No call returned it.";
        return check;
    }
    check.state = State::problem;
    auto [cause, cure] = cause_of_304(found, around);
    check.finding = fmt::format("Registering a buffer {} returned it. {}",
                                in_window ? "in a window" : "offscreen", cause);
    check.cure = std::move(cure);
    return check;
}

SharingCheck check_remote(const Surroundings& around)
{
    SharingCheck check{"remote",
                       "Remote desktops and VirtualGL",
                       State::fine,
                       "No sign of one.",
                       "VGL_DISPLAY, LD_PRELOAD, VNCDESKTOP, XRDP_SESSION, NXSESSIONID, "
                       "SESSIONNAME and DISPLAY",
                       {}};
    const auto remote = remote_desktop(around);
    if (!remote) return check;
    check.evidence = remote->evidence;
    if (remote->can_share) {
        check.finding = fmt::format("{} draws on the GPU of its X server.", remote->name);
        return check;
    }
    check.state = State::problem;
    check.finding =
        fmt::format("This session runs in {}, which shares no memory with CUDA.", remote->name);
    check.cure = remote->name.starts_with("VirtualGL")
                     ? "Use VirtualGL's GLX back end (vglrun -d :0)."
                     : "Use VirtualGL's GLX back end on an X server of the GPU, or draw offscreen "
                       "(lanescope shot, lanescope record).";
    return check;
}

SharingCheck check_wsl(const Surroundings& around)
{
    if (!around.wsl)
        return {"wsl", "WSL2", State::fine, "This is not WSL2.", "/proc/sys/kernel/osrelease", {}};
    return {"wsl",
            "WSL2",
            State::problem,
            "WSL2 cannot share memory between CUDA and OpenGL: registering fails, and pictures "
            "are copied.",
            "\"microsoft\" in /proc/sys/kernel/osrelease",
            "Use native Linux, or the Windows build of a program that needs sharing."};
}

SharingCheck check_blackwell(const Diagnosis& found, const Surroundings& around)
{
    constexpr int first_capability = 100;
    constexpr int first_branch = 570;
    SharingCheck check{"blackwell",
                       "Blackwell and its driver",
                       State::fine,
                       {},
                       "PCI device ids in /sys/bus/pci/devices, /proc/driver/nvidia/version",
                       {}};
    const auto device = std::ranges::find_if(around.nvidia_devices, is_blackwell);
    const bool by_id = device != around.nvidia_devices.end();
    if (!by_id && found.gpu.capability < first_capability) {
        check.finding = around.nvidia_devices.empty() && !found.gpu.available
                            ? "There is no NVIDIA GPU on the PCI bus."
                            : "No GPU here is a Blackwell GPU.";
        return check;
    }
    const std::string gpu = by_id ? fmt::format("The GPU 10de:{:04x} is a Blackwell GPU", *device)
                                  : "The GPU is a Blackwell GPU";
    const int branch = driver_branch(found);
    check.state = State::problem;
    if (branch != 0 && branch < first_branch) {
        check.finding =
            fmt::format("{}, and driver {} is older than {}.", gpu, branch, first_branch);
        check.cure = fmt::format("Install driver {} or newer with the open kernel modules "
                                 "(nvidia-driver-{}-open), then restart the machine.",
                                 first_branch, first_branch);
    } else if (branch != 0 && !around.open_kernel_module && !around.wsl) {
        check.finding = fmt::format("{}, and its kernel module is not the open one.", gpu);
        check.cure = fmt::format("Install the open kernel modules (nvidia-driver-{}-open): "
                                 "Blackwell works with no others.",
                                 branch);
    } else if (branch == 0) {
        check.finding = fmt::format("{}, and no driver is loaded.", gpu);
        check.cure =
            fmt::format("Install driver {} or newer with the open kernel modules.", first_branch);
    } else {
        check.state = State::fine;
        check.finding = fmt::format("{}, and driver {} supports it.", gpu, branch);
    }
    return check;
}

SharingCheck check_egl(const Diagnosis& found, const Surroundings& around)
{
    SharingCheck check{"egl",
                       "OpenGL without a display (EGL)",
                       State::unknown,
                       {},
                       "EGL's devices, and files in /usr/share/glvnd/egl_vendor.d and "
                       "/etc/glvnd/egl_vendor.d",
                       {}};
    const auto& context = found.offscreen.context;
    if (!context) {
        check.state = State::problem;
        check.finding = "No OpenGL context can be created offscreen.";
        check.cure = found.offscreen.problem;
        return check;
    }
    if (!found.gpu.available) {
        check.state = State::fine;
        check.finding = fmt::format("{} draws offscreen ({}).", context->renderer, context->route);
        return check;
    }
    if (found.offscreen.sharing.path == render::SharingPath::cuda_mapped) {
        check.state = State::fine;
        check.finding = fmt::format("{} is CUDA's GPU.", context->route);
        return check;
    }
    check.state = State::problem;
    const bool has_library =
        std::ranges::any_of(around.egl_libraries, [](const std::string& library) {
            return library.find("nvidia") != std::string::npos;
        });
    if (!has_library && around.container) {
        const std::string given = variable(around, "NVIDIA_DRIVER_CAPABILITIES");
        check.finding = fmt::format("{} draws offscreen: this container has no EGL library of "
                                    "NVIDIA (NVIDIA_DRIVER_CAPABILITIES={}).",
                                    context->renderer, given.empty() ? "not set" : given);
        check.cure = "Start the container with NVIDIA_DRIVER_CAPABILITIES=all, or "
                     "compute,graphics,utility.";
    } else if (!has_library) {
        check.finding = fmt::format("{} draws offscreen: no EGL library of NVIDIA is registered.",
                                    context->renderer);
        check.cure = "Install the driver's EGL libraries (on Debian libnvidia-egl or "
                     "libegl-nvidia0, which registers 10_nvidia.json).";
    } else {
        check.finding =
            fmt::format("{} draws offscreen: no EGL device is CUDA's GPU.", context->renderer);
        check.cure = "Check that this user may open /dev/dri/renderD* (group render) and "
                     "/dev/nvidia*, and that the driver's libraries have one version.";
    }
    return check;
}

} // namespace

Surroundings look_around()
{
    Surroundings around;
    for (const char* name : variables)
        if (const char* value = std::getenv(name)) around.environment[name] = value;
    around.wsl = text_of("/proc/sys/kernel/osrelease").find("microsoft") != std::string::npos;
    std::error_code none;
    around.container = fs::exists("/.dockerenv", none) || fs::exists("/run/.containerenv", none);
    around.open_kernel_module =
        text_of("/proc/driver/nvidia/version").find("Open Kernel Module") != std::string::npos;
    look_at_pci(around);
    for (const char* folder : {"/usr/share/glvnd/egl_vendor.d", "/etc/glvnd/egl_vendor.d"})
        for (const auto& file : fs::directory_iterator(folder, none))
            around.egl_libraries.push_back(file.path().filename().string());
    std::ranges::sort(around.egl_libraries);
    return around;
}

std::vector<SharingCheck> sharing_checks(const Diagnosis& found, const Surroundings& around)
{
    return {check_gpu(found, around), check_304(found, around),       check_remote(around),
            check_wsl(around),        check_blackwell(found, around), check_egl(found, around),
            check_formats()};
}

std::string_view name(SharingCheck::State state)
{
    switch (state) {
    case State::fine: return "fine";
    case State::problem: return "problem";
    case State::limit: return "limit";
    case State::unknown: break;
    }
    return "unknown";
}

} // namespace lanescope::app
