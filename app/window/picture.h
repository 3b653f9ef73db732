// The middle of the window: drawn into targets of its own whenever frame, look or size is new, and
// shown from there, so that the screen stays while the device has the picture's memory.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "app/document/document.h"
#include "app/draw/shown.h"
#include "app/window/interaction.h"
#include "render/gl/objects.h"

namespace lanescope::app {

// What the window says over its picture, beside what a saved one says: its lab's question, and
// room for the mark at the right.
PictureWords picture_words(const Document& document, const Interaction& ui);

class Picture {
public:
    explicit Picture(bool smooth) : samples_(smooth ? 4 : 1) {}

    Scene& scene() { return scene_; }
    // Makes ready, a bit in every frame, what a later picture may need.
    bool prepare() // false: all is ready
    {
        prepared_ = prepared_ || !scene_.prepare(samples_);
        return !prepared_;
    }
    // Pixels of the last drawing; 0 before it.
    Size size() const;
    // Whether what was drawn is on its way to where it will stand: it is to be drawn again soon.
    bool moves() const { return before_ != nullptr; }
    // Draws what is new. Its frame must be drawable. Tells where the picture lies, and whether both
    // sides of A/B are there.
    void draw(Shown shown, const Size& size, Interaction& ui);
    // Into the window's framebuffer, its upper left at these pixels from the window's. Gives what
    // it covers there, from the lower left; nothing before the first drawing.
    render::PixelRect show(int left, int top, int window_height, const Look& look) const;

private:
    void move(Shown& shown);

    int samples_;
    Scene scene_;
    std::optional<render::gl::Target> target_;
    std::optional<render::gl::Target> beside_; // the right side of A/B
    std::uint64_t frame_ = 0;                  // that was drawn
    std::shared_ptr<const Frame> last_;        // the same, while a request is shown
    std::shared_ptr<const Frame> before_; // from which lanes are on their way; null: they stand
    std::chrono::steady_clock::time_point moving_since_;
    bool both_ = false;
    std::optional<Look> look_; // with which
    float text_px_ = 0;
    PictureWords words_;
    SteppedShown stepped_;
    bool prepared_ = false;
};

} // namespace lanescope::app
