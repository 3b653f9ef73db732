// Findings of `doctor`: which GPU CUDA uses, which renderer draws, whether they can share memory,
// and what to do if not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/measure/doctor/sharing_checks.h"
#include "compute/cuda/availability.h"
#include "compute/process/walls.h"
#include "render/context/context_info.h"
#include "render/shared/sharing.h"

namespace lanescope::app {

// One way to draw: offscreen, or in a window.
struct DrawingRoute {
    std::optional<render::ContextInfo> context; // empty if it failed
    std::string problem; // why it failed or draws on another GPU than requested; else empty
    render::SharingChoice sharing; // with the engine chosen by `auto`
};

// A feature, and the reason if it does not work here.
struct Ability {
    std::string what;
    bool works = false;
    std::string why_not; // a sentence; empty when it works
};

struct Diagnosis {
    cuda::Availability gpu;
    std::string engine; // chosen by `auto`
    std::string device; // name of the GPU or CPU
    DrawingRoute offscreen;
    DrawingRoute window;
    struct Version {
        std::string what;
        std::string version; // empty: not installed
    };
    std::vector<Version> versions;
    KnownWalls walls; // sandboxing available for compilers and helpers
    std::vector<Ability> abilities;
    std::vector<SharingCheck> sharing_checks;
    std::vector<std::string> advice;
};

Diagnosis diagnose();

// Checks gpu, offscreen, window, versions and walls: states what works with this driver and GPU,
// and why the rest does not.
std::vector<Ability> abilities_of(const Diagnosis& found);

// Advice on the findings; empty if nothing can be improved. Never changes any settings.
std::vector<std::string> advice_for(const Diagnosis& found, bool is_wsl);

std::string_view name(render::SharingPath path);

// Names the sandbox features that this machine lacks, and what to do about it; empty if none.
std::string missing_walls(const KnownWalls& walls);

} // namespace lanescope::app
