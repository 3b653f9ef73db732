// The plate in plain loops and double precision: the oracle that every kernel is compared with.
#pragma once

#include <cstdint>
#include <vector>

namespace lanescope::labs::heat {

// Row 0 is the lower edge. Temperatures in °C.
struct Plate {
    int width = 0;
    int height = 0;
    std::vector<double> cells;
};

// Temperatures between which everything starts, and stays while the scheme is stable.
inline constexpr float coldest = 0;
inline constexpr float hottest = 100;
inline constexpr float ambient = 20;

// What the plate looks like at first: a hot lower and a cold upper edge, hot discs, rings and bars
// on warm metal.
std::vector<float> start(int width, int height, std::uint64_t seed);

// One explicit step: here + k (left + right + below + above - 4 here). The rim keeps its values, or
// lets nothing through.
void advance(Plate& plate, double k, bool insulated);

// A stroke centred at (x, y) cells pulls cells towards `temperature`, fully at its centre, not at
// all at its radius.
struct Stain {
    float x = 0;
    float y = 0;
    float radius = 1;
    float temperature = 0;
};
void stain(Plate& plate, const Stain& stain);

} // namespace lanescope::labs::heat
