// Opens the program's window, for the command line.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "app/document/script.h"
#include "app/run/open_job.h"

namespace lanescope::app {

struct WindowOptions {
    std::string size = "1280x720";
    std::string report;               // where to write what happens, for tests and measurements
    std::optional<double> exit_after; // seconds
    bool check = false;               // the report also tells OpenGL's complaints and what is held
    std::vector<ScriptLine> script{}; // to be played
    std::string recorded_script;      // to be written
    std::string notice;               // told when it opens
    bool painting_left = false;       // the session has strokes that no file has
    bool compile_by_hand = false;     // kernels of the user's own wait for it
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
};

// Until the user closes it. Throws Error when there is no display, or the session cannot be opened.
void run_window(const WindowOptions& options, const Found& found);

} // namespace lanescope::app
