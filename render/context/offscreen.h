// An OpenGL 4.5 core context without a window, through EGL or, without EGL, through OSMesa; both
// are loaded at run time. Draw into a gl::Target.
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
    // CUDA device whose GPU should draw, so that memory can be shared. Without one, or if no EGL
    // device is that GPU, software draws; note() then explains why the requested GPU does not.
    std::optional<int> cuda_ordinal;
    bool debug = false;
    // Other threads draw meanwhile: OpenGL's functions, once loaded, are not loaded again.
    bool beside_others = false;
};

// The thread's EGL context, if any, is current again at the end of the scope.
class EarlierContext {
public:
    EarlierContext();
    ~EarlierContext();
    EarlierContext(const EarlierContext&) = delete;
    EarlierContext& operator=(const EarlierContext&) = delete;

private:
    struct Egl;
    std::unique_ptr<Egl> egl_;
};

// Current on the constructing thread. Throws Error (device_unavailable) if no route gives OpenGL
// 4.5.
class Offscreen {
public:
    explicit Offscreen(const OffscreenOptions& options = {});
    ~Offscreen();
    Offscreen(const Offscreen&) = delete;
    Offscreen& operator=(const Offscreen&) = delete;

    const ContextInfo& info() const { return info_; }
    // Says why a GPU other than the requested one draws; else empty.
    const std::string& note() const { return note_; }
    gl::DebugLog* debug_log() const { return debug_.get(); }
    // On any thread where it is current; not without EGL.
    void make_current();

private:
    struct Egl; // display, context and the surface, if needed
    // Returns false, and adds the reasons, if no route gives OpenGL 4.5.
    bool draw_with_egl(const OffscreenOptions& options, std::vector<std::string>& failures);

    std::unique_ptr<Egl> egl_;
    std::unique_ptr<SoftwareContext> software_; // fallback without EGL
    ContextInfo info_;
    std::string note_;
    std::unique_ptr<gl::DebugLog> debug_;
};

} // namespace lanescope::render
