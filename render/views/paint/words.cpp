// Wraps and shortens text by measured width.
#include "render/views/paint/words.h"

#include <algorithm>
#include <cmath>

namespace lanescope::render {

std::vector<std::string> broken(Painter& painter, std::string_view text, float width,
                                const TextStyle& style)
{
    std::vector<std::string> lines(1);
    while (!text.empty()) {
        const auto space = text.find(' ');
        const std::string word(text.substr(0, space));
        text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
        const std::string longer = lines.back().empty() ? word : lines.back() + ' ' + word;
        if (lines.back().empty() || painter.text_width(longer, style) <= width)
            lines.back() = longer;
        else
            lines.push_back(word);
    }
    return lines;
}

float draw_lines(Painter& painter, const Box& box, std::string_view text, const TextStyle& style)
{
    float y = box.y + style.size_px;
    for (const std::string& line : broken(painter, text, box.width, style)) {
        TextStyle fitting = style;
        fitting.size_px *= std::min(1.0f, box.width / painter.text_width(line, style));
        painter.text({box.x, y}, line, fitting);
        y += line_em * style.size_px;
    }
    return y;
}

void draw_words(Painter& painter, const Box& box, std::string_view text, const TextStyle& style)
{
    TextStyle centred = style;
    centred.align = Align::centre;
    const float line = 1.4f * style.size_px;
    const auto lines = broken(painter, text, box.width, centred);
    float y = box.y + (box.height - line * static_cast<float>(lines.size())) / 2 + style.size_px;
    for (const std::string& words : lines) {
        painter.text({box.x + box.width / 2, y}, words, centred);
        y += line;
    }
}

TextStyle style_fitting_code(Painter& painter, std::string_view code, float width,
                             const TextStyle& style)
{
    constexpr float min_px = 18;
    TextStyle fitting = style;
    if (const float wide = painter.text_width(code, style); wide > width)
        fitting.size_px =
            std::max(std::floor(0.98f * style.size_px * width / wide),
                     std::max(0.75f * style.size_px, std::min(style.size_px, min_px)));
    return fitting;
}

std::string fitted(Painter& painter, std::string_view text, float width, const TextStyle& style)
{
    if (painter.text_width(text, style) <= width) return std::string(text);
    while (!text.empty()) {
        do {
            text.remove_suffix(1);
        } while (!text.empty() && (text.back() & 0xC0) == 0x80); // continuation bytes of a code
                                                                 // point
        if (!text.empty() && (text.back() & 0x80) != 0) text.remove_suffix(1); // its first byte
        while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
        std::string shorter = std::string(text) + "…";
        if (painter.text_width(shorter, style) <= width) return shorter;
    }
    return {};
}

} // namespace lanescope::render
