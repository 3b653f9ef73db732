// Lays a plot out, then draws it back to front: grid, roofs, spreads, lines, markers, names.
#include "render/views/plot/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "render/views/paint/words.h"
#include "render/views/plot/markers.h"
#include "render/views/plot/plot_names.h"

namespace lanescope::render {
namespace {

struct Extremes {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void add(const PlotAxis& axis, double value)
    {
        if (!axis.can_show(value)) return;
        low = std::min(low, value);
        high = std::max(high, value);
    }
};

bool shown(const Plot& plot, const PlotPoint& point)
{
    return plot.x.can_show(point.x) && plot.y.can_show(point.y);
}

class Drawing {
public:
    Drawing(Painter& painter, const Box& box, const Plot& plot, const Theme& theme, float text_px);
    void draw();

private:
    AxisRange range_of_x() const;
    AxisRange range_of_y(float height) const;
    std::vector<PlotName> names() const;
    glm::vec2 at(double x, double y) const;
    std::vector<PlotPoint> points_of(const PlotSeries& series) const;
    void lay_out_categories();
    void draw_frame();
    void draw_x_ticks();
    void draw_roofs();
    void draw_spread(const PlotSeries& series);
    void draw_series(const PlotSeries& series);
    void name_roofs();
    // Clips a roof to the axes; returns false if nothing is left.
    bool visible(const PlotRoof& roof, std::array<glm::vec2, 2>& ends) const;

    Painter& painter_;
    const Plot& plot_;
    const Theme& theme_;
    float text_px_;
    float line_px_;
    Box box_;
    AxisRange y_;
    PlotNames names_;
    AxisRange x_;
    Box inside_;
    TextStyle category_style_; // labels below the x axis
    float category_rows_ = 1;
    float slot_ = 0; // width for a category's label
};

float widest(Painter& painter, const std::vector<Tick>& ticks, const TextStyle& style)
{
    float width = 0;
    for (const Tick& tick : ticks) width = std::max(width, painter.text_width(tick.label, style));
    return width;
}

// The box without the title's height.
Box below_title(const Box& box, const Plot& plot, float text_px)
{
    const float height = plot.title.empty() ? 0 : 1.9f * text_px;
    return {box.x, box.y + height, box.width, box.height - height};
}

constexpr float side_pad = 0.6f;             // padding between the ends of the x axis and the data
constexpr float min_category_scale = 0.925f; // smallest scale of the text
constexpr float above = 2.2f;                // in em: the title of the y axis
constexpr float below = 3.1f;                // in em: tick labels and the title of the x axis
constexpr float names_below = 0.9f;          // in em: how far names extend below the x axis

Drawing::Drawing(Painter& painter, const Box& box, const Plot& plot, const Theme& theme,
                 float text_px)
    : painter_(painter), plot_(plot), theme_(theme), text_px_(text_px),
      line_px_(std::max(1.0f, std::round(text_px / 14))), box_(below_title(box, plot, text_px)),
      y_(range_of_y(box_.height - (above + below) * text_px)),
      names_(painter, names(), 0.42f * box.width,
             box_.height - (above + below - names_below) * text_px, text_px),
      x_(range_of_x())
{
    const float left =
        widest(painter, y_.ticks(), {text_px, theme.muted, false, Align::right}) + 0.7f * text_px;
    // Half of the last tick's label extends past the axis.
    const float right = std::max(names_.width(), 1.2f * text_px);
    inside_.x = std::round(box_.x + left);
    inside_.y = std::round(box_.y + above * text_px);
    inside_.width = std::max(1.0f, std::round(box_.right() - right - inside_.x));
    lay_out_categories();
    inside_.height = std::max(
        1.0f, std::round(box_.bottom() - (below + category_rows_ - 1) * text_px - inside_.y));
}

// Categories shrink slightly if they do not fit side by side, then use two rows.
void Drawing::lay_out_categories()
{
    category_style_ = {text_px_, theme_.text, false, Align::centre};
    if (plot_.x.kind != AxisKind::categories) return;
    const auto count = static_cast<float>(std::max<std::size_t>(x_.ticks().size(), 1));
    slot_ = inside_.width / count - 0.4f * text_px_;
    const float wanted = widest(painter_, x_.ticks(), category_style_);
    if (wanted * min_category_scale > slot_) {
        category_rows_ = 2;
        slot_ += inside_.width / count;
    }
    if (wanted > slot_) category_style_.size_px *= std::max(min_category_scale, slot_ / wanted);
}

AxisRange Drawing::range_of_x() const
{
    Extremes all;
    for (const PlotSeries& series : plot_.series)
        for (const PlotPoint& point : series.points)
            if (shown(plot_, point)) all.add(plot_.x, point.x);
    const float width = box_.width - names_.width();
    const int wanted = std::clamp(static_cast<int>(width / (3.5f * text_px_)), 2, 10);
    return {plot_.x, all.low, all.high, wanted};
}

AxisRange Drawing::range_of_y(float height) const
{
    Extremes all;
    for (const PlotSeries& series : plot_.series)
        for (const PlotPoint& point : series.points) {
            if (!shown(plot_, point)) continue;
            for (const double y : {point.y, point.low, point.high}) all.add(plot_.y, y);
        }
    for (const PlotRoof& roof : plot_.roofs)
        if (roof.slope == 0) all.add(plot_.y, roof.level);
    const int wanted = std::clamp(static_cast<int>(height / (2.2f * text_px_)), 2, 8);
    return {plot_.y, all.low, all.high, wanted};
}

std::vector<PlotPoint> Drawing::points_of(const PlotSeries& series) const
{
    std::vector<PlotPoint> points;
    for (PlotPoint point : series.points) {
        if (!shown(plot_, point)) continue;
        if (!plot_.y.can_show(point.low)) point.low = point.y;
        if (!plot_.y.can_show(point.high)) point.high = point.y;
        points.push_back(point);
    }
    return points;
}

std::vector<PlotName> Drawing::names() const
{
    std::vector<PlotName> all;
    for (const PlotSeries& series : plot_.series) {
        const auto points = points_of(series);
        if (series.name.empty() || points.empty()) continue;
        // wanted_y is filled in by draw(), which knows the axis position.
        all.push_back({series.name, series.place, series.strong,
                       static_cast<float>(y_.share(points.back().y))});
    }
    return all;
}

glm::vec2 Drawing::at(double x, double y) const
{
    const float pad = plot_.x.kind == AxisKind::categories ? 0.0f : side_pad * text_px_;
    return {inside_.x + pad + static_cast<float>(x_.share(x)) * (inside_.width - 2 * pad),
            inside_.bottom() - static_cast<float>(y_.share(y)) * inside_.height};
}

void Drawing::draw_frame()
{
    const TextStyle numbers{text_px_, theme_.text, false, Align::right};
    painter_.text({box_.x, box_.y + text_px_},
                  fitted(painter_, plot_.y.title, box_.width, {text_px_, theme_.text}),
                  {text_px_, theme_.text});
    for (const Tick& tick : y_.ticks()) {
        const float y = std::round(at(x_.low(), tick.value).y);
        painter_.fill({inside_.x, y - line_px_, inside_.width, line_px_}, theme_.grid);
        painter_.text({inside_.x - 0.4f * text_px_, y + 0.36f * text_px_}, tick.label, numbers);
    }
    painter_.fill({inside_.x, inside_.bottom() - line_px_, inside_.width, line_px_}, theme_.muted);
    draw_x_ticks();
    const TextStyle style{text_px_, theme_.text, false, Align::centre};
    const std::string title = fitted(painter_, plot_.x.title, box_.width, style);
    const float half = painter_.text_width(title, style) / 2;
    const float middle = std::clamp(inside_.x + inside_.width / 2, box_.x + half,
                                    std::max(box_.x + half, box_.right() - half));
    painter_.text({middle, inside_.bottom() + (1.75f + category_rows_) * text_px_}, title, style);
}

// Skips numbers that would touch the previous one.
void Drawing::draw_x_ticks()
{
    const bool categories = plot_.x.kind == AxisKind::categories;
    float free_from = -std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < x_.ticks().size(); ++i) {
        const Tick& tick = x_.ticks()[i];
        const float x = std::round(at(tick.value, y_.low()).x);
        painter_.fill({x, inside_.bottom(), line_px_, 0.3f * text_px_}, theme_.muted);
        if (categories) {
            const float row = category_rows_ > 1 && i % 2 == 1 ? 1.0f : 0.0f;
            painter_.text({x, inside_.bottom() + (1.4f + row) * text_px_},
                          fitted(painter_, tick.label, slot_, category_style_), category_style_);
            continue;
        }
        const float half = painter_.text_width(tick.label, category_style_) / 2;
        if (x - half < free_from) continue;
        painter_.text({x, inside_.bottom() + 1.4f * text_px_}, tick.label, category_style_);
        free_from = x + half + 0.4f * text_px_;
    }
}

bool Drawing::visible(const PlotRoof& roof, std::array<glm::vec2, 2>& ends) const
{
    double from = std::max(roof.x_low, x_.low());
    double to = std::min(roof.x_high, x_.high());
    if (roof.slope > 0) {
        from = std::max(from, (y_.low() - roof.level) / roof.slope);
        to = std::min(to, (y_.high() - roof.level) / roof.slope);
    } else if (roof.slope < 0) {
        from = std::max(from, (y_.high() - roof.level) / roof.slope);
        to = std::min(to, (y_.low() - roof.level) / roof.slope);
    } else if (!(roof.level >= y_.low() && roof.level <= y_.high())) {
        return false;
    }
    const auto y_at = [&](double x) {
        return std::clamp(roof.level + roof.slope * x, y_.low(), y_.high());
    };
    if (!(from < to)) return false;
    ends = {at(from, y_at(from)), at(to, y_at(to))};
    return true;
}

void Drawing::draw_roofs()
{
    for (const PlotRoof& roof : plot_.roofs) {
        std::array<glm::vec2, 2> ends;
        if (visible(roof, ends)) painter_.line(ends, theme_.muted, 2 * line_px_);
    }
}

void Drawing::draw_spread(const PlotSeries& series)
{
    const Colour colour = series_colour(theme_, series.place);
    std::vector<glm::vec2> upper, lower;
    for (const PlotPoint& point : points_of(series)) {
        upper.push_back(at(point.x, point.high));
        lower.push_back(at(point.x, point.low));
        if (series.spread == PlotSeries::Spread::band || !(point.high > point.low)) continue;
        const float half = 0.25f * text_px_;
        painter_.line(upper.back(), lower.back(), colour, 1.5f * line_px_);
        for (const glm::vec2 end : {upper.back(), lower.back()})
            painter_.line({end.x - half, end.y}, {end.x + half, end.y}, colour, 1.5f * line_px_);
    }
    if (series.spread == PlotSeries::Spread::band && upper.size() > 1)
        painter_.area(upper, lower, colour.with_alpha(series.strong ? 90 : 60));
}

void Drawing::draw_series(const PlotSeries& series)
{
    const Colour colour = series_colour(theme_, series.place);
    std::vector<glm::vec2> places;
    for (const PlotPoint& point : points_of(series)) places.push_back(at(point.x, point.y));
    if (series.line && places.size() > 1)
        painter_.line(places, colour, (series.strong ? 3.0f : 1.8f) * line_px_);
    // Without markers, a line still gets one at its end.
    if (!series.markers && places.size() > 1) places = {places.back()};
    for (const glm::vec2 place : places)
        draw_marker(painter_, place, (series.strong ? 0.75f : 0.6f) * text_px_, series.place,
                    colour);
}

void Drawing::name_roofs()
{
    std::vector<glm::vec2> points;
    for (const PlotSeries& series : plot_.series)
        for (const PlotPoint& point : points_of(series)) points.push_back(at(point.x, point.y));
    for (const PlotRoof& roof : plot_.roofs) {
        std::array<glm::vec2, 2> ends;
        if (!visible(roof, ends)) continue;
        constexpr int steps = 200; // so that points are closer together than a letter is wide
        for (int i = 0; i <= steps; ++i)
            points.push_back(ends[0] + static_cast<float>(i) / steps * (ends[1] - ends[0]));
    }
    std::vector<Box> taken;
    const TextStyle style{text_px_, theme_.text, false, Align::left};
    for (const PlotRoof& roof : plot_.roofs) {
        std::array<glm::vec2, 2> ends;
        if (!visible(roof, ends)) continue;
        const std::string name = fitted(painter_, roof.name, inside_.width, style);
        const float width = painter_.text_width(name, style);
        const float height = 1.25f * text_px_;
        const bool rises = ends[1].y < ends[0].y - text_px_;
        std::vector<Box> candidates;
        for (const float share : {0.5f, 0.25f, 0.75f, 0.1f, 0.9f}) {
            const glm::vec2 on = ends[0] + share * (ends[1] - ends[0]);
            const float gap = 0.3f * text_px_;
            // The name is next to a rising roof, or above or below a horizontal one.
            const float left = rises ? on.x - width - gap : on.x - width / 2;
            const float right = rises ? on.x + 2 * gap : on.x - width / 2;
            const float max_x = inside_.right() - width;
            candidates.push_back({std::clamp(right, inside_.x, std::max(inside_.x, max_x)),
                                  on.y + gap, width, height});
            candidates.push_back({std::clamp(left, inside_.x, std::max(inside_.x, max_x)),
                                  on.y - gap - height, width, height});
        }
        std::erase_if(candidates, [&](const Box& box) {
            const auto overlaps = [&box](const Box& other) {
                return box.x < other.right() && other.x < box.right() && box.y < other.bottom() &&
                       other.y < box.bottom();
            };
            return box.y < inside_.y - 0.9f * text_px_ || box.bottom() > inside_.bottom() ||
                   std::ranges::any_of(taken, overlaps);
        });
        if (candidates.empty()) continue;
        const Box place = free_place(candidates, points, taken);
        taken.push_back(place);
        painter_.text({place.x, place.y + 0.95f * text_px_}, name, style);
    }
}

void Drawing::draw()
{
    draw_frame();
    draw_roofs();
    for (const PlotSeries& series : plot_.series) draw_spread(series);
    for (const PlotSeries& series : plot_.series)
        if (!series.strong) draw_series(series);
    for (const PlotSeries& series : plot_.series)
        if (series.strong) draw_series(series);
    name_roofs();
    auto all = names();
    for (PlotName& name : all) name.wanted_y = inside_.bottom() - name.wanted_y * inside_.height;
    names_.draw(
        painter_,
        {inside_.right(), inside_.y, names_.width(), inside_.height + names_below * text_px_},
        std::move(all), theme_);
}

} // namespace

bool has_points(const Plot& plot)
{
    return std::ranges::any_of(plot.series, [&](const PlotSeries& series) {
        return std::ranges::any_of(series.points,
                                   [&](const PlotPoint& point) { return shown(plot, point); });
    });
}

void draw_plot(Painter& painter, const Box& box, const Plot& plot, const Theme& theme,
               float text_px)
{
    if (!plot.title.empty()) {
        const TextStyle title{text_px * 1.15f, theme.text, true};
        painter.text({box.x, box.y + 1.1f * text_px}, fitted(painter, plot.title, box.width, title),
                     title);
    }
    const Box room = below_title(box, plot, text_px);
    if (has_points(plot) && room.width > 8 * text_px && room.height > 6 * text_px)
        Drawing(painter, box, plot, theme, text_px).draw();
    else
        draw_words(painter, room,
                   has_points(plot) ? "The panel is too small for the plot." : plot.empty,
                   {text_px, theme.muted});
}

} // namespace lanescope::render
