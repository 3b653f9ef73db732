// --tree of the commands that run a kernel: the data exchange in one of its blocks, as a figure.
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
    std::string file;      // .svg or .pdf; empty: no tree is wanted
    std::int64_t warp = 0; // of the launch
    bool block = false;    // all threads of that warp's block

    bool wanted() const { return !file.empty(); }
};

// Adds --tree, --tree-warp and --tree-block; gives --tree.
CLI::Option* add_tree_options(CLI::App& command, TreeChoice& choice);

// The device that is opened: the lockstep machine alone writes down what lanes do. Throws Error
// (bad_usage) for another choice.
std::string device_of(const TreeChoice& choice, const std::string& device);

// What to ask for, of a launch of this shape. Throws Error (no_such_thing).
trace::LaneRecording recording_of(const TreeChoice& choice, const Dim3& grid, const Dim3& block);

// 1280 × 720 pixels. Throws Error (bad_usage).
void save_tree(const TreeChoice& choice, const trace::LaneRecording& recording,
               const std::string& kernel, const Dim3& grid, const Dim3& block);

} // namespace lanescope::app
