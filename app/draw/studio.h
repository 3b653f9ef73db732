// The worker without a window: steps and draws pictures of any size offscreen, waiting for each.
// Shared by `shot` and `record`.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/document/experiment/step_move.h"
#include "app/document/session/session.h"
#include "app/draw/scene/scene.h"
#include "app/draw/shown.h"
#include "app/run/worker.h"
#include "render/context/offscreen.h"
#include "render/views/paint/pixels.h"

namespace lanescope::app {

class Debugger;

class Studio {
public:
    // Opens the session's engine and replays its journal. Throws Error. `launch_limit_s` is the
    // time limit of a launch on the lockstep machine; 0: none.
    Studio(const Session& session, const PictureFormat& format, double launch_limit_s);

    ~Studio();

    const Frame& frame() const { return *frame_; }
    // Advances by steps and updates the picture. Throws the failure, if any.
    void advance(std::int64_t steps);
    render::Pixels draw();
    // In stepping mode: moves within the launch and updates the picture. Reaches the shown warp
    // first. Returns false at the end of the launch.
    bool step(const StepMove& move);
    // Writes SVG or PDF, with text as vectors, atomically. Throws Error.
    void save_figure(const std::filesystem::path& path);
    // The session that reproduces the current picture.
    Session session() const;

private:
    Shown shown() const;
    void step_to();
    render::Pixels draw_strips(const Strips::Strip& strip);

    Session start_;
    PictureFormat format_;
    render::Offscreen context_;
    Worker worker_;
    std::shared_ptr<const Frame> frame_;
    std::unique_ptr<Debugger> debugger_; // set in stepping mode
    SteppedShown stepped_;
    Scene scene_;
    Strips strips_;
};

} // namespace lanescope::app
