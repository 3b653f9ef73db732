// What the window tells about itself for tests and measurements: a JSON file, written anew every
// tenth of a second.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "app/document/document.h"
#include "app/lessons/answers.h"
#include "app/run/frame.h"
#include "app/window/interaction.h"
#include "app/window/pace.h"
#include "render/gl/error.h"

namespace lanescope::app {

// What a report is of.
struct ReportedWindow {
    const Document& document;
    const Frame& frame;
    const Interaction& ui;
    const Pace& pace;
    bool opening = false; // something is being made ready
    const Answers& answers;
};

class Report {
public:
    // `file` may be empty: nothing is written. `log` is that of the window's OpenGL, or null.
    Report(std::string file, render::gl::DebugLog* log) : file_(std::move(file)), log_(log) {}

    bool due() const;
    void write(const ReportedWindow& window);

private:
    std::string file_;
    render::gl::DebugLog* log_;
    std::vector<std::string> complaints_; // of OpenGL
    int reports_ = 0;
    std::chrono::steady_clock::time_point written_{};
};

} // namespace lanescope::app
