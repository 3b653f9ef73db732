// The one kind of plot in the program: series with their spread over axes with units, roofs, and
// names that never overlap. For screen, SVG and PDF.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "render/views/paint/painter.h"
#include "render/views/plot/plot_axis.h"

namespace lanescope::render {

struct PlotPoint {
    double x = 0;
    double y = 0;
    // Spread around y; none if equal.
    double low = 0;
    double high = 0;

    static PlotPoint exact(double x, double y) { return {x, y, y, y}; }
};

struct PlotSeries {
    enum class Spread { whiskers, band };
    std::string name{};
    std::vector<PlotPoint> points{}; // sorted by x
    int place = 0;                   // index of its colour and shape
    bool line = true;
    bool markers = true;
    Spread spread = Spread::whiskers;
    bool strong = false; // emphasised
};

// A named straight line, such as a roof: level + slope · x, from x_low to x_high.
struct PlotRoof {
    std::string name{};
    double level = 0;
    double slope = 0;
    double x_low = -std::numeric_limits<double>::infinity();
    double x_high = std::numeric_limits<double>::infinity();
};

struct Plot {
    std::string title{}; // may be empty
    PlotAxis x{};
    PlotAxis y{};
    std::vector<PlotSeries> series{};
    std::vector<PlotRoof> roofs{};
    std::string empty{}; // message shown if there are no points
};

bool has_points(const Plot& plot);

// Series are named at the right, in the order in which their lines end there.
void draw_plot(Painter& painter, const Box& box, const Plot& plot, const Theme& theme,
               float text_px);

} // namespace lanescope::render
