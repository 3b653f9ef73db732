// Draws plots and bars with Dear ImGui's draw lists.
#include "app/window/gui/painter.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lanescope::app {
namespace {

ImU32 ink(render::Colour colour)
{
    return IM_COL32(colour.red, colour.green, colour.blue, colour.alpha);
}

ImVec2 point(glm::vec2 at)
{
    return {at.x, at.y};
}

} // namespace

PanelPainter::PanelPainter(const Fonts& fonts) : fonts_(fonts), draw_(*ImGui::GetWindowDrawList())
{
}

void PanelPainter::fill(const render::Box& box, render::Colour colour)
{
    draw_.AddRectFilled({box.x, box.y}, {box.right(), box.bottom()}, ink(colour));
}

void PanelPainter::line(std::span<const glm::vec2> points, render::Colour colour, float width_px)
{
    std::vector<ImVec2> places;
    for (const glm::vec2 at : points) places.push_back(point(at));
    draw_.AddPolyline(places.data(), static_cast<int>(places.size()), ink(colour), 0, width_px);
}

void PanelPainter::area(std::span<const glm::vec2> upper, std::span<const glm::vec2> lower,
                        render::Colour colour)
{
    // Coincident points would leave the triangulation without a direction.
    std::vector<ImVec2> outline;
    const auto add = [&](glm::vec2 at) {
        const bool again = !outline.empty() && std::abs(outline.back().x - at.x) < 0.01F &&
                           std::abs(outline.back().y - at.y) < 0.01F;
        if (!again) outline.push_back(point(at));
    };
    for (const glm::vec2 at : upper) add(at);
    for (std::size_t i = lower.size(); i > 0; --i) add(lower[i - 1]);
    if (outline.size() < 3) return;
    draw_.AddConcavePolyFilled(outline.data(), static_cast<int>(outline.size()), ink(colour));
}

void PanelPainter::gradient(const render::Box& box, std::span<const render::Colour> colours,
                            bool upright)
{
    const auto count = static_cast<float>(colours.size());
    for (std::size_t i = 0; i < colours.size(); ++i) {
        const auto place = static_cast<float>(i);
        if (upright)
            fill({box.x, box.bottom() - box.height * (place + 1) / count, box.width,
                  box.height / count},
                 colours[i]);
        else
            fill({box.x + box.width * place / count, box.y, box.width / count, box.height},
                 colours[i]);
    }
}

ImFont* PanelPainter::font_of(const render::TextStyle& style) const
{
    if (style.code) return fonts_.code;
    return style.bold ? fonts_.bold : fonts_.plain;
}

float PanelPainter::text_width(std::string_view text, const render::TextStyle& style)
{
    return width_of(font_of(style), style.size_px, text);
}

void PanelPainter::text(glm::vec2 at, std::string_view text, const render::TextStyle& style)
{
    if (style.size_px < min_size_px) return;
    ImFont* const font = font_of(style);
    if (style.align != render::Align::left)
        at.x -= text_width(text, style) * (style.align == render::Align::centre ? 0.5F : 1.0F);
    const float ascent = font->GetFontBaked(style.size_px)->Ascent;
    draw_.AddText(font, style.size_px, {std::round(at.x), std::round(at.y - ascent)},
                  ink(style.colour), text.data(), text.data() + text.size());
}

} // namespace lanescope::app
