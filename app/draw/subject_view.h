// The middle of the screen, drawn from a frame: picture with heatmap, memory or request, as the
// look says.
#pragma once

#include "app/document/look.h"
#include "app/draw/scene.h"
#include "app/run/frame.h"

namespace lanescope::app {

// Whether what the look asks for has been counted. The picture is always there.
bool has_subject(const SideFrame& side, const Look& look);

// The side must have a picture, and OpenGL its memory. What is not there is said in words. `beside`
// is the other side of A/B, or null.
Scene::Placement draw_subject(Scene& scene, const SideFrame& side, const Look& look,
                              const Caption& caption, const render::PixelRect& viewport,
                              float text_px, const SideFrame* beside = nullptr);

} // namespace lanescope::app
