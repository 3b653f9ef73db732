// The main view: one side, both side by side, or their difference, with the words above. Shared by
// the window, `shot` and `record`, so that a session always gives the same picture.
#pragma once

#include <memory>

#include "app/draw/scene/scene.h"
#include "app/draw/stepping.h"
#include "app/draw/strips.h"
#include "app/run/frame/frame.h"
#include "render/views/paint/pixels.h"

namespace lanescope::app {

// Caption text that is not derived from the frame.
struct PictureWords {
    std::string question{};
    CaptionLines lines = CaptionLines::as_fits;
    float mark_em = 0; // as in Caption
    bool hides_counts = false;
    bool in_frame = false; // the window's bar names the lab
    // The headline, as in Caption; the subject's own cost replaces it.
    std::string number{};
    std::string meaning{};
    std::string ideal{};
    std::string recorded{};
    std::string recorded_size{};
    std::string fastest{};
    bool good = false;
    bool neutral = false;
    friend bool operator==(const PictureWords&, const PictureWords&) = default;
};

struct Shown {
    std::shared_ptr<const Frame> frame; // OpenGL must own its picture's memory
    Look look{};
    float text_px = 0;
    PictureWords words{};
    // The previous frame, and the progress of the animation from it, 0 to 1: lanes move to other
    // banks and sectors instead of jumping. Null: no animation.
    std::shared_ptr<const Frame> before{};
    float moved = 1;
    SteppedShown stepped{}; // set in stepping mode

    bool compares() const { return frame->b && frame->together; } // two sides, at the same step
};

// MSAA samples: more than one where edges show.
int samples_for(const Look& look, const labs::Lab& lab);

// Caption of an experiment's picture, or of the difference.
Caption caption_of(const Shown& shown);

// Draws the first side, or the difference if the look selects it.
Scene::Placement draw_leader(Scene& scene, const Shown& shown, const render::PixelRect& viewport);
// Draws the stepping mode; returns what can be pointed at.
SteppedHits draw_stepped(Scene& scene, const Shown& shown, const render::PixelRect& viewport);
void draw_comparison(Scene& scene, const Shown& shown, const render::PixelRect& viewport);
// True if the other side is shown to the right of the divider.
bool is_side_by_side(const Shown& shown);
// Joins two pictures of one size: `a` up to the fraction `divider` of the width, then `b`, with a
// line between them.
render::Pixels beside(const render::Pixels& a, const render::Pixels& b, float divider);

// For Strips::begin. `shown` and `scene` must live until the picture is complete.
Strips::Strip strip_of(Scene& scene, const Shown& shown);

} // namespace lanescope::app
