// The middle of the window. It is drawn into its own render targets when frame, look or size
// change, and copied from there to the screen, which therefore keeps its contents while the device
// owns the picture's memory.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "app/document/document.h"
#include "app/draw/shown.h"
#include "app/window/interaction/interaction.h"
#include "render/gl/objects.h"

namespace lanescope::app {

// Text over the window's picture, in addition to that of a saved picture: the lab's question, the
// headline, and room for the mark at the right.
PictureWords picture_words(const Document& document, const Frame& frame, const Interaction& ui);

class Picture {
public:
    explicit Picture(bool smooth) : samples_(smooth ? 4 : 1) {}

    Scene& scene() { return scene_; }
    // Prepares resources that a later picture may need, a little per frame.
    bool prepare() // returns false when all are ready
    {
        prepared_ = prepared_ || !scene_.prepare(samples_);
        return !prepared_;
    }
    // Size of the last drawing in pixels; 0 before it.
    Size size() const;
    // True during an animation: another redraw is needed soon.
    bool moves() const { return before_ != nullptr; }
    // Redraws if anything changed. The frame's memory must be drawable. Stores in `ui` where the
    // picture is, and whether both sides of A/B are there.
    void draw(Shown shown, const Size& size, Interaction& ui);
    // Copies the picture to the window's framebuffer, its upper left at these pixels from the
    // window's. Returns the rectangle it covers, from the lower left; empty before the first
    // drawing.
    render::PixelRect show(int left, int top, int window_height, const Look& look) const;

private:
    void move(Shown& shown);

    int samples_;
    Scene scene_;
    std::optional<render::gl::Target> target_;
    std::optional<render::gl::Target> beside_; // the right side of A/B
    std::uint64_t frame_ = 0;                  // number of the frame drawn last
    std::shared_ptr<const Frame> last_;        // that frame, while a request is shown
    std::shared_ptr<const Frame> before_;      // start of the animation; null: none
    std::chrono::steady_clock::time_point moving_since_;
    bool both_ = false;
    std::optional<Look> look_; // look with which it was drawn
    float text_px_ = 0;
    PictureWords words_;
    SteppedShown stepped_;
    bool prepared_ = false;
};

} // namespace lanescope::app
