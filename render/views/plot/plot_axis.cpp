// Round ends and ticks: multiples of 1, 2, 5 on linear axes and short ranges of decades, powers
// otherwise.
#include "render/views/plot/plot_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lanescope::render {
namespace {

// Shorter than digits where exact: 1048576 is 1 Mi on an axis of powers of two.
std::string power_of_two(int exponent)
{
    if (exponent < 0) return fmt::format("1/{}", std::int64_t{1} << std::min(-exponent, 62));
    if (exponent >= 30) return fmt::format("{} Gi", std::int64_t{1} << std::min(exponent - 30, 62));
    if (exponent >= 20) return fmt::format("{} Mi", 1 << (exponent - 20));
    return number_words(1 << exponent);
}

// Writes 400000 as 400 k, all ticks with the same prefix.
void shorten(std::vector<Tick>& ticks, double largest)
{
    if (!(largest >= 1e5)) return;
    const auto [unit, name] = largest >= 1e9   ? std::pair{1e9, "G"}
                              : largest >= 1e6 ? std::pair{1e6, "M"}
                                               : std::pair{1e3, "k"};
    for (Tick& tick : ticks)
        tick.label = tick.value == 0 ? "0" : fmt::format("{:g} {}", tick.value / unit, name);
}

std::string decimal(double value)
{
    if (value >= 1e9) return fmt::format("{:g} G", value / 1e9);
    if (value >= 1e6) return fmt::format("{:g} M", value / 1e6);
    return number_words(value);
}

} // namespace

bool PlotAxis::can_show(double value) const
{
    return std::isfinite(value) && (!logarithmic() || value > 0);
}

AxisRange::AxisRange(const PlotAxis& axis, double low, double high, int wanted)
    : logarithmic_(axis.logarithmic()), low_(std::min(low, axis.low.value_or(low))),
      high_(std::max(high, axis.high.value_or(high)))
{
    wanted = std::max(wanted, 2);
    switch (axis.kind) {
    case AxisKind::linear: lay_out_linear(axis, wanted); break;
    case AxisKind::log2: lay_out_log2(wanted); break;
    case AxisKind::log10: lay_out_log10(wanted); break;
    case AxisKind::categories:
        low_ = -0.5;
        high_ = static_cast<double>(std::max<std::size_t>(axis.categories.size(), 1)) - 0.5;
        for (std::size_t i = 0; i < axis.categories.size(); ++i)
            ticks_.push_back({static_cast<double>(i), axis.categories[i]});
    }
}

void AxisRange::lay_out_linear(const PlotAxis& axis, int wanted)
{
    if (axis.from_zero) {
        low_ = std::min(low_, 0.0);
        high_ = std::max(high_, 0.0);
    }
    if (!(high_ > low_)) {
        const double room = low_ == 0 ? 1 : 0.1 * std::abs(low_);
        high_ += room;
        if (!axis.from_zero || low_ < 0) low_ -= room;
    }
    const bool fixed_low = axis.low == low_ || (axis.from_zero && low_ == 0);
    const bool fixed_high = axis.high == high_ || (axis.from_zero && high_ == 0);
    ticks_ = render::ticks(low_, high_, wanted);
    if (ticks_.size() < 2) return;
    const double step = ticks_[1].value - ticks_[0].value;
    if (!fixed_low) low_ = std::floor(low_ / step + 1e-6) * step;
    if (!fixed_high) high_ = std::ceil(high_ / step - 1e-6) * step;
    ticks_ = render::ticks(low_, high_, static_cast<int>(std::ceil((high_ - low_) / step - 1e-6)));
    shorten(ticks_, std::max(std::abs(low_), std::abs(high_)));
}

void AxisRange::lay_out_log2(int wanted)
{
    const int first = static_cast<int>(std::floor(std::log2(low_) + 1e-9));
    int last = static_cast<int>(std::ceil(std::log2(high_) - 1e-9));
    if (last == first) ++last;
    low_ = std::exp2(first);
    high_ = std::exp2(last);
    const int step = (last - first + wanted - 1) / wanted;
    for (int exponent = first; exponent <= last; exponent += step)
        ticks_.push_back({std::exp2(exponent), power_of_two(exponent)});
}

// Ends at 1, 2 or 5 times a power of ten.
void AxisRange::lay_out_log10(int wanted)
{
    const auto round_down = [](double value) {
        const double power = std::pow(10.0, std::floor(std::log10(value) + 1e-9));
        for (const double factor : {5.0, 2.0})
            if (factor * power <= value * (1 + 1e-9)) return factor * power;
        return power;
    };
    low_ = round_down(low_);
    const double below = round_down(high_);
    if (below < high_ * (1 - 1e-9)) {
        const double power = std::pow(10.0, std::floor(std::log10(below) + 1e-9));
        const double factor = below / power;
        high_ = power * (factor < 1.5 ? 2 : factor < 3 ? 5 : 10);
    }
    if (!(high_ > low_)) high_ = 2 * low_;
    const int first = static_cast<int>(std::floor(std::log10(low_) + 1e-9));
    const int last = static_cast<int>(std::ceil(std::log10(high_) - 1e-9));
    const bool fine = 3 * (last - first) <= wanted + 1;
    const int step = std::max(1, (last - first + wanted - 1) / wanted);
    for (int exponent = first; exponent <= last; exponent += step)
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double value = factor * std::pow(10.0, exponent);
            if (factor > 1 && !fine) break;
            if (value >= low_ * (1 - 1e-9) && value <= high_ * (1 + 1e-9))
                ticks_.push_back({value, decimal(value)});
        }
}

double AxisRange::share(double value) const
{
    if (logarithmic_) return std::log(value / low_) / std::log(high_ / low_);
    return (value - low_) / (high_ - low_);
}

double AxisRange::value(double share) const
{
    if (logarithmic_) return low_ * std::pow(high_ / low_, share);
    return low_ + share * (high_ - low_);
}

} // namespace lanescope::render
