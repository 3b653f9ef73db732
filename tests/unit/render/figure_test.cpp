// Figures: text that other programs can read, the same bytes for the same drawing.
#include <gmock/gmock.h>

#include <charconv>

#include "render/capture/figure.h"
#include "render/capture/file.h"
#include "render/views/legend.h"
#include "tests/unit/render/scene.h"

namespace lanescope::render {
namespace {

using testing::HasSubstr;

std::string drawn(std::unique_ptr<Figure> figure)
{
    figure->fill({10, 20, 30, 40}, {255, 0, 0, 128});
    figure->text({50, 60}, "a < b & 1 µs", {14, {0, 0, 0}, true, Align::centre});
    figure->line({0, 0}, {100, 50}, {0, 0, 255}, 2);
    figure->image({5, 5, 20, 20}, {2, 1, {255, 0, 0, 0, 255, 0}});
    const Scale scale{20, 100, ColourMap::viridis, false, "temperature", "°C"};
    draw_legend(*figure, {120, 0, 80, 200}, scale, light_theme, 12);
    return figure->encode();
}

TEST(Svg, HoldsEditableElements)
{
    const std::string svg = drawn(make_svg(200, 200, light_theme.background));
    EXPECT_THAT(svg, HasSubstr("<rect x=\"10\" y=\"20\" width=\"30\" height=\"40\" "
                               "fill=\"#ff0000\" fill-opacity=\"0.502\"/>"));
    EXPECT_THAT(svg, HasSubstr(">a &lt; b &amp; 1 µs</text>"));
    EXPECT_THAT(svg, HasSubstr("<polyline points=\"0,0 100,50 \""));
    EXPECT_THAT(svg, HasSubstr("data:image/png;base64,iVBORw0KGgo"));
    EXPECT_THAT(svg, HasSubstr(">temperature (°C)</text>"));
    EXPECT_THAT(svg, HasSubstr("</svg>"));
    EXPECT_EQ(svg, drawn(make_svg(200, 200, light_theme.background)));
}

TEST(Pdf, HasATableThatPointsAtItsObjects)
{
    const std::string pdf = drawn(make_pdf(200, 100, light_theme.background));
    EXPECT_EQ(pdf, drawn(make_pdf(200, 100, light_theme.background)));
    EXPECT_TRUE(pdf.starts_with("%PDF-1.4"));
    EXPECT_TRUE(pdf.ends_with("%%EOF\n"));
    EXPECT_THAT(pdf, HasSubstr("/MediaBox [0 0 150 75]"));
    EXPECT_THAT(pdf, HasSubstr("/A128 << /ca 0.502 /CA 0.502 >>"));

    const auto number_at = [&](std::size_t at) {
        std::size_t number = 0;
        std::from_chars(pdf.data() + at, pdf.data() + pdf.size(), number);
        return number;
    };
    const std::size_t table = number_at(pdf.rfind("startxref\n") + 10);
    ASSERT_EQ(pdf.compare(table, 5, "xref\n"), 0);
    const std::size_t count = number_at(table + 7);
    EXPECT_EQ(count, 7u) << "catalogue, pages, page, contents, two pictures and the free one";
    const std::size_t entries = pdf.find('\n', table + 5) + 1;
    for (std::size_t i = 1; i < count; ++i) {
        const std::size_t offset = number_at(entries + 20 * i);
        EXPECT_EQ(pdf.compare(offset, 8, std::to_string(i) + " 0 obj\n"), 0) << i;
    }
}

TEST(Figures, AreChosenByTheirEnding)
{
    const Folder folder;
    make_figure(folder / "a.svg", 10, 10, light_theme.background)->save(folder / "a.svg");
    make_figure(folder / "a.pdf", 10, 10, light_theme.background)->save(folder / "a.pdf");
    EXPECT_THAT(read_file(folder / "a.svg"), HasSubstr("<svg"));
    EXPECT_THAT(read_file(folder / "a.pdf"), HasSubstr("%PDF"));
    EXPECT_THROW(make_figure("a.bmp", 10, 10, light_theme.background), Error);
}

} // namespace
} // namespace lanescope::render
