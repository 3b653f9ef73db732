// A picture of any size, drawn strip by strip from its upper edge and read back while the next
// strip is drawn, so that no frame of the window waits for all of it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "app/document/size.h"
#include "render/capture/pixel_reader.h"
#include "render/gl/objects.h"

namespace lanescope::app {

class Strips {
public:
    // Draws the whole picture into a viewport that may reach beyond the framebuffer.
    using Draw = std::function<void(const render::PixelRect& viewport)>;
    // What a picture is made of: one drawing or more, and how their pixels become one.
    struct Strip {
        std::vector<Draw> drawings;
        std::function<render::Pixels(std::vector<render::Pixels>)> join{}; // empty: there is one
    };

    // What is drawn must not change until the picture is whole. `samples` as gl::Target takes them.
    void begin(const Size& size, int samples, Strip strip);
    bool in_progress() const { return !strip_.drawings.empty(); }
    // Draws at least one strip that is left, and no further one after this time. The picture, when
    // all of it has arrived. Throws what the drawing throws; then nothing is under way.
    std::optional<render::Pixels> advance(std::chrono::duration<double> budget);
    // All strips that are left, waiting for them.
    render::Pixels rest();
    void cancel();

private:
    void draw_strip();
    void take(render::Pixels arrived);

    int samples_ = 0;
    Strip strip_;
    int drawn_ = 0;                     // rows …
    int arrived_ = 0;                   // … and those of them that have been read
    std::vector<render::Pixels> parts_; // of the strip that is arriving
    render::Pixels pixels_;
    render::PixelReader reader_;
    std::optional<render::gl::Target> target_; // of one strip; kept for the next picture
};

} // namespace lanescope::app
