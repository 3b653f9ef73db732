// The tabs of the strip, with simulated readings of a GPU: numbers have units, missing data is
// explained, and tables agree with the plots.
#include <gmock/gmock.h>

#include <algorithm>

#include "app/export/exhibit_files.h"
#include "app/measure/measurements.h"
#include "app/window/plots/plots.h"
#include "render/capture/figure.h"
#include "render/context/offscreen.h"
#include "tests/support/program.h"

namespace lanescope::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr app::Roofs roofs{2700, 54000};

// Readings of all variants of a lab, each slightly faster than the last; the second one is shown.
class Measured {
public:
    Measured(const std::string& lab, double bytes, double flops, bool timed = true)
        : lab_(labs::find(lab))
    {
        const app::History::Clock::time_point start{1000s};
        for (std::size_t i = 0; i < lab_.variants.size(); ++i) {
            app::History times;
            const double ms = 0.1 / static_cast<double>(i + 1);
            for (int k = 0; k < 400; ++k)
                times.add(ms * (1 + 0.01 * (k % 21 - 10)), start + k * 25ms);
            const auto recent =
                std::make_shared<const app::Recent>(app::Recent{times.spread(), times.slices()});
            app::VariantReading one;
            one.id = lab_.variants[i].id;
            one.title = lab_.variants[i].title;
            one.place = static_cast<int>(i);
            one.shown = i == 1;
            if (timed) {
                one.step_ms = recent->spread;
                one.work = labs::Work{bytes, flops, 1, "cells"};
                one.times_ms = recent;
            }
            one.warp_instructions = recent;
            one.sectors = recent;
            readings.push_back(std::move(one));
        }
    }
    const labs::Lab& lab() const { return lab_; }

    std::vector<app::VariantReading> readings;

private:
    const labs::Lab& lab_;
};

std::string drawn(const app::Exhibit& exhibit)
{
    const auto figure = render::make_svg(1600, 1200, render::light_theme.background);
    app::draw_page(*figure, app::page_of(*figure, exhibit, 1600), exhibit, render::light_theme);
    const std::string svg = figure->encode();
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
    return svg;
}

TEST(VariantsExhibit, ComparesTimesWithCopy)
{
    const Measured heat("heat", 1e8, 0);
    app::KernelNeeds kernel{.name = "heat_shared_tile",
                            .registers = 40,
                            .shared_bytes = 2448,
                            .threads = 512,
                            .compiled = true,
                            .occupancy = {}};
    kernel.occupancy = counting::occupancy(*counting::multiprocessor_limits(9, 0), 512, 40, 2448);
    const auto exhibit = app::variants_exhibit(heat.lab(), heat.readings, kernel, {true, roofs});
    const std::string svg = drawn(exhibit);
    EXPECT_THAT(svg, HasSubstr(">50.0 µs · 2000 GB/s (74%)<"));
    EXPECT_THAT(svg, HasSubstr(" GB/s (fits L2)<")) << "more than memory delivers";
    EXPECT_THAT(exhibit.words, HasSubstr("100% = copy bandwidth of this GPU, 2700 GB/s measured"));
    EXPECT_THAT(exhibit.words, HasSubstr("heat_shared_tile: 40 registers per thread, 2,448 bytes"));
    kernel.compiled = false;
    EXPECT_THAT(app::variants_exhibit(heat.lab(), heat.readings, kernel, {}).words,
                AllOf(HasSubstr("heat_shared_tile: 2,448 bytes"), Not(HasSubstr("registers per"))));
    EXPECT_THAT(exhibit.words,
                HasSubstr("48 of 64 warps of a multiprocessor, limited by registers"));
    EXPECT_THAT(svg, HasSubstr(">3 blocks: 75% occupancy<"));
    EXPECT_THAT(svg, HasSubstr(">3 of 3: limits<"));
    EXPECT_THAT(exhibit.table.csv(), HasSubstr("\nShared tile,50.00,"));
}

TEST(VariantsExhibit, ShowsCountsOnSimt)
{
    Measured heat("heat", 0, 0, false);
    heat.readings[0].totals = trace::Totals{};
    heat.readings[0].totals->warp_instructions = 123456;
    const auto exhibit = app::variants_exhibit(heat.lab(), heat.readings, {}, {});
    const std::string svg = drawn(exhibit);
    EXPECT_THAT(svg, HasSubstr(">123,456<"));
    EXPECT_THAT(svg, HasSubstr(">PTX instructions per step; simt shows no times<"));
    // Recorded times are only below the heading that names their device.
    const auto recorded = svg.find(">Recorded on ");
    const auto own = svg.find("PTX instructions per step");
    ASSERT_LT(recorded, own);
    EXPECT_THAT(svg.substr(own), Not(HasSubstr("GB/s")));
    EXPECT_THAT(svg, HasSubstr(">not counted yet<"));
}

// A lab without recorded times, although other labs have some.
TEST(VariantsExhibit, OmitsMissingRecordedTimes)
{
    Measured own(LANESCOPE_SOURCE_DIR "/tests/unit/labs/running_sum", 0, 0, false);
    const auto exhibit = app::variants_exhibit(own.lab(), own.readings, {}, {});
    EXPECT_THAT(drawn(exhibit), Not(HasSubstr("Recorded")));
    EXPECT_THAT(exhibit.words, Not(HasSubstr("Recorded")));
    EXPECT_THAT(exhibit.table.csv(), Not(HasSubstr("recorded")));
}

TEST(VariantsExhibit, BarsMatchMap)
{
    Measured transpose("transpose", 0, 0, false);
    trace::Totals& totals = transpose.readings[1].totals.emplace();
    totals.global_load = {.requests = 10, .sectors = 40, .ideal_sectors = 40};
    totals.global_store = {.requests = 10, .sectors = 320, .ideal_sectors = 40};
    const auto chart = [&](const std::string& map, trace::Scope of = trace::Scope::all) {
        const auto exhibit =
            app::variants_exhibit(transpose.lab(), transpose.readings, {}, {}, {map, of});
        return std::get<render::BarChart>(exhibit.parts.back().what); // follows the recorded times
    };
    EXPECT_THAT(chart("sector_excess").axis, HasSubstr("global sectors / ideal, all"));
    EXPECT_EQ(chart("sector_excess").rows[1].text, "4.50× (loads 1.00×, stores 8.00×)");
    EXPECT_THAT(chart("sector_excess", trace::Scope::stores).axis,
                HasSubstr("global sectors / ideal, stores"));
    EXPECT_EQ(chart("sector_excess", trace::Scope::stores).rows[1].text, "8.00×");
    EXPECT_THAT(chart("sectors", trace::Scope::stores).axis,
                HasSubstr("global sectors, stores per step"));
    EXPECT_EQ(chart("sectors", trace::Scope::stores).rows[1].text, "320");
    EXPECT_THAT(chart("sectors").axis, HasSubstr("global sectors per step"));
    EXPECT_EQ(chart("sectors").rows[1].text, "360");
    EXPECT_EQ(chart("wavefronts").rows[1].text, "0");
    EXPECT_EQ(chart("bank_conflicts").rows[1].text, "–") << "no shared memory";
    EXPECT_EQ(chart("off").rows[0].text, "not counted yet");
}

TEST(VariantsExhibit, TotalsArePerStep)
{
    Measured heat("heat", 0, 0, false);
    const auto temporal = std::ranges::find(heat.readings, "temporal", &app::VariantReading::id);
    temporal->steps = heat.lab().find_variant("temporal")->steps;
    temporal->totals.emplace().warp_instructions = 678'000;
    const auto exhibit = app::variants_exhibit(heat.lab(), heat.readings, {}, {});
    EXPECT_THAT(drawn(exhibit), HasSubstr(">169,500<"));
    EXPECT_THAT(exhibit.table.csv(), HasSubstr(",169500,"));
}

TEST(HistoryExhibit, ShowsTenSecondsOfEveryVariant)
{
    const Measured heat("heat", 1e8, 0);
    const auto exhibit = app::history_exhibit(heat.lab(), heat.readings, true);
    const std::string svg = drawn(exhibit);
    for (const labs::Variant& variant : heat.lab().variants)
        EXPECT_THAT(svg, HasSubstr('>' + variant.title + '<'));
    EXPECT_THAT(svg, HasSubstr(">time per step (µs)<"));
    EXPECT_THAT(svg, HasSubstr("<polygon")) << "p10 to p90";
    EXPECT_THAT(exhibit.table.markdown(), HasSubstr("| Naive | "));
}

TEST(HistoryExhibit, ShowsCountsWithoutTimes)
{
    const Measured heat("heat", 0, 0, false);
    const auto exhibit = app::history_exhibit(heat.lab(), heat.readings, false);
    const std::string svg = drawn(exhibit);
    EXPECT_EQ(exhibit.parts.size(), 2u);
    EXPECT_THAT(svg, HasSubstr("simt shows no times"));
    EXPECT_THAT(svg, HasSubstr(">warp instructions per step<"));
    EXPECT_THAT(svg, HasSubstr(">global sectors per step<"));
    EXPECT_THAT(svg, Not(HasSubstr("µs")));
}

TEST(RooflineExhibit, HasPointsUnderMeasuredRoofs)
{
    const Measured heat("heat", 1e8, 0.875e8);
    const auto exhibit = app::roofline_exhibit(heat.lab(), heat.readings, true, roofs);
    const std::string svg = drawn(exhibit);
    EXPECT_THAT(svg, HasSubstr(">copy 2700 GB/s<"));
    EXPECT_THAT(svg, HasSubstr(">FP32 FMA 54000 GFLOP/s<"));
    EXPECT_THAT(svg, HasSubstr(">arithmetic intensity (flop/B)<"));
    // At 0.875 flop/B and 50 µs: 1750 of the 2362.5 GFLOP/s that the copy bandwidth allows.
    EXPECT_THAT(exhibit.table.csv(), HasSubstr("\nShared tile,0.875,1750,2000,2362,74.1\n"));
}

TEST(RooflineExhibit, MemoryLabShowsBarsUnderCopy)
{
    const Measured transpose("transpose", 1e8, 0);
    const auto exhibit = app::roofline_exhibit(transpose.lab(), transpose.readings, true, roofs);
    const std::string svg = drawn(exhibit);
    EXPECT_THAT(svg, HasSubstr("computes nothing"));
    EXPECT_THAT(svg, HasSubstr(">useful bandwidth (GB/s)<"));
    EXPECT_THAT(svg, HasSubstr(">copy 2700 GB/s<"));
    EXPECT_THAT(svg, Not(HasSubstr("GFLOP")));
}

TEST(RooflineExhibit, UsesRecordedTimesOnSimt)
{
    for (const labs::Lab& lab : labs::all()) {
        const Measured here(lab.id, 0, 0, false);
        const auto exhibit = app::roofline_exhibit(lab, here.readings, false, {});
        const std::string svg = drawn(exhibit);
        const auto times = app::embedded_measurements()->shown_of(lab.id, {});
        ASSERT_FALSE(times.empty()) << lab.id;
        EXPECT_THAT(svg, HasSubstr(times.front()->on.device)) << lab.id;
        EXPECT_THAT(svg, HasSubstr(">copy ")) << lab.id;
        EXPECT_THAT(svg, Not(HasSubstr("simt shows no times"))) << lab.id;
        const auto csv = exhibit.table.csv();
        EXPECT_EQ(std::ranges::count(csv, '\n'), static_cast<long>(times.size()) + 1) << lab.id;
    }
}

TEST(RooflineExhibit, ExplainsMissingTimes)
{
    labs::Lab lab = labs::find("heat");
    lab.id = "of my own";
    const Measured heat("heat", 0, 0, false);
    const std::string svg = drawn(app::roofline_exhibit(lab, heat.readings, false, {}));
    EXPECT_THAT(svg, HasSubstr("need a GPU"));
    EXPECT_THAT(svg, HasSubstr("simt shows no times"));
    EXPECT_THAT(svg, Not(HasSubstr("<polyline")));
}

TEST(RooflineExhibit, WaitsForRoofs)
{
    const Measured heat("heat", 1e8, 0.875e8);
    const std::string svg = drawn(app::roofline_exhibit(heat.lab(), heat.readings, true, {}));
    EXPECT_THAT(svg, HasSubstr("being measured"));
    EXPECT_THAT(svg, Not(HasSubstr("copy ")));
}

app::SourceLine counted_line()
{
    app::SourceLine line;
    line.text = "    to[i] = a || b ? from[32 * i] : 0;";
    line.global.requests = 2;
    line.global.sectors = 64;
    line.global.ideal_sectors = 8;
    line.instructions.push_back({0, "ld.global.f32", line.global});
    return line;
}

TEST(SourceExhibit, KeepsText)
{
    app::SourceLine plain;
    plain.text = "{";
    const auto exhibit = app::source_exhibit("heat: naive.cu", {plain, counted_line()});
    const std::string svg = drawn(exhibit);
    EXPECT_THAT(svg, HasSubstr(">    to[i] = a || b ? from[32 * i] : 0;<"));
    EXPECT_THAT(svg, HasSubstr("xml:space=\"preserve\""));
    EXPECT_THAT(svg, HasSubstr(">8.00×<"));
    EXPECT_THAT(exhibit.table.markdown(), HasSubstr("a \\|\\| b")) << "a bar would end the cell";
}

TEST(ExhibitFiles, AreWrittenInEveryFormat)
{
    const Folder folder;
    const Measured heat("heat", 1e8, 0.875e8);
    const auto exhibit = app::history_exhibit(heat.lab(), heat.readings, true);
    const render::Offscreen context;
    const auto endings = app::endings_of(exhibit);
    EXPECT_EQ(endings, (std::vector<std::string>{".svg", ".pdf", ".png", ".csv", ".md", ".tex"}));
    const std::vector<std::string> beginnings{"<svg",     "%PDF-1.5",  "\x89PNG",
                                              "variant,", "| variant", "\\begin{tabular}{l"};
    for (std::size_t i = 0; i < endings.size(); ++i) {
        const auto file = folder / ("x" + endings[i]);
        app::save_exhibit(exhibit, file, render::dark_theme);
        EXPECT_TRUE(read_file(file).starts_with(beginnings[i])) << file;
        const std::string once = read_file(file);
        app::save_exhibit(exhibit, file, render::dark_theme);
        EXPECT_TRUE(read_file(file) == once) << "the same exhibit gives the same bytes";
    }
    EXPECT_THROW(app::save_exhibit(exhibit, folder / "x.gif", render::dark_theme), Error);
    EXPECT_THROW(app::save_exhibit(exhibit, folder / "no/x.svg", render::dark_theme), Error);
    EXPECT_EQ(folder.entries(), 6u);
}

TEST(Table, CompilesInLatex)
{
    app::Table table({{"line", true}, {"source"}});
    table.add({"12", "a[i] = b_1 & 0xf0 % n; // {2 ×} \\ #"});
    EXPECT_EQ(table.latex(),
              "\\begin{tabular}{rl}\n\\hline\nline & source \\\\\n\\hline\n"
              "12 & a[i] = b\\_1 \\& 0xf0 \\% n; // \\{2 $\\times$\\} \\textbackslash{} \\# "
              "\\\\\n\\hline\n\\end{tabular}\n");
}

} // namespace
} // namespace lanescope::test
