// The worker without a window: steps and draws pictures of any size, offscreen, and waits for each.
// What `shot` and `record` share.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/document/session/session.h"
#include "app/document/step_move.h"
#include "app/draw/scene.h"
#include "app/draw/shown.h"
#include "app/run/worker.h"
#include "render/capture/pixels.h"
#include "render/context/offscreen.h"

namespace lanescope::app {

class Debugger;

class Studio {
public:
    // Opens the session's engine and replays its journal. Throws Error. A launch of the lockstep
    // machine ends after that time; 0: whenever it does.
    Studio(const Session& session, const PictureFormat& format, double launch_limit_s);

    ~Studio();

    const Frame& frame() const { return *frame_; }
    // Steps on; the picture is then of the new state. Throws what went wrong.
    void advance(std::int64_t steps);
    render::Pixels draw();
    // Where the look's stepping mode is on: on through the launch, then the picture is of there. A
    // warp that is shown is come to first. False at the end of the launch, where it stays.
    bool step(const StepMove& move);
    // As an SVG or PDF, whose words are vectors; whole or not at all. Throws Error.
    void save_figure(const std::filesystem::path& path);
    // The session that draws the present picture again.
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
    std::unique_ptr<Debugger> debugger_; // where the look's stepping mode is on
    SteppedShown stepped_;
    Scene scene_;
    Strips strips_;
};

} // namespace lanescope::app
