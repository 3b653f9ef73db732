// Spreads names over a column, and finds free space for single ones.
#include "render/views/plot/plot_names.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "render/views/paint/words.h"
#include "render/views/plot/markers.h"

namespace lanescope::render {
namespace {

constexpr float name_height = 1.35f; // in em
constexpr float min_name_height = 1.15f;
constexpr float marker_room = 1.5f;
constexpr float smallest = 0.925f; // smallest scale of the names' text

TextStyle style_of(const PlotName& name, float text_px, Colour colour)
{
    return {text_px, colour, name.strong, Align::left};
}

// Baselines close to the wanted ones, in the same order, at least `step` apart and within the
// height.
std::vector<float> spread(const std::vector<float>& wanted, float step, float top, float bottom)
{
    std::vector<float> places = wanted;
    float min_y = top;
    for (float& y : places) {
        y = std::max(y, min_y);
        min_y = y + step;
    }
    float max_y = bottom;
    for (auto y = places.rbegin(); y != places.rend(); ++y) {
        *y = std::min(*y, max_y);
        max_y = *y - step;
    }
    return places;
}

bool overlap(const Box& a, const Box& b)
{
    return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

} // namespace

PlotNames::PlotNames(Painter& painter, const std::vector<PlotName>& names, float max_width,
                     float height, float text_px)
    : text_px_(text_px), pitch_(name_height)
{
    if (names.empty()) return;
    float widest = 0;
    const auto lay_out = [&] {
        const auto fits = static_cast<std::size_t>(height / (pitch_ * text_px_));
        rows_ = std::clamp<std::size_t>(fits, 1, names.size());
        const auto columns = static_cast<float>((names.size() + rows_ - 1) / rows_);
        widest = 0;
        for (const PlotName& name : names)
            widest = std::max(widest, painter.text_width(name.text, style_of(name, text_px_, {})));
        column_ = widest + (marker_room + 0.6f) * text_px_;
        width_ = column_ * columns;
    };
    lay_out();
    while ((width_ > max_width || rows_ < names.size()) && text_px_ > smallest * text_px) {
        text_px_ = std::max(smallest * text_px, text_px_ - 1);
        lay_out();
    }
    if (rows_ < names.size()) {
        pitch_ = min_name_height;
        lay_out();
    }
    // A name that is cut short may stand for several lines, so that two columns may take more room.
    const float limit = rows_ < names.size() ? 1.3f * max_width : max_width;
    if (width_ > limit) {
        column_ *= limit / width_;
        width_ = limit;
    }
}

void PlotNames::draw(Painter& painter, const Box& box, std::vector<PlotName> names,
                     const Theme& theme) const
{
    std::ranges::stable_sort(names, {}, &PlotName::wanted_y);
    const float step = pitch_ * text_px_;
    std::vector<float> places;
    for (const PlotName& name : names) places.push_back(name.wanted_y);
    if (rows_ == names.size()) {
        places = spread(places, step, box.y + step / 2, box.bottom() - step / 2);
    } else {
        for (std::size_t i = 0; i < names.size(); ++i)
            places[i] = box.y + step * (static_cast<float>(i % rows_) + 0.5f);
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        const float x = box.x + column_ * static_cast<float>(i / rows_) + 0.5f * text_px_;
        const Colour colour = series_colour(theme, names[i].place);
        draw_marker(painter, {x + 0.4f * text_px_, places[i]}, 0.7f * text_px_, names[i].place,
                    colour);
        const TextStyle style =
            style_of(names[i], text_px_, names[i].strong ? theme.text : theme.muted);
        painter.text({x + (marker_room - 0.4f) * text_px_, places[i] + 0.36f * text_px_},
                     fitted(painter, names[i].text, column_ - marker_room * text_px_, style),
                     style);
    }
}

Box free_place(const std::vector<Box>& candidates, const std::vector<glm::vec2>& points,
               const std::vector<Box>& taken)
{
    int min_touched = std::numeric_limits<int>::max();
    Box best = candidates.front();
    for (const Box& candidate : candidates) {
        const auto inside = [&](glm::vec2 point) {
            return overlap(candidate, {point.x, point.y, 0.01f, 0.01f});
        };
        const auto touched =
            static_cast<int>(std::ranges::count_if(points, inside)) +
            100 * static_cast<int>(std::ranges::count_if(
                      taken, [&](const Box& box) { return overlap(candidate, box); }));
        if (touched >= min_touched) continue;
        min_touched = touched;
        best = candidate;
    }
    return best;
}

} // namespace lanescope::render
