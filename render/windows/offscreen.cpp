// Windows has no EGL: a hidden window's context draws, which belongs to the GPU that Windows chose.
#include "render/context/offscreen.h"

#include "render/context/window.h"

namespace lanescope::render {

struct Offscreen::Egl {
    explicit Egl(bool debug) : window({.width = 16, .height = 16, .visible = false, .debug = debug})
    {
    }
    Window window;
};

struct SoftwareContext::Functions {};
SoftwareContext::~SoftwareContext() = default;

Offscreen::Offscreen(const OffscreenOptions& options) : egl_(std::make_unique<Egl>(options.debug))
{
    info_ = describe_context("hidden window");
    if (options.debug) debug_ = std::make_unique<gl::DebugLog>();
}

Offscreen::~Offscreen() = default;

} // namespace lanescope::render
