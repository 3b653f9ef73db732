// --tree for commands that run a kernel: the data exchange in one block, as a figure.
#pragma once

#include <cstdint>
#include <string>

#include "app/commands/shared/options.h"
#include "compute/dim3.h"
#include "compute/trace/exchange.h"

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace lanescope::app {

struct TreeChoice {
    std::string file;      // .svg or .pdf; empty: no tree
    std::int64_t warp = 0; // index in the launch
    bool block = false;    // shows all threads of that warp's block

    bool wanted() const { return !file.empty(); }
};

// Adds --tree, --tree-warp and --tree-block; returns --tree.
CLI::Option* add_tree_options(CLI::App& command, TreeChoice& choice);

// The device to open: only the lockstep machine records lanes. Throws Error (bad_usage) for another
// choice.
std::string device_of(const TreeChoice& choice, const std::string& device);

// The recording to request for a launch of this shape. Throws Error (no_such_thing).
trace::LaneRecording recording_of(const TreeChoice& choice, const Dim3& grid, const Dim3& block);

// 1280 × 720 pixels. Throws Error (bad_usage).
void save_tree(const TreeChoice& choice, const trace::LaneRecording& recording,
               const std::string& kernel, const Dim3& grid, const Dim3& block);

} // namespace lanescope::app
