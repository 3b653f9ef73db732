// What stands in the middle of the screen: one side, or two beside each other, or their
// difference, with the words over it. The window, `shot` and `record` draw by this, so that one
// session gives one picture.
#pragma once

#include <memory>

#include "app/draw/scene.h"
#include "app/draw/stepping.h"
#include "app/draw/strips.h"
#include "app/run/frame.h"
#include "render/capture/pixels.h"

namespace lanescope::app {

// What the caption says beside what the frame tells.
struct PictureWords {
    std::string question{};
    CaptionLines lines = CaptionLines::as_fits;
    float mark_em = 0; // as in Caption
    bool hides_counts = false;
    friend bool operator==(const PictureWords&, const PictureWords&) = default;
};

struct Shown {
    std::shared_ptr<const Frame> frame; // with a picture whose memory OpenGL has
    Look look{};
    float text_px = 0;
    PictureWords words{};
    // What was drawn before, and how far what is shown has moved from there, 0 to 1: lanes go to
    // other banks and sectors, they do not jump. Null: it stands.
    std::shared_ptr<const Frame> before{};
    float moved = 1;
    SteppedShown stepped{}; // while the look's stepping mode is on

    bool compares() const { return frame->b && frame->together; } // two sides, at the same step
};

// Smooth edges where they show.
int samples_for(const Look& look, const labs::Lab& lab);

// The words over an experiment's picture, or over both sides' difference.
Caption caption_of(const Shown& shown);

// Draws the first side, or the difference if that is what the look wants.
Scene::Placement draw_leader(Scene& scene, const Shown& shown, const render::PixelRect& viewport);
// The stepping mode in its place, where the look says so; gives what can be pointed at.
SteppedHits draw_stepped(Scene& scene, const Shown& shown, const render::PixelRect& viewport);
void draw_comparison(Scene& scene, const Shown& shown, const render::PixelRect& viewport);
// Whether the other side stands beside the first, right of the divider.
bool beside_each_other(const Shown& shown);
// `a` up to the share `divider` of the width, `b` after it, a line between them. Both are of one
// size.
render::Pixels beside(const render::Pixels& a, const render::Pixels& b, float divider);

// For Strips::begin. What is shown, and the scene, must stay until the picture is whole.
Strips::Strip strip_of(Scene& scene, const Shown& shown);

} // namespace lanescope::app
