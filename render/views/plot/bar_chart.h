// Horizontal named bars, each with its number in words at its end, and a roof to compare with. For
// screen, SVG and PDF.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "render/views/paint/painter.h"

namespace lanescope::render {

struct BarRow {
    std::string name{};
    std::optional<double> value{}; // empty: text only
    double low = 0;                // spread around the value; none if equal
    double high = 0;
    std::string text{};  // next to the bar: the number with its unit
    bool strong = false; // emphasised
};

struct BarChart {
    std::string title{}; // may be empty
    std::string axis{};  // quantity of the bars' lengths
    std::vector<BarRow> rows{};
    std::optional<double> roof{}; // a line across all bars
    std::string roof_name{};
    // Bars of times may race: this is the elapsed time, in the values' unit, up to which each bar
    // is filled. Empty: no animation.
    bool may_race = false;
    std::optional<double> race{};
    std::string empty{}; // message shown if there are no rows
};

float bar_chart_height(const BarChart& chart, float text_px);

// Rows have a fixed height; the caller makes the box high enough.
void draw_bar_chart(Painter& painter, const Box& box, const BarChart& chart, const Theme& theme,
                    float text_px);

} // namespace lanescope::render
