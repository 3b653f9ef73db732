// An OpenGL 4.5 core context without a window, through EGL, or through Mesa as one library
// where there is no EGL; both are looked for when the program runs. Draw into a gl::Target.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "render/context/context_info.h"
#include "render/context/software.h"
#include "render/gl/error.h"

namespace lanescope::render {

struct OffscreenOptions {
    // The CUDA device whose GPU should draw, so that memory can be shared. When no EGL device is
    // that GPU, or nothing is wanted, software draws, and note() says so.
    std::optional<int> cuda_ordinal;
    bool debug = false;
};

// Current on the thread that made it. Throws Error (device_unavailable) when no route leads to
// OpenGL 4.5.
class Offscreen {
public:
    explicit Offscreen(const OffscreenOptions& options = {});
    ~Offscreen();
    Offscreen(const Offscreen&) = delete;
    Offscreen& operator=(const Offscreen&) = delete;

    const ContextInfo& info() const { return info_; }
    const std::string& note() const
    {
        return note_;
    } // a sentence when the wanted GPU does not draw; else empty
    gl::DebugLog* debug_log() const { return debug_.get(); }

private:
    struct Egl; // display, context and the surface, if one was needed
    // False, and why each route failed, when none leads to OpenGL 4.5.
    bool draw_by_egl(const OffscreenOptions& options, std::vector<std::string>& failures);

    std::unique_ptr<Egl> egl_;
    std::unique_ptr<SoftwareContext> software_; // where EGL gives nothing
    ContextInfo info_;
    std::string note_;
    std::unique_ptr<gl::DebugLog> debug_;
};

} // namespace lanescope::render
