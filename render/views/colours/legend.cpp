// The colour bar, drawn by a Painter.
#include "render/views/colours/legend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "render/views/colours/hatching.h"
#include "render/views/paint/words.h"

namespace lanescope::render {
namespace {

constexpr float min_bar_em = 2; // a shorter bar takes the place of the line below it

// Dimensions of a legend, derived from its text size.
struct Measures {
    float bar_width, gap, line;
    explicit Measures(float text_px)
        : bar_width(std::round(1.2f * text_px)), gap(0.5f * text_px),
          line(std::max(1.0f, std::round(text_px / 14)))
    {
    }
};

std::vector<Tick> scale_ticks(const Scale& scale, float height, float text_px)
{
    const float wanted = std::clamp(height / (2.5f * text_px), 2.0f, 10.0f);
    // Integer scales get at most one tick per integer.
    const float max_ticks = scale.whole ? std::max(scale.high - scale.low, 1.0f) : wanted;
    return ticks(scale, static_cast<int>(std::min(wanted, max_ticks)));
}

const char* kind_of(const Scale& scale)
{
    return scale.automatic ? "auto range" : "fixed range";
}

// A sign of the picture and, at its right, its meaning.
class Entry {
public:
    enum class Sign { crossed_out, outline };

    Entry(Painter& painter, Sign sign, const std::string& words, float width, float text_px,
          const Theme& theme)
        : sign_(sign), words_(words), width_(width - words_em * text_px),
          text_px_(text_px), style_{text_px, theme.text}, theme_(theme)
    {
        if (!words.empty()) lines_ = broken(painter, words, width_, style_).size();
    }
    // Includes the space above it; 0 without words.
    float height() const
    {
        return lines_ == 0 ? 0 : (0.5f + line_em * static_cast<float>(lines_)) * text_px_;
    }
    void draw(Painter& painter, float x, float y) const
    {
        if (lines_ == 0) return;
        const float line_px = std::max(1.0f, std::round(text_px_ / 12));
        const float side = std::round(0.9f * text_px_);
        const float top = y + 0.5f * text_px_;
        const Box sign{std::round(x), std::round(top + 0.15f * text_px_), side, side};
        if (sign_ == Sign::crossed_out)
            painter.cross_out(sign, theme_.muted, line_px);
        else
            painter.outline(sign, theme_.text, line_px);
        draw_lines(painter, {x + words_em * text_px_, top, width_, height()}, words_, style_);
    }

private:
    static constexpr float words_em = 1.4f; // space for the sign

    Sign sign_;
    const std::string& words_;
    float width_;
    float text_px_;
    TextStyle style_;
    const Theme& theme_;
    std::size_t lines_ = 0;
};

// The classes from top to bottom, each with its colour, then the note if there is room.
void draw_classes(Painter& painter, const Box& box, const Scale& scale, const Theme& theme,
                  float text_px)
{
    const Measures measures(text_px);
    const TextStyle quiet{text_px, theme.muted};
    const float after = draw_lines(painter, box, scale.title(), {text_px, theme.text});
    const auto count = static_cast<float>(scale.classes.size());
    const float height =
        std::clamp((box.bottom() - after) / count, line_em * text_px, 1.8f * text_px);
    const auto map = colours(scale.map);
    float y = std::round(after + 0.2f * text_px);
    for (std::size_t i = 0; i < scale.classes.size(); ++i) {
        const std::size_t at =
            (map.size() - 1) * i / std::max<std::size_t>(scale.classes.size() - 1, 1);
        const Box swatch{std::round(box.x), std::round(y), measures.bar_width,
                         std::round(height - 0.2f * text_px)};
        painter.fill(swatch, map[at]);
        painter.text(
            {swatch.right() + measures.gap, swatch.y + 0.5f * swatch.height + 0.36f * text_px},
            scale.classes[i], {text_px, theme.text, false, Align::left});
        y += height;
    }
    const auto lines = broken(painter, scale.note, box.width, quiet);
    if (y + line_em * text_px * static_cast<float>(lines.size()) < box.bottom())
        draw_lines(painter, {box.x, y, box.width, box.bottom() - y}, scale.note, quiet);
}

} // namespace

float legend_width(float text_px)
{
    return std::round(6.3f * text_px);
}

void draw_legend(Painter& painter, const Box& box, const Scale& scale, const Theme& theme,
                 float text_px)
{
    if (!scale.classes.empty()) return draw_classes(painter, box, scale, theme, text_px);
    const Measures measures(text_px);
    const float after = draw_lines(painter, box, scale.title(), {text_px, theme.text});
    const float top = std::round(after + 0.1f * text_px);
    const auto kind = broken(painter, kind_of(scale), box.width, {text_px, theme.muted});
    const Entry gap(painter, Entry::Sign::crossed_out, scale.gap, box.width, text_px, theme);
    const Entry outline(painter, Entry::Sign::outline, scale.outline, box.width, text_px, theme);
    outline.draw(painter, box.x, box.bottom() - outline.height());
    gap.draw(painter, box.x, box.bottom() - outline.height() - gap.height());
    const float entries = gap.height() + outline.height();
    const float kind_height = (0.6f + line_em * static_cast<float>(kind.size())) * text_px;
    const auto bar_above = [&](float below) {
        return Box{std::round(box.x), top, measures.bar_width,
                   std::round(box.bottom() - below - 0.4f * text_px - top)};
    };
    Box bar = bar_above(kind_height + entries);
    // Between a long title and many entries the bar needs the line of the kind.
    if (entries > 0 && bar.height < min_bar_em * text_px)
        bar = bar_above(entries);
    else
        draw_lines(painter,
                   {box.x, box.bottom() - kind_height - entries + 0.2f * text_px, box.width,
                    kind_height + entries},
                   kind_of(scale), {text_px, theme.muted});
    if (scale.open_ended) {
        // The cap is hatched like values above the scale in the picture.
        const Box cap{bar.x, bar.y, bar.width, measures.bar_width};
        const float below_cap = std::round(cap.height + measures.gap);
        bar.y += below_cap;
        bar.height -= below_cap;
        painter.fill(cap, colours(scale.map).back());
        const Hatching lines = hatching(text_px);
        painter.hatch(cap, lines.colour, lines.spacing_px, lines.width_px);
        painter.text({cap.right() + 2 * measures.gap, cap.y + 0.5f * cap.height + 0.36f * text_px},
                     "> " + number_words(scale.high), {text_px, theme.text, false, Align::left});
    }
    painter.gradient(bar, colours(scale.map), true);
    // For a single value (range 0) the tick is at the bottom of the bar.
    const double range = static_cast<double>(scale.high) - scale.low;
    float last = std::numeric_limits<float>::infinity(); // a label that would cover it is left out
    for (const Tick& tick : scale_ticks(scale, bar.height, text_px)) {
        const auto share = range > 0 ? static_cast<float>((tick.value - scale.low) / range) : 0.0f;
        const float at = std::round(bar.bottom() - share * bar.height);
        painter.fill(
            {bar.right(), std::min(at, bar.bottom() - measures.line), measures.gap, measures.line},
            theme.muted);
        if (std::abs(last - at) < text_px) continue;
        last = at;
        const float left = bar.right() + 2 * measures.gap;
        TextStyle style{text_px, theme.text, false, Align::left};
        style.size_px *=
            std::min(1.0f, (box.right() - left) / painter.text_width(tick.label, style));
        painter.text({left, at + 0.36f * style.size_px}, tick.label, style);
    }
}

} // namespace lanescope::render
