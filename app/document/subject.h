// What fills the middle of the screen: the experiment's picture with its heatmap, one of its arrays
// sector by sector, or one request of one warp. The window, `shot` and `record` count and draw by
// this.
#pragma once

#include <string>

#include "app/document/look.h"
#include "app/draw/scene.h"
#include "app/run/stage.h"

namespace lanescope::app {

// "picture", "memory", "request": as sessions and the command line have them.
std::string name(Subject subject);
std::vector<std::string> subject_names();
Subject subject_named(const std::string& name); // one of subject_names()

// What the look needs counted.
Counting counting_for(const Look& look);

// Whether what the look asks for has been counted. The picture is always there.
bool has_subject(const Stage& stage, const Look& look);

// The stage must be unmapped and have a picture. What is not there is said in words.
Scene::Placement draw_subject(Scene& scene, Stage& stage, const Look& look, const Caption& caption,
                              const render::PixelRect& viewport, float text_px);

// "line 12: shared load, 4 bytes a lane", for lists of sites.
std::string site_title(const trace::Site& site);

// "block (2, 0, 0), warp 3 of 8": where a warp is in the launch.
std::string warp_title(std::uint64_t warp, const Dim3& grid, const Dim3& block);

} // namespace lanescope::app
