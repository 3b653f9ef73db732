// Plots and bar charts as SVG: every name and number appears once, no coordinate is infinite or
// NaN, and no texts overlap.
#include <gmock/gmock.h>

#include <charconv>
#include <cmath>
#include <regex>

#include "render/capture/figure.h"
#include "render/gl/fonts.h"
#include "render/views/paint/words.h"
#include "render/views/plot/bar_chart.h"
#include "render/views/plot/plot.h"

namespace lanescope::render {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr float width = 900;
constexpr float height = 500;

struct Text {
    double x = 0, y = 0, size = 0;
    std::string anchor, words;
    bool bold = false;
};

std::vector<Text> texts_of(const std::string& svg)
{
    static const std::regex element(
        "<text x=\"([^\"]*)\" y=\"([^\"]*)\" font-size=\"([^\"]*)\"([^>]*)"
        "text-anchor=\"([^\"]*)\"[^>]*>([^<]*)</text>");
    std::vector<Text> all;
    for (std::sregex_iterator at(svg.begin(), svg.end(), element), end; at != end; ++at)
        all.push_back({std::stod((*at)[1]), std::stod((*at)[2]), std::stod((*at)[3]), (*at)[5],
                       (*at)[6], (*at)[4].str().find("bold") != std::string::npos});
    return all;
}

void expect_apart(const std::string& svg, float right = width)
{
    const gl::Fonts fonts;
    std::vector<Box> boxes;
    const auto texts = texts_of(svg);
    for (const Text& text : texts) {
        const auto size = static_cast<float>(text.size);
        const float wide =
            fonts.width(text.bold ? gl::Font::bold : gl::Font::regular, size, text.words);
        const float share = text.anchor == "start" ? 0 : text.anchor == "middle" ? 0.5f : 1;
        const Box box{static_cast<float>(text.x) - share * wide,
                      static_cast<float>(text.y) - 0.75f * size, wide, 0.8f * size};
        EXPECT_GE(box.x, -1) << text.words;
        EXPECT_LE(box.right(), right + 1) << text.words;
        boxes.push_back(box);
    }
    for (std::size_t i = 0; i < boxes.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) {
            const Box& a = boxes[i];
            const Box& b = boxes[k];
            EXPECT_FALSE(a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom())
                << texts[i].words << " lies over " << texts[k].words;
        }
}

// Checks that no number in the SVG is NaN or infinite.
void expect_finite(const std::string& svg)
{
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

std::string drawn(const Plot& plot)
{
    const auto figure = make_svg(width, height, light_theme.background);
    draw_plot(*figure, {10, 10, width - 20, height - 20}, plot, light_theme, 20);
    return figure->encode();
}

int count(const std::string& text, const std::string& part)
{
    int found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

Plot strides()
{
    Plot plot;
    plot.title = "Strided read";
    plot.x = {.title = "stride (elements)", .kind = AxisKind::log2};
    plot.y = {.title = "useful bandwidth (GB/s)", .from_zero = true};
    PlotSeries fast{.name = "strided"};
    PlotSeries slow{.name = "other < one", .place = 1};
    for (int i = 0; i < 7; ++i) {
        const double x = 1 << i;
        fast.points.push_back({x, 2000 / x, 1900 / x, 2100 / x});
        slow.points.push_back(PlotPoint::exact(x, 1000 / x));
    }
    plot.series = {fast, slow};
    plot.roofs = {{.name = "copy: 2,300 GB/s", .level = 2300}};
    plot.empty = "Nothing yet.";
    return plot;
}

TEST(Plot, LabelsEverything)
{
    const std::string svg = drawn(strides());
    for (const char* words :
         {">Strided read<", ">stride (elements)<", ">useful bandwidth (GB/s)<", ">strided<",
          ">other &lt; one<", ">copy: 2,300 GB/s<", ">64<", ">2,500<", ">0<"})
        EXPECT_EQ(count(svg, words), 1) << words;
    EXPECT_THAT(svg, Not(HasSubstr("Nothing yet.")));
    expect_finite(svg);
    expect_apart(svg);
}

TEST(Plot, DrawsSpreadAsWhiskersOrBand)
{
    Plot plot = strides();
    EXPECT_EQ(count(drawn(plot), "fill-opacity"), 0);
    plot.series[0].spread = PlotSeries::Spread::band;
    EXPECT_EQ(count(drawn(plot), "fill-opacity"), 1);
}

TEST(Plot, SeriesLabelsAndStylesAreDistinct)
{
    Plot plot = strides();
    plot.series.clear();
    for (int i = 0; i < 16; ++i) {
        PlotSeries series{.name = "a rather long name of variant " + std::to_string(i), .place = i};
        for (const double x : {1.0, 64.0}) series.points.push_back(PlotPoint::exact(x, 100));
        plot.series.push_back(series);
    }
    const std::string svg = drawn(plot);
    expect_finite(svg);
    expect_apart(svg);
    EXPECT_GE(count(svg, "a rather"), 16);
}

TEST(Plot, OmitsUndrawablePoints)
{
    Plot plot = strides();
    plot.y = {.title = "y", .kind = AxisKind::log10};
    plot.series[0].points[2].y = std::nan("");
    plot.series[0].points[3].y = 0;
    plot.series[0].points[4].low = -5;
    plot.series[0].points[5].high = std::numeric_limits<double>::infinity();
    expect_finite(drawn(plot));
}

TEST(Plot, OnePointAndOneValueHaveAxes)
{
    for (const AxisKind kind : {AxisKind::linear, AxisKind::log2, AxisKind::log10}) {
        Plot plot = strides();
        plot.roofs.clear();
        plot.x.kind = plot.y.kind = kind;
        plot.series = {{.name = "one", .points = {PlotPoint::exact(8, 8)}}};
        const std::string svg = drawn(plot);
        expect_finite(svg);
        expect_apart(svg);
        EXPECT_THAT(svg, HasSubstr(">one<"));
    }
}

TEST(Plot, ExplainsEmptyPlot)
{
    Plot plot = strides();
    plot.series.clear();
    plot.empty = "simt shows no times, because it is not a GPU.";
    const std::string svg = drawn(plot);
    EXPECT_THAT(svg, HasSubstr("simt shows no times"));
    EXPECT_EQ(count(svg, "<polyline"), 0);
    expect_finite(svg);
    plot = strides();
    const auto tiny = make_svg(60, 40, light_theme.background);
    draw_plot(*tiny, {0, 0, 60, 40}, plot, light_theme, 20);
    EXPECT_THAT(tiny->encode(), HasSubstr("small"));
}

TEST(Plot, CategoriesAreSideBySide)
{
    Plot plot = strides();
    plot.x = {.title = "source",
              .kind = AxisKind::categories,
              .categories = {"image", "uniform", "normal", "skewed", "four values", "one value"}};
    plot.series = {{.name = "shared"}};
    for (int i = 0; i < 6; ++i) plot.series[0].points.push_back(PlotPoint::exact(i, 10 + i));
    const std::string svg = drawn(plot);
    for (const std::string& category : plot.x.categories)
        EXPECT_THAT(svg, HasSubstr('>' + category + '<'));
    expect_apart(svg);
}

TEST(Plot, RoofLabelsDoNotOverlap)
{
    Plot plot;
    plot.x = {.title = "flop/byte", .kind = AxisKind::log10, .low = 0.1, .high = 100};
    plot.y = {.title = "GFLOP/s", .kind = AxisKind::log10, .low = 10};
    plot.series = {{.name = "naive", .points = {PlotPoint::exact(0.875, 1400)}},
                   {.name = "tiled", .points = {PlotPoint::exact(0.875, 2000)}, .place = 1}};
    plot.roofs = {{.name = "copy 2,700 GB/s", .slope = 2700, .x_high = 20},
                  {.name = "FP32 FMA 54,000 GFLOP/s", .level = 54000, .x_low = 20}};
    const std::string svg = drawn(plot);
    EXPECT_THAT(svg, HasSubstr(">copy 2,700 GB/s<"));
    EXPECT_THAT(svg, HasSubstr(">FP32 FMA 54,000 GFLOP/s<"));
    expect_finite(svg);
    expect_apart(svg);
}

TEST(AxisRange, EndsAndTicksAreRound)
{
    const AxisRange linear({.from_zero = true}, 3, 97, 5);
    EXPECT_EQ(linear.low(), 0);
    EXPECT_EQ(linear.high(), 100);
    EXPECT_DOUBLE_EQ(linear.share(25), 0.25);
    EXPECT_DOUBLE_EQ(linear.value(0.25), 25);
    const AxisRange powers({.kind = AxisKind::log2}, 3, 1048576, 30);
    EXPECT_EQ(powers.low(), 2);
    EXPECT_EQ(powers.ticks().back().label, "1 Mi");
    const AxisRange decades({.kind = AxisKind::log10}, 0.3, 40, 8);
    EXPECT_DOUBLE_EQ(decades.low(), 0.2);
    EXPECT_DOUBLE_EQ(decades.high(), 50);
    EXPECT_NEAR(decades.value(decades.share(7)), 7, 1e-12);
}

TEST(Words, AreWrappedAndShortenedToWidth)
{
    const auto figure = make_svg(10, 10, light_theme.background);
    const TextStyle style{10, light_theme.text};
    const auto lines = broken(*figure, "one two three four", 50, style);
    EXPECT_GT(lines.size(), 1u);
    for (const std::string& line : lines) EXPECT_LE(figure->text_width(line, style), 50);
    EXPECT_EQ(fitted(*figure, "µs µs µs", 1000, style), "µs µs µs");
    const std::string shorter = fitted(*figure, "µµµµµµµµµµµµ", 40, style);
    EXPECT_THAT(shorter, testing::EndsWith("…"));
    EXPECT_LE(figure->text_width(shorter, style), 40);
    for (const char32_t letter : gl::code_points(shorter)) EXPECT_NE(letter, char32_t{0xfffd});
}

std::string drawn(const BarChart& chart)
{
    const auto figure = make_svg(width, height, light_theme.background);
    draw_bar_chart(*figure, {10, 10, width - 20, height - 20}, chart, light_theme, 20);
    return figure->encode();
}

TEST(BarChart, ShowsNamesBarsValuesAndRoof)
{
    const BarChart chart{.title = "Bandwidth",
                         .axis = "useful GB/s",
                         .rows = {{"naive", 1000, 900, 1100, "1,000 GB/s", true},
                                  {"tiled", 2000, 2000, 2000, "2,000 GB/s", false},
                                  {"not run yet", {}, 0, 0, "–", false}},
                         .roof = 2500,
                         .roof_name = "copy: 2,500 GB/s",
                         .empty = ""};
    const std::string svg = drawn(chart);
    for (const char* words : {">Bandwidth<", ">useful GB/s<", ">naive<", ">1,000 GB/s<", ">tiled<",
                              ">not run yet<", ">copy: 2,500 GB/s<"})
        EXPECT_EQ(count(svg, words), 1) << words;
    EXPECT_EQ(count(svg, "<rect"), 4) << "background, two bars, the roof";
    EXPECT_EQ(count(svg, "<polyline"), 1) << "one whisker";
    expect_finite(svg);
    expect_apart(svg);
    EXPECT_LE(bar_chart_height(chart, 20), height);
}

TEST(BarChart, ExplainsEmptyChart)
{
    EXPECT_THAT(drawn(BarChart{.empty = "No variant has run."}), HasSubstr("No variant has run."));
}

} // namespace
} // namespace lanescope::render
