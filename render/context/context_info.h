// Describes the OpenGL context (vendor, renderer, version), for the panel and `doctor`.
#pragma once

#include <string>

namespace lanescope::render {

struct ContextInfo {
    std::string vendor;    // "Mesa", "NVIDIA Corporation"
    std::string renderer;  // "llvmpipe (LLVM 15.0.6, 256 bits)", "NVIDIA H100 80GB HBM3/PCIe"
    std::string version;   // "4.5 (Core Profile) Mesa 22.3.6"
    std::string route;     // how the context was created: "window", "EGL device 0", "EGL
                           // surfaceless"
    bool software = false; // a CPU rasteriser
};

// Describes the current context.
ContextInfo describe_context(std::string route);

} // namespace lanescope::render
