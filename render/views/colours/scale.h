// A scale: the values at the ends of a colour map or an axis, and how they are labelled.
#pragma once

#include <string>
#include <vector>

#include "render/views/colours/colour_maps.h"

namespace lanescope::render {

struct Scale {
    float low = 0;
    float high = 1;
    ColourMap map = ColourMap::viridis;
    bool automatic = false; // derived from the values shown instead of fixed; the legend says which
    std::string quantity{}; // "temperature"
    std::string unit{};     // "°C"; may be empty
    bool whole = false;     // integers only
    // Values that get a tick, such as the best one; empty: ticks at round values.
    std::vector<double> marked{};
    std::string best{}; // label beside the tick at `best_value`: "ideal"; may be empty
    double best_value = 0;
    bool open_ended = false; // values may exceed the top: they are hatched, and the legend says so
    // Names of classes at equal distances over the colour map, the first at its start; the legend
    // lists them instead of a bar. Empty: the values are numbers.
    std::vector<std::string> classes{};
    std::string note{}; // below the classes
    // Entries of the legend; empty: the picture has none.
    std::string gap{};     // meaning of crossed-out cells: "did not run"
    std::string outline{}; // meaning of outlines: "square of one block"

    std::string title() const; // "temperature (°C)"
};

struct Tick {
    double value = 0;
    std::string label;
};

// "0.25", "10,000", "2e+06": formats a value without a given precision.
std::string number_words(double value);

// About `wanted` round values from low to high (steps of 1, 2 or 5 times a power of ten), with
// enough digits to tell them apart.
std::vector<Tick> ticks(double low, double high, int wanted);
// The marked values of a scale or, without any, about `wanted` round ones.
std::vector<Tick> ticks(const Scale& scale, int wanted);

} // namespace lanescope::render
