// Vector figures: files that other programs can read, byte-identical for the same drawing.
#include <gmock/gmock.h>

#include "render/capture/figure.h"
#include "render/capture/file.h"
#include "render/views/colours/legend.h"
#include "tests/support/rasterised.h"
#include "tests/unit/render/scene.h"

namespace lanescope::render {
namespace {

using testing::AllOf;
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

TEST(Svg, ContainsEditableElements)
{
    const std::string svg = drawn(make_svg(200, 200, light_theme.background));
    EXPECT_THAT(svg, HasSubstr("<rect x=\"10\" y=\"20\" width=\"30\" height=\"40\" "
                               "fill=\"#ff0000\" fill-opacity=\"0.502\"/>"));
    EXPECT_THAT(svg, HasSubstr(">a &lt; b &amp; 1 µs</text>"));
    EXPECT_THAT(svg, HasSubstr("<polyline points=\"0,0 100,50 \""));
    EXPECT_THAT(svg, HasSubstr("data:image/png;base64,iVBORw0KGgo"));
    EXPECT_THAT(svg, AllOf(HasSubstr(">temperature</text>"), HasSubstr(">(°C)</text>")));
    EXPECT_THAT(svg, HasSubstr("</svg>"));
    EXPECT_EQ(svg, drawn(make_svg(200, 200, light_theme.background)));
}

std::string legend_of(Scale scale, float height = 200)
{
    const auto figure = make_svg(200, 300, light_theme.background);
    scale.quantity = "things";
    draw_legend(*figure, {0, 0, 80, height}, scale, light_theme, 12);
    return figure->encode();
}

// A scale with a single integer step still has ticks with numbers.
TEST(Legend, SingleIntegerValueHasTick)
{
    Scale one{.low = 0, .high = 1, .automatic = true, .whole = true};
    for (const float height : {90.0F, 200.0F, 300.0F}) {
        EXPECT_THAT(legend_of(one, height), AllOf(HasSubstr(">0</text>"), HasSubstr(">1</text>")))
            << height;
        EXPECT_THAT(legend_of(one, height), testing::Not(HasSubstr(">0.5</text>")));
    }
    one.low = one.high = 7;
    EXPECT_THAT(legend_of(one), HasSubstr(">7</text>"));
}

TEST(Legend, SeparatesThousandsAndNamesScale)
{
    Scale scale{.low = 0, .high = 50'000, .open_ended = true};
    EXPECT_THAT(legend_of(scale),
                AllOf(HasSubstr(">20,000</text>"), HasSubstr("50,000</text>"), HasSubstr("fixed")));
    scale.automatic = true;
    EXPECT_THAT(legend_of(scale), HasSubstr("auto range"));
}

TEST(Legend, ExplainsCrossedOutCellsAndOutlines)
{
    Scale scale{.low = 0, .high = 50};
    EXPECT_THAT(legend_of(scale), testing::Not(HasSubstr("untouched")));
    scale.gap = "untouched";
    scale.outline = "square";
    EXPECT_THAT(legend_of(scale), AllOf(HasSubstr("untouched</text>"), HasSubstr("square</text>"),
                                        HasSubstr("fixed range</text>"), HasSubstr(">0</text>")));
}

TEST(Pdf, IsReproducibleAndKeepsText)
{
    const std::string pdf = drawn(make_pdf(200, 200, light_theme.background));
    EXPECT_EQ(pdf, drawn(make_pdf(200, 200, light_theme.background)));
    EXPECT_TRUE(pdf.starts_with("%PDF-1."));
    EXPECT_EQ(pdf.find("CreationDate"), std::string::npos);
    EXPECT_LT(pdf.size(), 60'000u) << "more of the fonts than the letters that are used?";
    const Folder folder;
    write_file(folder / "a.pdf", pdf);
    if (test::rasteriser_of(folder / "a.pdf").empty()) GTEST_SKIP() << "no Poppler";
    const std::string text = test::text_of(folder / "a.pdf");
    EXPECT_THAT(text, HasSubstr("a < b & 1 µs"));
    EXPECT_THAT(text, AllOf(HasSubstr("temperature"), HasSubstr("(°")));
    EXPECT_THAT(text, HasSubstr("fixed range"));
}

// Other programs draw the figures alike, with everything at the same position.
TEST(Figures, RenderAlikeInOtherPrograms)
{
    const Folder folder;
    write_file(folder / "a.svg", drawn(make_svg(200, 200, light_theme.background)));
    write_file(folder / "a.pdf", drawn(make_pdf(200, 200, light_theme.background)));
    for (const char* name : {"a.svg", "a.pdf"})
        if (test::rasteriser_of(folder / name).empty()) GTEST_SKIP() << "nothing shows " << name;
    const ImageFile svg = test::rasterised(folder / "a.svg");
    const ImageFile pdf = test::rasterised(folder / "a.pdf");
    ASSERT_EQ(svg.width, 200);
    ASSERT_EQ(svg.height, 200);
    EXPECT_LT(test::difference(svg, pdf), 3);
    for (const ImageFile* image : {&svg, &pdf}) {
        const auto expect = [&](int x, int y, Colour wanted) {
            const std::uint8_t* got = &image->rgba[static_cast<std::size_t>(4 * (y * 200 + x))];
            EXPECT_NEAR(got[0], wanted.red, 3) << x << ", " << y << " of " << (image == &pdf);
            EXPECT_NEAR(got[1], wanted.green, 3) << x << ", " << y << " of " << (image == &pdf);
            EXPECT_NEAR(got[2], wanted.blue, 3) << x << ", " << y << " of " << (image == &pdf);
        };
        const Colour paper = light_theme.background;
        const auto half = [&](int colour, int under) {
            return static_cast<std::uint8_t>((colour * 128 + under * 127) / 255);
        };
        expect(12, 30, {half(255, paper.red), half(0, paper.green), half(0, paper.blue)});
        expect(8, 7, {255, 0, 0}); // the two pixels of the embedded picture
        expect(22, 7, {0, 255, 0});
        expect(60, 30, {0, 0, 255}); // the polyline
        expect(100, 150, paper);
    }
}

TEST(Figures, FormatFollowsFileExtension)
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
