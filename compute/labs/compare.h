// Comparing a device's result with the reference, element by element; the worst one is named.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>

#include <fmt/format.h>

#include "compute/labs/lab.h"

namespace lanescope::labs {

// `got` against `want`, both rows of `width` elements. NaN on either side fails. Exact when the
// tolerance is 0. `text` prints an element of `got`.
template <class Text>
Check compare(std::span<const double> got, std::span<const double> want, double tolerance,
              std::size_t width, Text&& text)
{
    Check check{.max_error = 0,
                .tolerance = tolerance,
                .correct = got.size() == want.size(),
                .message = {}};
    if (!check.correct) {
        check.message = fmt::format("{} elements instead of {}.", got.size(), want.size());
        return check;
    }
    std::size_t worst = got.size();
    for (std::size_t i = 0; i < got.size(); ++i) {
        const double error = std::abs(got[i] - want[i]);
        if (std::isnan(error)) {
            check.max_error = std::numeric_limits<double>::quiet_NaN();
            worst = i;
            break;
        }
        if (error > check.max_error) {
            check.max_error = error;
            worst = i;
        }
    }
    check.correct = check.max_error <= tolerance; // false for NaN
    if (!check.correct)
        check.message =
            fmt::format("Element {} (column {}, row {}) is {}, the reference says {}.", worst,
                        worst % width, worst / width, text(got[worst]), want[worst]);
    return check;
}

} // namespace lanescope::labs
