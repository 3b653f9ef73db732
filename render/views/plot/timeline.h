// A timeline: one row per unit of the machine, one bar per operation in the colour of its stream,
// and the lower bound of the time.
#pragma once

#include <string>
#include <vector>

#include "render/views/paint/painter.h"

namespace lanescope::render {

struct TimelineData {
    struct Bar {
        int row = 0;
        int series = 0; // index into the theme's series colours, modulo their number
        double begin = 0;
        double end = 0;
        std::string word{};   // label inside, if there is room
        bool waiting = false; // idle: drawn as an outline
    };
    std::string number{};             // the result, large; may be empty
    std::vector<std::string> words{}; // one line each, wrapped if too long
    std::vector<std::string> rows{};  // top row first
    std::vector<Bar> bars{};
    std::string axis{}; // with its unit; empty: positions are an order, not times
    double ideal = 0;   // position of a line; 0: none
    std::string ideal_words{};
    double min_end = 0; // minimum end of the scale, to share it with another timeline
};

// End of the last bar, or of the ideal.
double end_of(const TimelineData& data);

void draw_timeline(Painter& painter, const Box& box, const TimelineData& data, const Theme& theme,
                   float text_px);

} // namespace lanescope::render
