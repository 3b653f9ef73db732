// An axis of a plot: which values its ends stand for, where a value lies between them, and the
// ticks that say so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "render/views/colours/scale.h"

namespace lanescope::render {

enum class AxisKind { linear, log2, log10, categories };

struct PlotAxis {
    std::string title{}; // with its unit
    AxisKind kind = AxisKind::linear;
    std::vector<std::string> categories{}; // at the values 0, 1, 2 …
    bool from_zero = false;                // linear: shows 0, whatever the data
    // Values that must be shown even before there are points.
    std::optional<double> low{};
    std::optional<double> high{};

    bool logarithmic() const { return kind == AxisKind::log2 || kind == AxisKind::log10; }
    // Whether the value has a place on such an axis: finite, and above 0 where it is logarithmic.
    bool can_show(double value) const;
};

// The axis laid out for the data.
class AxisRange {
public:
    // About `wanted` ticks over [low, high], widened to round ends.
    AxisRange(const PlotAxis& axis, double low, double high, int wanted);

    double low() const { return low_; }
    double high() const { return high_; }
    // 0 at the low end, 1 at the high one; beyond for values beyond.
    double share(double value) const;
    double value(double share) const;
    const std::vector<Tick>& ticks() const { return ticks_; }

private:
    void lay_out_linear(const PlotAxis& axis, int wanted);
    void lay_out_log2(int wanted);
    void lay_out_log10(int wanted);

    bool logarithmic_;
    double low_;
    double high_;
    std::vector<Tick> ticks_;
};

} // namespace lanescope::render
