// An axis of a plot: the values at its ends, the position of a value between them, and the ticks.
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
    bool from_zero = false;                // linear axes: always includes 0
    // Values that the axis always includes, even if no point has them.
    std::optional<double> low{};
    std::optional<double> high{};

    bool logarithmic() const { return kind == AxisKind::log2 || kind == AxisKind::log10; }
    // True if the value can be shown: finite, and positive on a logarithmic axis.
    bool can_show(double value) const;
};

// The axis laid out for the data.
class AxisRange {
public:
    // About `wanted` ticks over [low, high], widened to round ends.
    AxisRange(const PlotAxis& axis, double low, double high, int wanted);

    double low() const { return low_; }
    double high() const { return high_; }
    // 0 at the low end, 1 at the high end; outside that for values outside.
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
