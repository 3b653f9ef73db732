// Bars and curves: shapes by shaders, axes by the Painter.
#include "render/views/plot/chart.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "render/views/paint/words.h"

namespace lanescope::render {
namespace {

glm::vec4 to_vector(Colour colour)
{
    return glm::vec4(colour.red, colour.green, colour.blue, colour.alpha) / 255.0f;
}

} // namespace

PixelRect to_pixels(const Box& box, const PixelRect& viewport)
{
    const int left = static_cast<int>(std::lround(box.x));
    const int top = static_cast<int>(std::lround(box.y));
    const int right = static_cast<int>(std::lround(box.right()));
    const int bottom = static_cast<int>(std::lround(box.bottom()));
    return {viewport.x + left, viewport.y + viewport.height - bottom, right - left, bottom - top};
}

namespace {

// Without room, only numbers are drawn, no titles.
bool has_titles(const Box& box, float text_px)
{
    return box.height > 9 * text_px;
}

std::vector<Tick> y_ticks(const Axes& axes, const Box& box, float text_px)
{
    return ticks(axes.y_low, axes.y_high,
                 static_cast<int>(std::clamp(box.height / (3 * text_px), 2.f, 8.f)));
}

} // namespace

Box plot_area(Painter& painter, const Box& box, const Axes& axes, float text_px)
{
    const TextStyle numbers{text_px, {}, false, Align::right};
    float widest = 0;
    for (const Tick& tick : y_ticks(axes, box, text_px))
        widest = std::max(widest, painter.text_width(tick.label, numbers));
    const float left = widest + 0.8f * text_px;
    const bool titles = has_titles(box, text_px);
    const float above = (titles ? 1.9f : 0.5f) * text_px;
    const float below = (titles ? 3.2f : 1.8f) * text_px;
    Box inside{std::round(box.x + left), std::round(box.y + above), 0, 0};
    inside.width = std::max(1.0f, std::round(box.right() - 0.8f * text_px - inside.x));
    inside.height = std::max(1.0f, std::round(box.bottom() - below - inside.y));
    return inside;
}

void draw_axes_around(Painter& painter, const Box& box, const Box& inside, const Axes& axes,
                      const Theme& theme, float text_px)
{
    const TextStyle numbers{text_px, theme.muted, false, Align::right};
    const TextStyle title{text_px, theme.text, false, Align::left};
    const bool titles = has_titles(box, text_px);
    const float line_px = std::max(1.0f, std::round(text_px / 14));
    const float tick_px = 0.35f * text_px;
    if (titles)
        painter.text({box.x, box.y + text_px}, fitted(painter, axes.y_title, box.width, title),
                     title);
    for (const Tick& tick : y_ticks(axes, box, text_px)) {
        const auto share =
            static_cast<float>((tick.value - axes.y_low) / (axes.y_high - axes.y_low));
        const float y = std::round(inside.bottom() - share * inside.height);
        if (axes.grid)
            painter.fill({inside.x, y - line_px, inside.width, line_px}, theme.grid);
        else
            painter.fill({inside.x - tick_px, y - line_px, tick_px, line_px}, theme.muted);
        painter.text({inside.x - 0.5f * text_px, y + 0.36f * text_px}, tick.label, numbers);
    }
    const TextStyle centred{text_px, theme.muted, false, Align::centre};
    for (const Tick& tick :
         ticks(axes.x_low, axes.x_high,
               static_cast<int>(std::clamp(inside.width / (6 * text_px), 2.f, 10.f)))) {
        const auto share =
            static_cast<float>((tick.value - axes.x_low) / (axes.x_high - axes.x_low));
        const float x = std::round(inside.x + share * inside.width);
        painter.fill({x, inside.bottom(), line_px, tick_px}, theme.muted);
        painter.text({x, inside.bottom() + 1.45f * text_px}, tick.label, centred);
    }
    painter.fill({inside.x, inside.bottom() - line_px, inside.width, line_px}, theme.muted);
    if (titles) {
        const TextStyle middle{text_px, theme.text, false, Align::centre};
        painter.text({inside.x + inside.width / 2, inside.bottom() + 2.8f * text_px},
                     fitted(painter, axes.x_title, box.width, middle), middle);
    }
}

Box draw_axes(Painter& painter, const Box& box, const Axes& axes, const Theme& theme, float text_px)
{
    const Box inside = plot_area(painter, box, axes, text_px);
    draw_axes_around(painter, box, inside, axes, theme, text_px);
    return inside;
}

namespace {

template <class T>
std::vector<T> read_back(GLuint buffer, int count)
{
    std::vector<T> values(static_cast<std::size_t>(std::max(count, 0)));
    glGetNamedBufferSubData(buffer, 0, static_cast<GLsizeiptr>(values.size() * sizeof(T)),
                            values.data());
    return values;
}

} // namespace

void draw_bars(Painter& painter, const Box& inside, const BarsData& data, Colour colour)
{
    const float width = inside.width / static_cast<float>(std::max(data.count, 1));
    const float gap = width > 4 ? 1.0f : 0.0f;
    float left = inside.x;
    for (const std::uint32_t count : read_back<std::uint32_t>(data.buffer, data.count)) {
        const float height =
            inside.height * std::clamp(static_cast<float>(count) / data.high, 0.0f, 1.0f);
        if (height > 0) painter.fill({left, inside.bottom() - height, width - gap, height}, colour);
        left += width;
    }
}

bool is_dense(int points, const Box& inside)
{
    return static_cast<float>(points) > 2 * inside.width;
}

namespace {

// The minimum and maximum of a curve in each pixel column, as lines from left to right.
struct Band {
    std::vector<glm::vec2> upper;
    std::vector<glm::vec2> lower;
};

// Points in painter coordinates; empty unless they go from left to right. A column includes the
// last point before it, so that steep parts have no gaps. Parts outside the plot area are at its
// edge.
Band band_of(std::span<const glm::vec2> points, const Box& inside)
{
    Band band;
    float column = -1;
    const glm::vec2* last = nullptr;
    for (const glm::vec2& point : points) {
        if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
        if (last && point.x < last->x) return {};
        const float at = std::floor(point.x - inside.x);
        if (band.upper.empty() || at != column) {
            const float before = last ? last->y : point.y;
            band.upper.emplace_back(point.x, before);
            band.lower.emplace_back(point.x, before);
            column = at;
        }
        band.upper.back().y = std::min(band.upper.back().y, point.y);
        band.lower.back().y = std::max(band.lower.back().y, point.y);
        last = &point;
    }
    for (auto* const line : {&band.upper, &band.lower})
        for (glm::vec2& point : *line) point.y = std::clamp(point.y, inside.y, inside.bottom());
    return band;
}

} // namespace

void draw_curve(Painter& painter, const Box& inside, const CurveData& data, Colour colour,
                float width_px)
{
    constexpr auto higher = [](glm::vec2 a, glm::vec2 b) { return a.y < b.y; };
    auto points = read_back<glm::vec2>(data.buffer, data.count);
    for (glm::vec2& point : points)
        point = {inside.x + (point.x + 1) / 2 * inside.width,
                 inside.bottom() - (point.y + 1) / 2 * inside.height};
    if (is_dense(data.count, inside))
        if (const Band band = band_of(points, inside); !band.upper.empty()) {
            painter.area(band.upper, band.lower, colour.with_alpha(90));
            painter.line(band.upper, colour, width_px);
            return painter.line(band.lower, colour, width_px);
        }
    const auto together = std::max<std::ptrdiff_t>(
        1, std::lround(static_cast<float>(points.size()) / std::max(inside.width, 1.0f)));
    std::vector<glm::vec2> kept;
    for (auto first = points.begin(); first != points.end();) {
        const auto end = first + std::min(together, points.end() - first);
        auto [low, high] = std::minmax_element(first, end, higher);
        if (low > high) std::swap(low, high);
        kept.push_back(*low);
        if (high != low) kept.push_back(*high);
        first = end;
    }
    painter.line(kept, colour, width_px);
}

BarsView::BarsView() : program_("shaders/rect.vert", "shaders/bars.frag"), counts_(GL_R32UI) {}

void BarsView::draw(const BarsData& data, const PixelRect& inside, Colour colour)
{
    if (data.count < 1 || inside.width < 1 || inside.height < 1) return;
    counts_.attach(data.buffer);
    counts_.bind(0);
    program_.set("counts", 0);
    program_.set("count", data.count);
    program_.set("inside", glm::vec4(inside.x, inside.y, inside.width, inside.height));
    program_.set("per_high", data.high > 0 ? 1 / data.high : 0.0f);
    program_.set("colour", to_vector(colour));
    program_.set("rect", glm::vec4(-1, -1, 1, 1));
    program_.use();
    array_.bind();
    glViewport(inside.x, inside.y, inside.width, inside.height);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    gl::check();
}

CurveView::CurveView() : program_("shaders/curve.vert", "shaders/plain.frag"), vertices_(GL_RG32F)
{
}

void CurveView::draw(const CurveData& data, const PixelRect& inside, Colour colour, float width_px)
{
    if (data.count < 2 || inside.width < 1 || inside.height < 1) return;
    vertices_.attach(data.buffer);
    vertices_.bind(0);
    program_.set("points", 0);
    program_.set("half_size_px", glm::vec2(inside.width, inside.height) / 2.0f);
    program_.set("half_width_px", std::max(width_px, 1.0f) / 2);
    program_.set("colour", to_vector(colour));
    program_.use();
    array_.bind();
    glViewport(inside.x, inside.y, inside.width, inside.height);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, data.count - 1);
    gl::check();
}

} // namespace lanescope::render
