// What stands in the middle of the screen: one stage, or two beside each other, or their
// difference, with the words over it. The window, `shot` and `record` draw by this, so that one
// session gives one picture.
#pragma once

#include <functional>

#include "app/draw/scene.h"
#include "app/draw/strips.h"
#include "app/run/rival.h"
#include "app/run/stage.h"

namespace lanescope::app {

struct Shown {
    Stage* stage;                                // unmapped, with a picture
    Stage* rival = nullptr;                      // at the same step; null: none
    const FieldDifference* difference = nullptr; // of the two, where they can be compared
    Look look{};
    float text_px = 0;
};

// Smooth edges where they show.
int samples_for(const Look& look);

// The words over an experiment's picture.
Caption caption_of(const Shown& shown);

// Draws the side of `shown.stage`, or the difference if that is what the look wants.
Scene::Placement draw_leader(Scene& scene, const Shown& shown, const render::PixelRect& viewport);
void draw_rival(Scene& scene, const Shown& shown, const render::PixelRect& viewport);
// Whether the rival stands beside the leader, right of the divider.
bool beside_each_other(const Shown& shown);

// For Strips::begin. What is shown, and the scene, must stay until the picture is whole.
Strips::Strip strip_of(Scene& scene, const Shown& shown);

} // namespace lanescope::app
