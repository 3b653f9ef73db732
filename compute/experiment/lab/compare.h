// Compares a device's result with the reference, element by element, and reports the worst one.
#pragma once

#include <cmath>
#include <cstddef>
#include <mutex>
#include <span>
#include <string>

#include <fmt/format.h>

#include "compute/experiment/inputs/parallel.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::labs {

// Compares `count` elements, got(i) with want[i], in rows of `width`. A NaN on either side fails,
// as does an infinity that the other side doesn't have. Exact if the tolerance is 0. `text` formats
// an element of the result. Uses all cores, since results have up to 2^28 elements.
template <class Got, class Text>
Check compare(std::size_t count, Got&& got, std::span<const double> want, double tolerance,
              std::size_t width, Text&& text)
{
    Check check{
        .max_error = 0, .tolerance = tolerance, .correct = count == want.size(), .message = {}};
    if (!check.correct) {
        check.message = fmt::format("{} elements instead of {}.", count, want.size());
        return check;
    }
    if (!(tolerance >= 0)) {
        check.correct = false;
        check.message = fmt::format("The tolerance is {}: it must be at least 0.", tolerance);
        return check;
    }
    struct Worst {
        double error = 0;
        std::size_t at = 0;
        // Among equals the first wins, and NaN counts as the largest, so that the result doesn't
        // depend on how elements are distributed over cores.
        bool is_worse_than(const Worst& other) const
        {
            if (std::isnan(error) != std::isnan(other.error)) return std::isnan(error);
            if (error > other.error) return true;
            return !(error < other.error) && at < other.at;
        }
    };
    Worst worst{0, count};
    std::mutex mutex;
    in_parallel(
        count,
        [&](std::size_t i, std::size_t end) {
            Worst own{0, count};
            for (; i < end; ++i) {
                const double value = got(i);
                const double error =
                    value == want[i] ? 0 : std::abs(value - want[i]); // infinity - infinity is NaN
                if (error <= own.error) continue;
                own = {error, i};
                if (std::isnan(error)) break;
            }
            const std::scoped_lock lock(mutex);
            if (own.is_worse_than(worst)) worst = own;
        },
        65536);
    check.max_error = worst.error;
    check.correct = check.max_error <= tolerance; // false for NaN
    if (!check.correct)
        check.message =
            fmt::format("Element {} (column {}, row {}) is {}, the reference says {}.", worst.at,
                        worst.at % width, worst.at / width, text(got(worst.at)), want[worst.at]);
    return check;
}

} // namespace lanescope::labs
