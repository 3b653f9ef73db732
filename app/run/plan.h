// What the window tells the worker: the plan that holds until another one is told, and how the
// worker behaves for the program that it works for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "app/document/counting.h"
#include "app/run/engine.h"
#include "compute/labs/lab.h"

namespace lanescope::app {

// A sweep beside the experiment: of its lab, its values and its shown variant.
struct SweepSettings {
    const labs::Sweep* sweep = nullptr; // null: the first that is about the variant
    bool all_variants = true;           // or the shown one alone
    bool follow = true; // begins afresh when values change; false: stays (a slider is held)
    friend bool operator==(const SweepSettings&, const SweepSettings&) = default;
};

// What holds until something else is told.
struct Plan {
    // What it is for, Frame::opened: nothing is done to anything else. So that what has just been
    // opened stands as it was kept until the window has seen it and says how it goes on.
    std::uint64_t opened = 0;
    bool running = true;    // false: steps only by Worker::step()
    bool unhurried = false; // every frame has steps_per_frame steps, whatever they take (recording)
    std::string view;       // empty: the lab's first
    Counting counting;      // of every frame's last step
    bool totals = false;    // panels show counts of variants: counted where the engine has no clock
    bool beside = false; // all variants are counted beside what is shown, where there is no clock
    std::string compare; // the other side of A/B, empty: none
    // The difference of the two sides is a picture. Otherwise it is computed where the experiment
    // stands still, so that its number can be told.
    bool difference = false;
    // What came from elsewhere is tried before it runs (editing/first_run.h).
    bool careful = true;
    std::optional<SweepSettings> sweep;
    friend bool operator==(const Plan&, const Plan&) = default;
};

struct WorkerOptions {
    // Replays and single steps are done in one go, without pictures between: for programs that
    // wait.
    bool waits = false;
    double launch_limit_s = 0; // of the lockstep machine, that of a launch; 0: none
    // How engines are opened; open_engine() unless a test has its own.
    std::function<OpenedEngine(const std::string& choice)> open_engine{};
};

} // namespace lanescope::app
