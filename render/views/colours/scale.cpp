// Chooses ticks at round values, and labels them.
#include "render/views/colours/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "compute/numbers.h"

namespace lanescope::render {

namespace {

constexpr double min_prefixed = 1e6; // from here on, labels are shorter with a prefix

// Groups thousands: "-12,500". For magnitudes below min_prefixed.
std::string with_separators(double whole)
{
    const std::string digits = grouped(static_cast<std::uint64_t>(std::llround(std::abs(whole))));
    return whole < 0 ? "-" + digits : digits;
}

// "12.5 M" with the prefix of the largest magnitude on the scale; without one below a million, and
// from 1e15 on.
std::string prefixed(double value, double largest)
{
    if (largest < min_prefixed || largest >= 1e15 || value == 0) return fmt::format("{:g}", value);
    const auto [unit, name] = largest >= 1e12  ? std::pair{1e12, "T"}
                              : largest >= 1e9 ? std::pair{1e9, "G"}
                                               : std::pair{1e6, "M"};
    return fmt::format("{:g} {}", value / unit, name);
}

} // namespace

std::string number_words(double value)
{
    const bool whole = value == std::round(value) && std::abs(value) < min_prefixed;
    return whole ? with_separators(value) : prefixed(value, std::abs(value));
}

std::string Scale::title() const
{
    return unit.empty() ? quantity : fmt::format("{} ({})", quantity, unit);
}

std::vector<Tick> ticks(double low, double high, int wanted)
{
    if (!(high > low) || !std::isfinite(low) || !std::isfinite(high))
        return {{low, number_words(low)}};
    const double rough = (high - low) / std::max(wanted, 1);
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= rough * 0.999) {
            step = factor * power;
            break;
        }
    }
    const int digits = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
    const double largest = std::max(std::abs(low), std::abs(high));
    std::vector<Tick> result;
    const auto first = static_cast<std::int64_t>(std::ceil(low / step - 1e-6));
    const auto last = static_cast<std::int64_t>(std::floor(high / step + 1e-6));
    for (std::int64_t i = first; i <= last; ++i) {
        const double value = static_cast<double>(i) * step;
        result.push_back({value, largest < 1e-4            ? fmt::format("{:.3g}", value)
                                 : largest >= min_prefixed ? prefixed(value, largest)
                                 : digits == 0             ? with_separators(value)
                                               : fmt::format("{:.{}f}", value, digits)});
    }
    return result;
}

std::vector<Tick> ticks(const Scale& scale, int wanted)
{
    if (scale.marked.empty()) return ticks(scale.low, scale.high, wanted);
    std::vector<Tick> result;
    for (const double value : scale.marked) {
        std::string label = number_words(value);
        if (value == scale.best_value && !scale.best.empty()) label += ' ' + scale.best;
        result.push_back({value, std::move(label)});
    }
    return result;
}

} // namespace lanescope::render
