// The window's state for tests and measurements: a JSON file, rewritten every tenth of a second.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "app/document/document.h"
#include "app/lessons/answers.h"
#include "app/run/frame/frame.h"
#include "app/window/interaction/interaction.h"
#include "app/window/pace.h"
#include "render/gl/error.h"

namespace lanescope::app {

// Everything a report describes.
struct ReportedWindow {
    const Document& document;
    const Frame& frame;
    const Interaction& ui;
    const Pace& pace;
    bool opening = false; // something is being opened
    const Answers& answers;
};

class Report {
public:
    // With an empty `file`, writes nothing. `log` is the window's OpenGL log, or null.
    Report(std::string file, render::gl::DebugLog* log) : file_(std::move(file)), log_(log) {}

    bool due() const;
    void write(const ReportedWindow& window);

private:
    std::string file_;
    render::gl::DebugLog* log_;
    std::vector<std::string> complaints_; // messages of OpenGL
    int reports_ = 0;
    std::chrono::steady_clock::time_point written_{};
};

} // namespace lanescope::app
