// A scale: which values the ends of a colour map or an axis stand for, and how to say so.
#pragma once

#include <string>
#include <vector>

#include "render/views/colours/colour_maps.h"

namespace lanescope::render {

struct Scale {
    float low = 0;
    float high = 1;
    ColourMap map = ColourMap::viridis;
    bool automatic = false; // taken from the values shown, not fixed; the legend says which
    std::string quantity{}; // "temperature"
    std::string unit{};     // "°C"; may be empty
    bool whole = false;     // of whole numbers: nothing is told between them
    // Values where ticks must stand, so that what is best can be read off; empty: round ones.
    std::vector<double> marked{};
    std::string best{}; // what stands beside the tick of `best_at`: "ideal"; may be empty
    double best_at = 0;
    bool open_ended =
        false; // values may lie above the top: they are hatched, and the legend says so

    std::string title() const; // "temperature (°C)"
};

struct Tick {
    double value = 0;
    std::string label;
};

// "0.25", "10,000", "2e+06": a number of a scale, where nothing says with how many digits.
std::string number_words(double value);

// About `wanted` round values from low to high (steps of 1, 2 or 5 times a power of ten), labelled
// with as many digits as tell them apart.
std::vector<Tick> ticks(double low, double high, int wanted);
// The marked values of a scale or, where it has none, about `wanted` round ones.
std::vector<Tick> ticks(const Scale& scale, int wanted);

} // namespace lanescope::render
