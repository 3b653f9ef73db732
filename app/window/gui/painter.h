// The Painter of panels: draws plots and bars into Dear ImGui's window, in its fonts.
#pragma once

#include "app/window/gui/style.h"
#include "render/views/paint/painter.h"

namespace lanescope::app {

// Draws into the current window; its origin is the screen's upper left. Valid for one frame.
class PanelPainter : public render::Painter {
public:
    explicit PanelPainter(const Fonts& fonts);

    using Painter::line;
    void fill(const render::Box& box, render::Colour colour) override;
    void line(std::span<const glm::vec2> points, render::Colour colour, float width_px) override;
    void area(std::span<const glm::vec2> upper, std::span<const glm::vec2> lower,
              render::Colour colour) override;
    void gradient(const render::Box& box, std::span<const render::Colour> colours,
                  bool upright) override;
    void text(glm::vec2 at, std::string_view text, const render::TextStyle& style) override;
    float text_width(std::string_view text, const render::TextStyle& style) override;

private:
    ImFont* font_of(const render::TextStyle& style) const;

    const Fonts& fonts_;
    ImDrawList& draw_;
};

} // namespace lanescope::app
