// What `doctor` finds out: which GPU CUDA uses, who draws, whether they can share memory, and what
// to do if not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compute/cuda/availability.h"
#include "compute/process/walls.h"
#include "render/context/context_info.h"
#include "render/shared/sharing.h"

namespace lanescope::app {

// One way to draw: offscreen, or in a window.
struct DrawingRoute {
    std::optional<render::ContextInfo> context; // none: it failed
    std::string problem; // why it failed, or why another GPU draws than wanted; else empty
    render::SharingChoice sharing; // with the engine that `auto` picks
};

// Something that the program can do, and if not here, why.
struct Ability {
    std::string what;
    bool works = false;
    std::string why_not; // a sentence; empty when it works
};

struct Diagnosis {
    cuda::Availability gpu;
    std::string engine; // what `auto` picks
    std::string device; // its name
    DrawingRoute offscreen;
    DrawingRoute window;
    struct Version {
        std::string what;
        std::string version; // empty: not there
    };
    std::vector<Version> versions;
    KnownWalls walls; // around compilers and helpers
    std::vector<Ability> abilities;
    std::vector<std::string> advice;
};

Diagnosis diagnose();

// What works with this driver and this GPU, and why the rest does not; of gpu, offscreen, window,
// versions and walls.
std::vector<Ability> abilities_of(const Diagnosis& found);

// What to do about the findings; nothing when all is as good as it can be. Suggests, never sets
// anything.
std::vector<std::string> advice_for(const Diagnosis& found, bool is_wsl);

std::string_view name(render::SharingPath path);

// The walls that are missing, and what to do about it; empty where all are raised.
std::string missing_walls(const KnownWalls& walls);

} // namespace lanescope::app
