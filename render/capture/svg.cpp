// SVG 1.1 with rectangles, lines and texts as elements that drawing programs can edit. Written by
// hand, because Cairo would write each letter as a symbol, not as text.
#include <fmt/format.h>

#include "render/capture/figure.h"
#include "render/capture/markup.h"
#include "render/capture/png.h"
#include "render/gl/fonts.h"
#include "render/views/paint/text_font.h"

namespace lanescope::render {
namespace {

std::string paint(std::string_view attribute, Colour colour)
{
    std::string text = fmt::format(R"({}="#{:02x}{:02x}{:02x}")", attribute, colour.red,
                                   colour.green, colour.blue);
    if (colour.alpha != 255)
        text += fmt::format(R"( {}-opacity="{:.3g}")", attribute, colour.alpha / 255.0);
    return text;
}

class Svg final : public Figure {
public:
    Svg(float width, float height, Colour background) : width_(width), height_(height)
    {
        fill({0, 0, width, height}, background);
    }

    using Painter::line;
    void fill(const Box& box, Colour colour) override
    {
        body_ += fmt::format("<rect {} {}/>\n", place(box), paint("fill", colour));
    }
    void line(std::span<const glm::vec2> points, Colour colour, float width_px) override
    {
        body_ += "<polyline points=\"";
        for (const glm::vec2 point : points)
            body_ += fmt::format("{:.6g},{:.6g} ", point.x, point.y);
        body_ +=
            fmt::format("\" fill=\"none\" stroke-width=\"{:.6g}\" stroke-linejoin=\"round\" {}/>\n",
                        width_px, paint("stroke", colour));
    }
    void area(std::span<const glm::vec2> upper, std::span<const glm::vec2> lower,
              Colour colour) override
    {
        body_ += "<polygon points=\"";
        for (const glm::vec2 point : upper)
            body_ += fmt::format("{:.6g},{:.6g} ", point.x, point.y);
        for (std::size_t i = lower.size(); i > 0; --i)
            body_ += fmt::format("{:.6g},{:.6g} ", lower[i - 1].x, lower[i - 1].y);
        body_ += fmt::format("\" {}/>\n", paint("fill", colour));
    }
    void gradient(const Box& box, std::span<const Colour> colours, bool upright) override
    {
        const int number = ++gradients_;
        body_ += fmt::format("<linearGradient id=\"gradient{}\" {}>\n", number,
                             upright ? R"(x1="0" y1="1" x2="0" y2="0")"
                                     : R"(x1="0" y1="0" x2="1" y2="0")");
        for (std::size_t i = 0; i < colours.size(); ++i)
            body_ += fmt::format("<stop offset=\"{:.4g}\" {}/>\n",
                                 static_cast<double>(i) / static_cast<double>(colours.size() - 1),
                                 paint("stop-color", colours[i]));
        body_ += fmt::format("</linearGradient>\n<rect {} fill=\"url(#gradient{})\"/>\n",
                             place(box), number);
    }
    void text(glm::vec2 at, std::string_view text, const TextStyle& style) override
    {
        const char* anchor = style.align == Align::left     ? "start"
                             : style.align == Align::centre ? "middle"
                                                            : "end";
        std::string font = style.code   ? R"( font-family="JetBrains Mono, monospace")"
                           : style.bold ? " font-weight=\"bold\""
                                        : "";
        // Otherwise SVG viewers collapse multiple spaces, and columns would lose their alignment.
        if (style.code || text.find("  ") != text.npos) font += R"( xml:space="preserve")";
        body_ += fmt::format("<text x=\"{:.6g}\" y=\"{:.6g}\" font-size=\"{:.6g}\"{} "
                             "text-anchor=\"{}\" {}>{}</text>\n",
                             at.x, at.y, style.size_px, font, anchor, paint("fill", style.colour),
                             escape(text));
    }
    float text_width(std::string_view text, const TextStyle& style) override
    {
        return fonts_.width(font_of(style), style.size_px, text);
    }
    void image(const Box& box, const Pixels& pixels) override
    {
        body_ += fmt::format("<image {} preserveAspectRatio=\"none\" image-rendering=\"pixelated\" "
                             "href=\"data:image/png;base64,{}\"/>\n",
                             place(box), base64(encode_png(pixels)));
    }
    std::string encode() const override
    {
        return fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.6g}\" height=\"{1:.6g}\" "
            "viewBox=\"0 0 {0:.6g} {1:.6g}\" font-family=\"Inter, Helvetica, Arial, "
            "sans-serif\">\n{2}"
            "</svg>\n",
            width_, height_, body_);
    }

private:
    static std::string place(const Box& box)
    {
        return fmt::format(R"(x="{:.6g}" y="{:.6g}" width="{:.6g}" height="{:.6g}")", box.x, box.y,
                           box.width, box.height);
    }

    float width_;
    float height_;
    std::string body_;
    int gradients_ = 0;
    gl::Fonts fonts_;
};

} // namespace

std::unique_ptr<Figure> make_svg(float width, float height, Colour background)
{
    return std::make_unique<Svg>(width, height, background);
}

} // namespace lanescope::render
