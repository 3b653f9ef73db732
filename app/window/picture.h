// The middle of the window: drawn into targets of its own whenever frame, look or size is new, and
// shown from there, so that the screen stays while the device has the picture's memory.
#pragma once

#include <memory>
#include <optional>

#include "app/document/document.h"
#include "app/draw/shown.h"
#include "app/window/interaction.h"
#include "render/gl/objects.h"

namespace lanescope::app {

// What the window says over its picture, beside what a saved one says: its lab's question, and
// room for the mark at the right.
PictureWords words_over(const Document& document, const Interaction& ui);

class Picture {
public:
    explicit Picture(bool smooth) : samples_(smooth ? 4 : 1) {}

    Scene& scene() { return scene_; }
    // Makes ready, a bit in every frame, what a later picture may need.
    bool prepare() // false: all is ready
    {
        prepared_ = prepared_ || !scene_.prepare();
        return !prepared_;
    }
    // Pixels of the last drawing; 0 before it.
    Size size() const;
    // Draws what is new. Its frame must be drawable. Tells where the picture lies, and whether both
    // sides of A/B are there.
    void draw(const Shown& shown, const Size& size, Interaction& ui);
    // Into the window's framebuffer, its upper left at these pixels from the window's.
    void show(int left, int top, int window_height, const Look& look) const;

private:
    int samples_;
    Scene scene_;
    std::optional<render::gl::Target> target_;
    std::optional<render::gl::Target> beside_; // the right side of A/B
    std::uint64_t frame_ = 0;                  // that was drawn
    bool both_ = false;
    std::optional<Look> look_; // with which
    float text_px_ = 0;
    PictureWords words_;
    bool prepared_ = false;
};

} // namespace lanescope::app
