// PDF 1.4, one page: paths, letters as outlines, pictures and transparency, packed by zlib.
#include <zlib.h>

#include <fmt/format.h>

#include <set>
#include <vector>

#include "render/capture/figure.h"
#include "render/gl/fonts.h"
#include "render/views/paint/text_font.h"

namespace lanescope::render {
namespace {

constexpr double points_per_px = 0.75; // 72 to the inch against 96

std::string pack(std::string_view bytes)
{
    uLongf size = compressBound(static_cast<uLong>(bytes.size()));
    std::string packed(size, '\0');
    compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
              reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()), 6);
    packed.resize(size);
    return packed;
}

std::string stream(const std::string& dictionary, std::string_view bytes)
{
    const std::string packed = pack(bytes);
    return fmt::format("<< {} /Filter /FlateDecode /Length {} >>\nstream\n{}\nendstream",
                       dictionary, packed.size(), packed);
}

class Pdf final : public Figure {
public:
    Pdf(float width, float height, Colour background) : width_(width), height_(height)
    {
        // From here on in pixels from the upper left, y down.
        page_ = fmt::format("{0} 0 0 -{0} 0 {1:.6g} cm\n", points_per_px, height * points_per_px);
        fill({0, 0, width, height}, background);
    }

    using Painter::line;
    void fill(const Box& box, Colour colour) override
    {
        use(colour, "rg");
        page_ +=
            fmt::format("{:.6g} {:.6g} {:.6g} {:.6g} re f\n", box.x, box.y, box.width, box.height);
    }
    void line(std::span<const glm::vec2> points, Colour colour, float width_px) override
    {
        if (points.size() < 2) return;
        use(colour, "RG");
        page_ += fmt::format("{:.6g} w 1 j\n", width_px);
        const char* operation = "m";
        for (const glm::vec2 point : points) {
            page_ += fmt::format("{:.6g} {:.6g} {}\n", point.x, point.y, operation);
            operation = "l";
        }
        page_ += "S\n";
    }
    void area(std::span<const glm::vec2> upper, std::span<const glm::vec2> lower,
              Colour colour) override
    {
        if (upper.empty()) return;
        use(colour, "rg");
        const char* operation = "m";
        const auto point = [&](glm::vec2 at) {
            page_ += fmt::format("{:.6g} {:.6g} {}\n", at.x, at.y, operation);
            operation = "l";
        };
        for (const glm::vec2 at : upper) point(at);
        for (std::size_t i = lower.size(); i > 0; --i) point(lower[i - 1]);
        page_ += "h f\n";
    }
    void gradient(const Box& box, std::span<const Colour> colours, bool upright) override
    {
        // As a picture of one pixel a colour, smoothed by the viewer.
        Pixels pixels;
        for (std::size_t i = 0; i < colours.size(); ++i) {
            const Colour colour = upright ? colours[colours.size() - 1 - i] : colours[i];
            pixels.rgb.insert(pixels.rgb.end(), {colour.red, colour.green, colour.blue});
        }
        pixels.width = upright ? 1 : static_cast<int>(colours.size());
        pixels.height = upright ? static_cast<int>(colours.size()) : 1;
        image(box, pixels);
    }
    void text(glm::vec2 at, std::string_view text, const TextStyle& style) override
    {
        if (style.align != Align::left)
            at.x -= text_width(text, style) * (style.align == Align::centre ? 0.5f : 1.0f);
        use(style.colour, "rg");
        glm::vec2 pen = at;
        const auto point = [&](glm::vec2 p) {
            return fmt::format("{:.6g} {:.6g}", pen.x + p.x, pen.y - p.y);
        };
        const gl::OutlineSink sink{[&](glm::vec2 to) { page_ += point(to) + " m\n"; },
                                   [&](glm::vec2 to) { page_ += point(to) + " l\n"; },
                                   [&](glm::vec2 a, glm::vec2 b, glm::vec2 to) {
                                       page_ +=
                                           point(a) + " " + point(b) + " " + point(to) + " c\n";
                                   },
                                   [&] { page_ += "h\n"; }};
        for (const char32_t letter : gl::code_points(text)) {
            fonts_.outline(font_of(style), style.size_px, letter, sink);
            pen.x += fonts_.advance(font_of(style), style.size_px, letter);
        }
        page_ += "f\n";
    }
    float text_width(std::string_view text, const TextStyle& style) override
    {
        return fonts_.width(font_of(style), style.size_px, text);
    }
    void image(const Box& box, const Pixels& pixels) override
    {
        const std::string dictionary =
            fmt::format("/Type /XObject /Subtype /Image /Width {} /Height {} /ColorSpace "
                        "/DeviceRGB /BitsPerComponent 8",
                        pixels.width, pixels.height);
        images_.push_back(stream(
            dictionary, {reinterpret_cast<const char*>(pixels.rgb.data()), pixels.rgb.size()}));
        set_alpha(255);
        page_ += fmt::format("q {:.6g} 0 0 {:.6g} {:.6g} {:.6g} cm /I{} Do Q\n", box.width,
                             -box.height, box.x, box.bottom(), images_.size());
    }
    std::string encode() const override;

private:
    void use(Colour colour, const char* operation)
    {
        set_alpha(colour.alpha);
        page_ += fmt::format("{:.4g} {:.4g} {:.4g} {}\n", colour.red / 255.0, colour.green / 255.0,
                             colour.blue / 255.0, operation);
    }
    void set_alpha(int alpha)
    {
        if (alpha == alpha_) return;
        alpha_ = alpha;
        alphas_.insert(alpha);
        page_ += fmt::format("/A{} gs\n", alpha);
    }

    float width_;
    float height_;
    std::string page_; // its drawing operators
    std::vector<std::string> images_;
    std::set<int> alphas_;
    int alpha_ = 255;
    gl::Fonts fonts_;
};

std::string Pdf::encode() const
{
    constexpr std::size_t first_image = 5;
    std::string states, names;
    for (const int alpha : alphas_)
        states += fmt::format("/A{0} << /ca {1:.4g} /CA {1:.4g} >> ", alpha, alpha / 255.0);
    for (std::size_t i = 0; i < images_.size(); ++i)
        names += fmt::format("/I{} {} 0 R ", i + 1, first_image + i);
    std::vector<std::string> objects{
        "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        fmt::format("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {:.6g} {:.6g}] /Contents 4 0 R "
                    "/Resources << /ExtGState << {}>> /XObject << {}>> >> >>",
                    width_ * points_per_px, height_ * points_per_px, states, names),
        stream("", page_)};
    objects.insert(objects.end(), images_.begin(), images_.end());

    std::string file = "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n";
    std::string table = fmt::format("xref\n0 {}\n0000000000 65535 f \n", objects.size() + 1);
    for (std::size_t i = 0; i < objects.size(); ++i) {
        table += fmt::format("{:010} 00000 n \n", file.size());
        file += fmt::format("{} 0 obj\n{}\nendobj\n", i + 1, objects[i]);
    }
    const std::size_t table_at = file.size();
    return file + table +
           fmt::format("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{}\n%%EOF\n",
                       objects.size() + 1, table_at);
}

} // namespace

std::unique_ptr<Figure> make_pdf(float width, float height, Colour background)
{
    return std::make_unique<Pdf>(width, height, background);
}

} // namespace lanescope::render
