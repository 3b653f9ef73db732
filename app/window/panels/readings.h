// What the window has measured and found out, as plain data for the panels that tell it.
#pragma once

#include <cstdint>
#include <string>

#include "app/measure/roofs.h"
#include "app/run/history.h"

namespace lanescope::app {

struct Readings {
    std::string engine;        // "cuda" or "simt"
    std::string device;        // its name
    std::string engine_reason; // why this engine
    std::string sharing;       // how memory reaches OpenGL, in words
    std::string renderer;      // who draws
    std::int64_t steps = 0;
    std::string warning; // the lab's, about the chosen values
    bool has_clock = false;
    Spread step_ms;         // of the shown variant, on the device's clock
    Spread rival_step_ms;   // of the other side of A/B; empty without one
    double gb_per_s = 0;    // useful bytes over the median
    Roofs roofs;            // measured on this device; 0 while they are not known
    double steps_per_s = 0; // by the wall clock, drawing included
    double frames_per_s = 0;
    double map_us = 0;
    double unmap_us = 0;
};

// The one number of a screen, and what it is: "12.3 µs" and "a step, median of 120 launches, cuda".
struct Headline {
    std::string number;
    std::string meaning;
};
Headline headline_of(const Readings& readings);

} // namespace lanescope::app
