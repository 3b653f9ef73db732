// The plate as plain loops in double precision: the reference for every kernel.
#pragma once

#include <cstdint>
#include <vector>

namespace lanescope::labs::heat {

// Row 0 is the bottom edge. Temperatures in °C.
struct Plate {
    int width = 0;
    int height = 0;
    std::vector<double> cells;
};

// Range of initial temperatures; later ones stay within it while the scheme is stable.
inline constexpr float coldest = 0;
inline constexpr float hottest = 100;
inline constexpr float ambient = 20;

// Initial state: hot bottom and cold top edges, and hot discs, rings and bars on warm metal.
std::vector<float> start(int width, int height, std::uint64_t seed);

// One explicit step: here + k (left + right + below + above - 4 here). The border keeps its values,
// or is insulated.
void advance(Plate& plate, double k, bool insulated);

// A stroke centred at cell (x, y) pulls cells towards `temperature`, fully at its centre, not at
// all at its radius.
struct Stain {
    float x = 0;
    float y = 0;
    float radius = 1;
    float temperature = 0;
};
void stain(Plate& plate, const Stain& stain);

} // namespace lanescope::labs::heat
