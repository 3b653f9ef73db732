// The advice is based on configurations on which CUDA and OpenGL were seen to work together.
#include "app/measure/doctor/diagnosis.h"

#include <fmt/format.h>

#include <GLFW/glfw3.h>
#include <cuda_runtime_api.h>

#include <nlohmann/json.hpp>

#include "app/run/engine/engine.h"
#include "compute/cuda/compile/compile.h"
#include "compute/cuda/cuda_device.h"
#include "compute/cuda/driver/older_driver.h"
#include "compute/process/process.h"
#include "compute/process/subprocess.h"
#include "compute/process/walls.h"
#include "compute/simt/native/native.h"
#include "render/capture/video.h"
#include "render/context/offscreen.h"
#include "render/context/window.h"

namespace lanescope::app {
namespace {

constexpr std::string_view compilers_title = "CUDA compilers";

// First line of a program's output; empty if the program does not exist.
std::string first_line(const std::vector<std::string>& arguments)
{
    const Finished finished = run_to_end(arguments);
    if (finished.status != 0) return {};
    return finished.output.substr(0, finished.output.find('\n'));
}

DrawingRoute try_offscreen(device::Device& device)
{
    const auto* gpu = dynamic_cast<const cuda::CudaDevice*>(&device);
    try {
        const render::Offscreen offscreen(
            {.cuda_ordinal = gpu ? std::optional(gpu->ordinal()) : std::nullopt});
        return {offscreen.info(), offscreen.note(), render::choose_sharing(device)};
    } catch (const Error& error) {
        return {{}, error.what(), {}};
    }
}

DrawingRoute try_window(device::Device& device)
{
    try {
        const render::Window window({.width = 64, .height = 64, .visible = false});
        return {window.info(), {}, render::choose_sharing(device)};
    } catch (const Error& error) {
        return {{}, error.what(), {}};
    }
}

using nlohmann::json;

std::string route_text(const DrawingRoute& route)
{
    json text{{"problem", route.problem},
              {"path", static_cast<int>(route.sharing.path)},
              {"refused_with", route.sharing.refused_with},
              {"explanation", route.sharing.explanation}};
    if (const auto& context = route.context)
        text["context"] = {context->vendor, context->renderer, context->version, context->route,
                           context->software};
    return text.dump();
}

DrawingRoute parse_route(const std::string& answer)
{
    const json text = json::parse(answer);
    DrawingRoute route;
    route.problem = text["problem"];
    route.sharing = {static_cast<render::SharingPath>(text["path"].get<int>()), text["explanation"],
                     text["refused_with"]};
    if (text.contains("context")) {
        const json& context = text["context"];
        route.context =
            render::ContextInfo{context[0], context[1], context[2], context[3], context[4]};
    }
    return route;
}

// Within a process CUDA stays bound to the first OpenGL context that it meets, so each route is
// tried in a separate process.
DrawingRoute ask(DrawingRoute (*attempt)(device::Device&))
{
    try {
        return parse_route(
            run_in_subprocess([&] { return route_text(attempt(*open_engine("auto").device)); }));
    } catch (const Error& error) {
        return {{}, error.what(), {}};
    }
}

std::string dotted(int version)
{
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::vector<Diagnosis::Version> find_versions()
{
    int runtime = 0;
    cudaRuntimeGetVersion(&runtime);
    return {{"NVIDIA driver", cuda::driver_version_text()},
            {"CUDA runtime (in this program)",
             dotted(runtime) + (cuda::driver_answers() ? ", not used with this driver" : "")},
            {std::string(compilers_title), cuda::compilers_found()},
            {"GLFW", glfwGetVersionString()},
            {"ffmpeg", first_line({"ffmpeg", "-version"})}};
}

} // namespace

std::string_view name(render::SharingPath path)
{
    switch (path) {
    case render::SharingPath::cuda_mapped: return "cuda_mapped";
    case render::SharingPath::staged: return "staged";
    case render::SharingPath::simt_mapped: return "simt_mapped";
    }
    return "";
}

std::string missing_walls(const KnownWalls& walls)
{
    std::string missing;
    if (walls.landlock_version == 0)
        missing =
            fmt::format("Landlock is not available: {}. The includes of a .cu file are checked "
                        "only by scanning its text{}.",
                        walls.no_landlock, walls.file_view ? " and by a file view" : "");
    if (!walls.seccomp)
        missing += fmt::format("{}seccomp is not available: compilers could use the network. Boot "
                               "a kernel with CONFIG_SECCOMP_FILTER.",
                               missing.empty() ? "" : " ");
    return missing;
}

std::vector<Ability> abilities_of(const Diagnosis& found)
{
    const auto missing = [&](std::string_view what) {
        for (const Diagnosis::Version& version : found.versions)
            if (version.what == what)
                return version.version.empty() || version.version.starts_with("No compiler");
        return true;
    };
    std::vector<Ability> all;
    const auto add = [&](std::string what, bool works, std::string why_not) {
        all.push_back({std::move(what), works, works ? std::string() : std::move(why_not)});
    };
    const bool gpu = found.gpu.available;
    add("labs, counts, faults on the lockstep machine", true, {});
    const std::string interpreted = simt::native::why_not();
    add("native code on the lockstep machine", interpreted.empty(), interpreted);
    add("labs and times on the GPU", gpu, found.gpu.reason);
    add("counts from probes on the GPU", gpu, found.gpu.reason);
    const std::string& older = found.gpu.older_driver;
    add("comparison with CUB on the GPU", gpu && older.empty(),
        gpu ? "CUB " + cuda::needs_newer_driver(older) : found.gpu.reason);
    constexpr int tensor_cores = 80; // matmul's kernel is PTX for compute_80
    add("matmul with tensor cores on the GPU", gpu && found.gpu.capability >= tensor_cores,
        gpu ? fmt::format("It needs compute capability 8.0, and this GPU has {}.{}.",
                          found.gpu.capability / 10, found.gpu.capability % 10)
            : found.gpu.reason);
    const DrawingRoute& shown = found.window.context ? found.window : found.offscreen;
    add("pictures without a window", found.offscreen.context.has_value(), found.offscreen.problem);
    add("the window", found.window.context.has_value(), found.window.problem);
    add("memory shared between the GPU and OpenGL",
        gpu && shown.context && shown.sharing.path == render::SharingPath::cuda_mapped,
        gpu ? shown.sharing.explanation : found.gpu.reason);
    add("kernels of your own (.cu)", !missing(compilers_title),
        "Neither NVRTC nor nvcc was found: install the wheel with its extra (pip install "
        "'FILE.whl[edit]'), or the CUDA toolkit.");
    const std::string open_walls = missing_walls(found.walls);
    add("compilers and helpers have no access to other files or the network", open_walls.empty(),
        open_walls);
    add("videos", !missing("ffmpeg"),
        fmt::format("ffmpeg is not installed: {}.", render::ffmpeg_installation()));
    return all;
}

std::vector<std::string> advice_for(const Diagnosis& found, bool is_wsl)
{
    std::vector<std::string> advice;
    if (!found.gpu.available) advice.push_back(found.gpu.cure);
    const DrawingRoute& shown = found.window.context ? found.window : found.offscreen;
    const bool staged = found.gpu.available && shown.sharing.path == render::SharingPath::staged;
    if (staged && is_wsl)
        advice.emplace_back(
            "WSL2 cannot share memory between CUDA and OpenGL: pictures are copied. "
            "Native Linux can.");
    else if (staged && found.window.context)
        advice.emplace_back(
            "OpenGL draws on a device other than CUDA's GPU. Start the program with "
            "__NV_PRIME_RENDER_OFFLOAD=1 __GLX_VENDOR_LIBRARY_NAME=nvidia "
            "(hybrid laptops, Xvfb); with VirtualGL use its GLX back end.");
    else if (staged)
        advice.emplace_back(
            "No EGL device matches CUDA's GPU. Install the driver's EGL libraries (libnvidia-egl, "
            "libEGL_nvidia); a container needs the capability \"graphics\".");
    if (!found.window.context && !found.window.problem.empty())
        advice.push_back(found.window.problem);
    for (const Diagnosis::Version& version : found.versions)
        if (version.what == "ffmpeg" && version.version.empty())
            advice.push_back(
                fmt::format("Install ffmpeg to record videos ({}); PNG sequences work without it.",
                            render::ffmpeg_installation()));
    return advice;
}

Diagnosis diagnose()
{
    Diagnosis found;
    found.offscreen = ask(try_offscreen);
    found.window = ask(try_window);
    found.gpu = cuda::availability();
    const OpenedEngine engine = open_engine("auto");
    found.engine = device::name(engine.device->engine());
    found.device = engine.device->properties().name;
    found.versions = find_versions();
    found.walls = known_walls();
    found.abilities = abilities_of(found);
    const Surroundings around = look_around();
    found.sharing_checks = sharing_checks(found, around);
    found.advice = advice_for(found, around.wsl);
    return found;
}

} // namespace lanescope::app
