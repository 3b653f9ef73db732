// The colour bar, drawn by a Painter.
#include "render/views/legend.h"

#include <algorithm>
#include <cmath>

namespace lanescope::render {
namespace {

// The parts of a legend, from the size of its text.
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
    return ticks(scale.low, scale.high,
                 static_cast<int>(std::clamp(height / (2.5f * text_px), 2.0f, 10.0f)));
}

const char* kind_of(const Scale& scale)
{
    return scale.automatic ? "automatic scale" : "fixed scale";
}

} // namespace

float legend_width(Painter& painter, const Scale& scale, float text_px)
{
    const Measures measures(text_px);
    const TextStyle style{text_px, {}, false, Align::left};
    float widest = 0;
    for (const Tick& tick : scale_ticks(scale, 20 * text_px, text_px))
        widest = std::max(widest, painter.text_width(tick.label, style));
    const float beside = measures.bar_width + 2 * measures.gap + widest;
    return std::ceil(std::max({beside, painter.text_width(scale.title(), style),
                               painter.text_width(kind_of(scale), {0.8f * text_px, {}})}));
}

void draw_legend(Painter& painter, const Box& box, const Scale& scale, const Theme& theme,
                 float text_px)
{
    const Measures measures(text_px);
    painter.text({box.x, box.y + text_px}, scale.title(),
                 {text_px, theme.text, false, Align::left});
    painter.text({box.x, box.bottom() - 0.3f * text_px}, kind_of(scale),
                 {0.8f * text_px, theme.muted, false, Align::left});

    const float top = std::round(box.y + 2.1f * text_px);
    const Box bar{std::round(box.x), top, measures.bar_width,
                  std::round(box.bottom() - 2.1f * text_px - top)};
    painter.gradient(bar, colours(scale.map), true);
    if (!(scale.high > scale.low)) return;
    for (const Tick& tick : scale_ticks(scale, bar.height, text_px)) {
        const auto share = static_cast<float>((tick.value - scale.low) /
                                              (static_cast<double>(scale.high) - scale.low));
        const float y = std::round(bar.bottom() - share * bar.height);
        painter.fill(
            {bar.right(), std::min(y, bar.bottom() - measures.line), measures.gap, measures.line},
            theme.muted);
        painter.text({bar.right() + 2 * measures.gap, y + 0.36f * text_px}, tick.label,
                     {text_px, theme.text, false, Align::left});
    }
}

} // namespace lanescope::render
