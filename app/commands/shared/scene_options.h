// What `shot` and `record` draw, as the command line says it.
#pragma once

#include <optional>
#include <string>

#include "app/commands/shared/options.h"
#include "app/document/session/session.h"
#include "app/run/frame.h"

namespace lanescope::app {

// The session that a command line names: LAB/VARIANT with its options, or a session's file (JSON or
// PNG).
struct SceneOptions {
    CommonOptions common;
    std::string target;
    std::string session;
    std::string view;
    std::string map;
    std::string map_of;
    std::string show;
    std::string memory;
    RequestChoice request;
    bool tree_block = false;
    std::optional<std::int64_t> instruction; // of the stepping mode; none: it is not on
    int step_warp = -1;
    bool step_optimised = false;
    bool step_ptx = false;
    std::string size; // empty: the session's own, or 1280x720
    std::string theme = "dark";
    std::string measurements; // a file of recorded times; empty: the program's own
};
void add_scene_options(CLI::App& command, SceneOptions& options);
Session session_from(const SceneOptions& options);
// Throws Error (no_such_thing, bad_usage) for a memory, a site or a warp that the options name and
// the opened experiment does not have, with those that it has.
void require_choices(const SceneOptions& options, const Frame& opened);
// "heat/naive on simt, 1280 × 720, sectors / ideal": what a picture shows, for the line that a
// command prints.
std::string in_words(const Frame& frame, const Look& look, const Size& size);
// The size that was asked for, else that of the picture that carried the session.
PictureFormat picture_format(const SceneOptions& options, const Session& session);

} // namespace lanescope::app
