// A picture of any size, drawn strip by strip from its upper edge, so that no frame of the window
// waits for all of it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "app/commands/options.h"
#include "render/capture/pixels.h"
#include "render/gl/objects.h"

namespace lanescope::app {

class Strips {
public:
    // Draws the whole picture into a viewport that may reach beyond the framebuffer.
    using Draw = std::function<void(const render::PixelRect& viewport)>;
    // What a drawing leaves in the present strip.
    using Shoot = std::function<render::Pixels(const Draw& draw)>;
    // Makes the present strip out of one or more shots.
    using Strip = std::function<render::Pixels(const Shoot& shoot)>;

    // What is drawn must not change until the picture is whole. `samples` as gl::Target takes them.
    void begin(const Size& size, int samples, Strip strip);
    bool under_way() const { return static_cast<bool>(strip_); }
    // Draws at least one strip, and no further one after this time. The picture, when it is whole.
    // Throws what the drawing throws; then nothing is under way.
    std::optional<render::Pixels> advance(std::chrono::duration<double> budget);
    // All strips that are left.
    render::Pixels rest();
    void cancel() { strip_ = nullptr; }

private:
    void add_strip();

    int samples_ = 0;
    Strip strip_;
    int done_ = 0; // rows
    render::Pixels pixels_;
    std::optional<render::gl::Target> target_; // of one strip; kept for the next picture
};

} // namespace lanescope::app
