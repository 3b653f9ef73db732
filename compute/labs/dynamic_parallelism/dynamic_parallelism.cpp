// Reference: the same squares, subdivided on the host, with dwells rounded as in the kernels.
#include <algorithm>
#include <cmath>

#include "compute/experiment/record/named.h"

namespace lanescope::labs::dynamic_parallelism {
namespace {

constexpr int max_side = 16384;

struct Plane {
    int size, limit, smallest;
    float center_x, center_y, pixel;
};

int dwell_at(const Plane& plane, int column, int row)
{
    const auto size = static_cast<float>(plane.size);
    const float cx =
        std::fma(plane.pixel, static_cast<float>(column) - 0.5F * size, plane.center_x);
    const float cy = std::fma(plane.pixel, static_cast<float>(row) - 0.5F * size, plane.center_y);
    float x = 0;
    float y = 0;
    for (int dwell = 0; dwell < plane.limit; ++dwell) {
        const float xx = x * x;
        const float yy = y * y;
        if (xx + yy > 4.0F) return dwell;
        y = std::fma(2.0F * x, y, cy);
        x = (xx - yy) + cx;
    }
    return plane.limit;
}

struct Square {
    int left = 0, top = 0, side = 0;
};

// The dwell that all border pixels of the square within the picture share; -1 if their dwells
// differ.
int rim_dwell(const Plane& plane, const Square& square)
{
    const int right = std::min(square.left + square.side, plane.size) - 1;
    const int bottom = std::min(square.top + square.side, plane.size) - 1;
    const int dwell = dwell_at(plane, square.left, square.top);
    for (int column = square.left; column <= right; ++column)
        for (const int row : {square.top, bottom})
            if (dwell_at(plane, column, row) != dwell) return -1;
    for (int row = square.top; row <= bottom; ++row)
        for (const int column : {square.left, right})
            if (dwell_at(plane, column, row) != dwell) return -1;
    return dwell;
}

// Fills the square, or subdivides it into `parts` × `parts` squares.
void settle(const Plane& plane, const Square& square, int parts, std::vector<double>& dwells)
{
    if (square.left >= plane.size || square.top >= plane.size) return;
    const int same = rim_dwell(plane, square);
    if (same < 0 && square.side > plane.smallest) {
        const int cut = std::max(std::min(parts, square.side / plane.smallest), 2);
        const int side = std::max(square.side / cut, 1);
        for (int i = 0; i < cut * cut; ++i)
            settle(plane, {square.left + i % cut * side, square.top + i / cut * side, side}, parts,
                   dwells);
        return;
    }
    for (int row = square.top; row < std::min(square.top + square.side, plane.size); ++row)
        for (int column = square.left; column < std::min(square.left + square.side, plane.size);
             ++column)
            dwells[static_cast<std::size_t>(row) * static_cast<std::size_t>(plane.size) +
                   static_cast<std::size_t>(column)] =
                same >= 0 ? same : dwell_at(plane, column, row);
}

// Option: `parts` per side of a subdivision; 1: every pixel is computed.
std::vector<double> dwells(const Scope& scope)
{
    const auto real = [&](const char* name) { return static_cast<float>(scope.number(name)); };
    const Plane plane{scope.whole("size", 1, max_side),
                      scope.whole("limit", 0),
                      scope.whole("smallest", 1),
                      real("center_x"),
                      real("center_y"),
                      real("pixel")};
    const int parts = scope.whole("parts", 1, max_side);
    const auto size = static_cast<std::size_t>(plane.size);
    std::vector<double> all(fitting_count({size, size}));
    if (parts == 1) {
        for (int row = 0; row < plane.size; ++row)
            for (int column = 0; column < plane.size; ++column)
                all[static_cast<std::size_t>(row) * size + static_cast<std::size_t>(column)] =
                    dwell_at(plane, column, row);
        return all;
    }
    const int first = scope.whole("first", 1, max_side);
    for (int top = 0; top < plane.size; top += first)
        for (int left = 0; left < plane.size; left += first)
            settle(plane, {left, top, first}, parts, all);
    return all;
}

const Named<Reference> reference{"dynamic_parallelism_dwells", {.result = dwells}};

} // namespace
} // namespace lanescope::labs::dynamic_parallelism
