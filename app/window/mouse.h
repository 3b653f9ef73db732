// What the mouse does on the picture: paints on a field, turns a surface, zooms and moves either.
#pragma once

#include <optional>

#include "app/document/look.h"
#include "app/draw/scene.h"
#include "app/window/layout.h"
#include "compute/labs/lab.h"

namespace lanescope::app {

// Changes the look by this frame's mouse; gives the stroke that was painted, if any. `placement` is
// where the flat picture lies in the framebuffer, or nothing for a surface.
std::optional<labs::Stroke> picture_mouse(const Area& area, const Scene::Placement& placement,
                                          Look& look);

} // namespace lanescope::app
