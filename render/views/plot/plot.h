// One kind of plot for everything that the program plots: series with their spread over axes that
// say their unit, roofs, and names that never lie over each other. Screen, SVG and PDF alike.
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
    // The spread around y; equal: none.
    double low = 0;
    double high = 0;

    static PlotPoint exact(double x, double y) { return {x, y, y, y}; }
};

struct PlotSeries {
    enum class Spread { whiskers, band };
    std::string name{};
    std::vector<PlotPoint> points{}; // by x
    int place = 0;                   // in the order of colours and shapes
    bool line = true;
    bool markers = true;
    Spread spread = Spread::whiskers;
    bool strong = false; // the one to look at
};

// A straight line with a name, such as a roof: level + slope · x, from x_low to x_high.
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
    std::string empty{}; // what is said instead while no point can be shown
};

bool has_points(const Plot& plot);

// The series' names stand at the right, in the order in which the lines end there.
void draw_plot(Painter& painter, const Box& box, const Plot& plot, const Theme& theme,
               float text_px);

} // namespace lanescope::render
