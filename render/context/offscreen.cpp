// Loads EGL dynamically and searches for a device whose display offers OpenGL 4.5; falls back to
// OSMesa without EGL.
#include "render/context/offscreen.h"

#include <glad/egl.h>
#include <glad/gl.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>
#include <vector>

namespace lanescope::render {

struct Offscreen::Egl {
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLContext context = EGL_NO_CONTEXT;
    EGLSurface surface = EGL_NO_SURFACE;

    Egl() = default;
    Egl(const Egl&) = delete;
    Egl& operator=(const Egl&) = delete;
    // Does not terminate the display: the process shares it, so that would end other contexts.
    ~Egl()
    {
        if (context == EGL_NO_CONTEXT) return;
        if (eglGetCurrentContext() == context)
            eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(display, context);
        if (surface != EGL_NO_SURFACE) eglDestroySurface(display, surface);
    }
};

namespace {

struct Route {
    std::string name;
    EGLDisplay display = EGL_NO_DISPLAY;
};

bool has(const char* extensions, std::string_view wanted)
{
    if (extensions == nullptr) return false;
    const std::string padded = fmt::format(" {} ", extensions);
    return padded.find(fmt::format(" {} ", wanted)) != std::string::npos;
}

template <class Function>
Function load(const char* name)
{
    return reinterpret_cast<Function>(eglGetProcAddress(name));
}

EGLDisplay platform_display(EGLenum platform, void* native)
{
    const auto get = load<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
    return get == nullptr ? EGL_NO_DISPLAY : get(platform, native, nullptr);
}

// EGL devices that are the CUDA device's GPU or, without an ordinal, EGL's software devices.
std::vector<Route> device_routes(std::optional<int> cuda_ordinal)
{
    std::vector<Route> routes;
    const char* extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    const auto query_devices = load<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
    const auto query_attribute = load<PFNEGLQUERYDEVICEATTRIBEXTPROC>("eglQueryDeviceAttribEXT");
    const auto query_string = load<PFNEGLQUERYDEVICESTRINGEXTPROC>("eglQueryDeviceStringEXT");
    if (!has(extensions, "EGL_EXT_platform_device") || query_devices == nullptr ||
        query_string == nullptr)
        return routes;
    std::array<EGLDeviceEXT, 32> devices{};
    EGLint count = 0;
    if (query_devices(static_cast<EGLint>(devices.size()), devices.data(), &count) != EGL_TRUE)
        return routes;
    for (int i = 0; i < count; ++i) {
        EGLDeviceEXT device = devices[static_cast<std::size_t>(i)];
        const char* abilities = query_string(device, EGL_EXTENSIONS);
        EGLAttrib ordinal = -1;
        if (has(abilities, "EGL_NV_device_cuda") && query_attribute != nullptr)
            query_attribute(device, EGL_CUDA_DEVICE_NV, &ordinal);
        const bool wanted =
            cuda_ordinal ? ordinal == *cuda_ordinal : has(abilities, "EGL_MESA_device_software");
        if (wanted)
            routes.push_back({fmt::format("EGL device {}", i),
                              platform_display(EGL_PLATFORM_DEVICE_EXT, device)});
    }
    return routes;
}

std::vector<Route> software_routes()
{
    auto routes = device_routes(std::nullopt);
    if (has(eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS), "EGL_MESA_platform_surfaceless"))
        routes.push_back({"EGL surfaceless",
                          platform_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY)});
    routes.push_back({"EGL default display", eglGetDisplay(EGL_DEFAULT_DISPLAY)});
    return routes;
}

// Makes a context current through this route, without a surface if possible, else with a tiny one.
// Returns an empty string on success, else the reason for the failure.
std::string follow(const Route& route, const OffscreenOptions& options, EGLDisplay& display,
                   EGLContext& context, EGLSurface& surface)
{
    display = route.display;
    if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) != EGL_TRUE)
        return "no display";
    // GLAD learns the available EGL version only from an initialised display.
    if (gladLoaderLoadEGL(display) == 0) return "no EGL 1.2 or later";
    if (eglBindAPI(EGL_OPENGL_API) != EGL_TRUE) return "no OpenGL";
    const std::array config_attributes{EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                       EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig config = EGL_NO_CONFIG_KHR;
    EGLint configs = 0;
    eglChooseConfig(display, config_attributes.data(), &config, 1, &configs);
    if (configs == 0) config = EGL_NO_CONFIG_KHR;
    const std::array context_wanted{EGL_CONTEXT_MAJOR_VERSION,
                                    4,
                                    EGL_CONTEXT_MINOR_VERSION,
                                    5,
                                    EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                    EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                    EGL_CONTEXT_OPENGL_DEBUG,
                                    options.debug ? EGL_TRUE : EGL_FALSE,
                                    EGL_NONE};
    context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_wanted.data());
    if (context == EGL_NO_CONTEXT)
        return fmt::format("no OpenGL 4.5 core context (EGL error {:#x})", eglGetError());
    if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) != EGL_TRUE &&
        configs > 0) {
        const std::array size{EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
        surface = eglCreatePbufferSurface(display, config, size.data());
        eglMakeCurrent(display, surface, surface, context);
    }
    if (eglGetCurrentContext() != context) return "a context that cannot be made current";
    const bool loaded = options.beside_others && glCreateBuffers != nullptr;
    if (!loaded && (gladLoadGL(eglGetProcAddress) == 0 || glCreateBuffers == nullptr))
        return "an incomplete OpenGL implementation";
    return {};
}

} // namespace

Offscreen::Offscreen(const OffscreenOptions& options)
{
    std::vector<std::string> failures;
    if (gladLoaderLoadEGL(EGL_NO_DISPLAY) == 0)
        failures.emplace_back("there is no EGL library libEGL.so.1");
    else if (draw_with_egl(options, failures))
        return;
    std::string reason;
    software_ = SoftwareContext::make(reason);
    if (!software_) {
        failures.push_back(reason);
        throw Error(
            ExitStatus::device_unavailable,
            fmt::format("No OpenGL 4.5 is available offscreen ({}).", fmt::join(failures, "; ")),
            "Install OpenGL for EGL: on Debian libegl1 and libgl1-mesa-dri, or the GPU's "
            "driver.");
    }
    info_ = describe_context("OSMesa");
    if (options.cuda_ordinal)
        note_ = fmt::format("CUDA device {} cannot draw here ({}): {} draws instead.",
                            *options.cuda_ordinal, failures.front(), info_.renderer);
    if (options.debug) debug_ = std::make_unique<gl::DebugLog>();
}

bool Offscreen::draw_with_egl(const OffscreenOptions& options, std::vector<std::string>& failures)
{
    std::vector<Route> routes;
    if (options.cuda_ordinal) routes = device_routes(options.cuda_ordinal);
    const std::size_t on_gpu = routes.size();
    for (auto& route : software_routes()) routes.push_back(std::move(route));

    for (std::size_t i = 0; i < routes.size(); ++i) {
        egl_ = std::make_unique<Egl>();
        const std::string reason =
            follow(routes[i], options, egl_->display, egl_->context, egl_->surface);
        if (!reason.empty()) {
            failures.push_back(fmt::format("{}: {}", routes[i].name, reason));
            continue;
        }
        info_ = describe_context(routes[i].name);
        if (options.cuda_ordinal && i >= on_gpu)
            note_ = fmt::format(
                "CUDA device {} cannot draw here ({}): {} draws instead.", *options.cuda_ordinal,
                on_gpu == 0 ? "no EGL device matches that GPU" : failures.front(), info_.renderer);
        if (options.debug) debug_ = std::make_unique<gl::DebugLog>();
        return true;
    }
    return false;
}

void Offscreen::make_current()
{
    if (!egl_ ||
        eglMakeCurrent(egl_->display, egl_->surface, egl_->surface, egl_->context) != EGL_TRUE)
        throw Error(ExitStatus::device_unavailable,
                    "The offscreen OpenGL context cannot be made current on this thread.",
                    "Check the driver's EGL: lanescope doctor.");
}

struct EarlierContext::Egl {
    EGLDisplay display = eglGetCurrentDisplay();
    EGLSurface draw = eglGetCurrentSurface(EGL_DRAW);
    EGLSurface read = eglGetCurrentSurface(EGL_READ);
    EGLContext context = eglGetCurrentContext();
};

// Functions that are not loaded yet have made no context current.
EarlierContext::EarlierContext()
{
    if (eglGetCurrentContext != nullptr) egl_ = std::make_unique<Egl>();
}

EarlierContext::~EarlierContext()
{
    if (eglGetCurrentContext == nullptr) return;
    if (egl_ && egl_->context != EGL_NO_CONTEXT)
        eglMakeCurrent(egl_->display, egl_->draw, egl_->read, egl_->context);
    else if (const EGLDisplay now = eglGetCurrentDisplay(); now != EGL_NO_DISPLAY)
        eglMakeCurrent(now, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

Offscreen::~Offscreen()
{
    debug_.reset();
}

} // namespace lanescope::render
