// Named bars below each other, each with its number in words at its end: what is compared, and a
// roof to compare it with. Screen, SVG and PDF alike.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "render/views/paint/painter.h"

namespace lanescope::render {

struct BarRow {
    std::string name{};
    std::optional<double> value{}; // none: the text alone
    double low = 0;                // the spread around the value; equal: none
    double high = 0;
    std::string text{};  // beside the bar: the number with its unit
    bool strong = false; // the one to look at
};

struct BarChart {
    std::string title{}; // may be empty
    std::string axis{};  // what the bars' lengths mean
    std::vector<BarRow> rows{};
    std::optional<double> roof{}; // a line through all bars
    std::string roof_name{};
    // Bars of times may race: how long they have been running, in the values' unit; each is filled
    // as far as it has come. None: they stand still.
    bool may_race = false;
    std::optional<double> race{};
    std::string empty{}; // what is said instead while there are no rows
};

float bar_chart_height(const BarChart& chart, float text_px);

// Rows take the same height whatever the box's; it is for the caller to make the box high enough.
void draw_bar_chart(Painter& painter, const Box& box, const BarChart& chart, const Theme& theme,
                    float text_px);

} // namespace lanescope::render
