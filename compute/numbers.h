// Number formatting for people, the same on screen, in tables and in messages.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lanescope {

// Separates thousands: "1,234,567".
inline std::string grouped(std::uint64_t value)
{
    std::string text = std::to_string(value);
    for (std::size_t i = text.size(); i > 3;) text.insert(i -= 3, 1, ',');
    return text;
}

// "1 sector", "4 sectors".
inline std::string counted(std::size_t count, std::string_view thing)
{
    return fmt::format("{} {}{}", grouped(count), thing, count == 1 ? "" : "s");
}

// Formats with this many significant digits, without an exponent where possible: 0.0123, 1.23,
// 12300.
inline std::string significant(double value, int digits = 3)
{
    if (!std::isfinite(value)) return fmt::format("{}", value);
    if (value == 0) return "0";
    const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
    if (magnitude < -4 || magnitude > 9) return fmt::format("{:.{}e}", value, digits - 1);
    return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - magnitude));
}

// Chooses a suitable unit: "349 µs", "1.18 ms", "2.4 s".
inline std::string format_time(double ms)
{
    if (ms < 1e-3) return significant(ms * 1e6) + " ns";
    if (ms < 1) return significant(ms * 1e3) + " µs";
    return ms < 1e3 ? significant(ms) + " ms" : significant(ms / 1e3) + " s";
}

} // namespace lanescope
