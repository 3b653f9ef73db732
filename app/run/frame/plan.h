// The plan that the window gives the worker, valid until the next one, and options of the worker.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "app/document/look/counting.h"
#include "app/run/engine/engine.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::app {

// The sweep to run beside the experiment.
struct SweepSettings {
    const labs::Sweep* sweep = nullptr; // null: the first one for the variant
    bool all_variants = true;           // otherwise only the variant on screen
    bool follow = true;                 // restart when values change; false while a slider is held
    friend bool operator==(const SweepSettings&, const SweepSettings&) = default;
};

// Valid until the next plan.
struct Plan {
    // The opening that the plan applies to (Frame::opened); other openings ignore it. A newly
    // opened experiment therefore waits until the window has seen it and sends its plan.
    std::uint64_t opened = 0;
    bool running = true;            // false: only Worker::step() makes steps
    bool never_skips_steps = false; // for recording: every frame makes steps_per_frame steps,
                                    // however long they take
    std::string view;               // empty: the lab's first
    Counting counting;              // for the last step of every frame
    bool totals = false; // panels show counts of variants, which are counted if the engine has
                         // no clock
    bool beside = false; // without a clock, all variants are counted in the background
    std::string compare; // the other side of A/B, empty: none
    // Shows the difference between the two sides as a picture. Otherwise it is computed while the
    // experiment is paused, to show its value.
    bool difference = false;
    // Validates external kernels before they run (editing/first_run.h).
    bool careful = true;
    std::optional<SweepSettings> sweep;
    friend bool operator==(const Plan&, const Plan&) = default;
};

struct WorkerOptions {
    // Replays and single steps end without pictures in between: for programs that wait for them.
    bool waits = false;
    double launch_limit_s = 0; // time limit of a launch on the lockstep machine; 0: none
    // How engines are opened: open_engine(), unless a test replaces it.
    std::function<OpenedEngine(const std::string& choice)> open_engine{};
};

} // namespace lanescope::app
