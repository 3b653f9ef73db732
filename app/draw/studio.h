// The worker without a window: steps and draws pictures of any size, offscreen, and waits for each.
// What `shot` and `record` share.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/commands/options.h"
#include "app/document/session.h"
#include "app/draw/scene.h"
#include "app/draw/shown.h"
#include "app/run/worker.h"
#include "render/capture/pixels.h"
#include "render/context/offscreen.h"

namespace lanescope::app {

class Studio {
public:
    // Opens the session's engine and replays its journal. Throws Error.
    explicit Studio(const Session& session, const PictureFormat& format);

    const Frame& frame() const { return *frame_; }
    // Steps on; the picture is then of the new state. Throws what went wrong.
    void advance(std::int64_t steps);
    render::Pixels draw();
    // As an SVG or PDF, whose words are vectors; whole or not at all. Throws Error.
    void save_figure(const std::filesystem::path& path);
    // The session that draws the present picture again.
    Session session() const;

private:
    Shown shown() const { return {frame_, start_.look, format_.text_px}; }
    render::Pixels draw_strips(const Strips::Strip& strip);

    Session start_;
    PictureFormat format_;
    std::unique_ptr<render::Offscreen> context_;
    Worker worker_{{.waits = true}};
    std::shared_ptr<const Frame> frame_;
    Scene scene_;
    Strips strips_;
};

// The session that a command line names: LAB/VARIANT with its options, or a session's file (JSON or
// PNG).
struct SceneOptions {
    CommonOptions common;
    std::string target;
    std::string session;
    std::string view;
    std::string map;
    std::string show;
    std::string memory;
    RequestChoice request;
    std::string size; // empty: the session's own, or 1280x720
    std::string theme = "dark";
};
void add_scene_options(CLI::App& command, SceneOptions& options);
Session session_from(const SceneOptions& options);
// The size that was asked for, else that of the picture that carried the session.
PictureFormat picture_format(const SceneOptions& options, const Session& session);

} // namespace lanescope::app
