// What ran when: a row for each part of a machine, a bar for each operation, in the colour of its
// stream; beside them the shortest time that there could be.
#pragma once

#include <string>
#include <vector>

#include "render/views/paint/painter.h"

namespace lanescope::render {

struct TimelineData {
    struct Bar {
        int row = 0;
        int series = 0; // whose colours repeat
        double begin = 0;
        double end = 0;
        std::string word{};   // inside, where there is room
        bool waiting = false; // nothing ran there: a frame alone
    };
    std::string number{};             // what it comes to, large; may be empty
    std::vector<std::string> words{}; // a line each, broken where it is too long
    std::vector<std::string> rows{};  // from the top
    std::vector<Bar> bars{};
    std::string axis{}; // with its unit; empty: the bars' places are an order, not times
    double ideal = 0;   // a line there; 0: none
    std::string ideal_words{};
    double min_end = 0; // of the scale, which it may share with another
};

// Of the last bar, or the ideal.
double end_of(const TimelineData& data);

void draw_timeline(Painter& painter, const Box& box, const TimelineData& data, const Theme& theme,
                   float text_px);

} // namespace lanescope::render
