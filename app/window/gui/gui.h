// Dear ImGui on the program's window, for the lifetime of this object: laid out in points, drawn in
// pixels.
#pragma once

#include "app/window/gui/theme.h"

namespace lanescope::render {
class Window;
}

namespace lanescope::app {

class Gui {
public:
    // Events arrive via InputEvents.
    explicit Gui(const render::Window& window);
    ~Gui();
    Gui(const Gui&) = delete;
    Gui& operator=(const Gui&) = delete;

    const Fonts& fonts() const { return fonts_; }
    // Submit a frame's widgets between begin() and draw(), which paints them into the bound
    // framebuffer.
    void begin(const Look& look);
    void draw();

private:
    struct Context {
        Context();
        ~Context();
    };
    const render::Window& window_;
    Context context_;
    Fonts fonts_;
};

} // namespace lanescope::app
