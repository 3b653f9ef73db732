// Opens the program's window, for the command line.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "app/document/script.h"
#include "app/run/frame/open_job.h"

namespace lanescope::app {

struct WindowOptions {
    std::string size = "1280x720";
    std::string report;               // output file of the report, for tests and measurements
    std::optional<double> exit_after; // seconds
    bool check = false;               // adds OpenGL's messages and held resources to the report
    std::vector<ScriptLine> script{}; // script to replay
    std::string recorded_script;      // file to record a script to
    std::string notice;               // shown when the window opens
    bool first_run = false;           // no earlier session: hints for newcomers are shown
    bool has_unsaved_strokes = false; // the session has strokes that were never saved
    bool compile_on_request = false;  // only on request: the user's kernel crashed the last run
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
};

// Returns when the user closes the window. Throws Error if there is no display, or the session
// cannot be opened.
void run_window(const WindowOptions& options, const Found& found);

} // namespace lanescope::app
