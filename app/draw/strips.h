// Draws a picture of any size in strips from the top, reading one back while the next is drawn, so
// that no frame of the window waits for all of it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "app/document/look/size.h"
#include "render/capture/pixel_reader.h"
#include "render/gl/objects.h"

namespace lanescope::app {

class Strips {
public:
    // Draws the whole picture into a viewport that may extend past the framebuffer.
    using Draw = std::function<void(const render::PixelRect& viewport)>;
    // The drawings of a picture, and how their pixels are combined.
    struct Strip {
        std::vector<Draw> drawings;
        // empty: a single drawing
        std::function<render::Pixels(std::vector<render::Pixels>)> join{};
    };

    // The drawn data must not change until the picture is complete. `samples` as for gl::Target.
    void begin(const Size& size, int samples, Strip strip);
    bool in_progress() const { return !strip_.drawings.empty(); }
    // Draws at least one remaining strip, and more within the budget. Returns the picture once all
    // of it has arrived. If drawing throws, rethrows and is idle afterwards.
    std::optional<render::Pixels> advance(std::chrono::duration<double> budget);
    // Draws all remaining strips and waits for them.
    render::Pixels rest();
    void cancel();

private:
    void draw_strip();
    void take(render::Pixels arrived);

    int samples_ = 0;
    Strip strip_;
    int drawn_ = 0;                     // rows drawn …
    int arrived_ = 0;                   // … and read back
    std::vector<render::Pixels> parts_; // parts of the strip being read
    render::Pixels pixels_;
    render::PixelReader reader_;
    std::optional<render::gl::Target> target_; // size of a strip; reused
};

} // namespace lanescope::app
