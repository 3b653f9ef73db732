// Command-line options that determine what `shot` and `record` draw.
#pragma once

#include <optional>
#include <string>

#include "app/commands/shared/options.h"
#include "app/document/session/session.h"
#include "app/run/frame/frame.h"

namespace lanescope::app {

// The session named on a command line: LAB/VARIANT with its options, or a session file (JSON or
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
    std::optional<std::int64_t> instruction; // position in stepping mode; empty: stepping is off
    int step_warp = -1;
    bool step_optimised = false;
    bool step_ptx = false;
    std::string size; // empty: the session's own, or 1280x720
    std::string theme = "dark";
    std::string measurements; // file of recorded times; empty: the embedded ones
};
void add_scene_options(CLI::App& command, SceneOptions& options);
Session session_from(const SceneOptions& options);
// Throws Error (no_such_thing, bad_usage) if the options name a memory, site or warp that the
// opened experiment does not have; the message lists those it has.
void require_choices(const SceneOptions& options, const Frame& opened);
// "heat/naive on simt, 1280 × 720, sectors / ideal": describes the picture for the command's
// output.
std::string describe_frame(const Frame& frame, const Look& look, const Size& size);
// The requested size, else that of the picture the session came from.
PictureFormat picture_format(const SceneOptions& options, const Session& session);

} // namespace lanescope::app
