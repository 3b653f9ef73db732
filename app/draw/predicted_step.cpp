// Predictions come with the counts that the background took of every variant.
#include "app/draw/predicted_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/measure/model/predicted_time.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

const TimeReport* report_of(const Frame& frame, const std::string& variant)
{
    if (!frame.counted_in_background) return nullptr;
    const auto found = frame.counted_in_background->find(variant);
    return found == frame.counted_in_background->end() ? nullptr : found->second.time.get();
}

std::string accuracy_of(const predicted::Prediction& made)
{
    return fmt::format("half of measured launches with this limit were within {:.0f}%, nine of ten "
                       "within {:.0f}%",
                       100 * made.error.median, 100 * made.error.most);
}

} // namespace

std::string PredictedStep::tooltip() const
{
    std::string words = fmt::format("Predicted for {} at these values, after the same step:\n"
                                    "{} per step, limited by {}\n{}",
                                    gpu, format_time(ms), limit, accuracy);
    if (!validated) words += fmt::format("\nPredictions for {} have not been validated", gpu);
    if (!better.empty()) words += fmt::format("\nPredicted {}", better);
    return words;
}

std::string PredictedStep::reason() const
{
    std::string words =
        fmt::format("Predicted for {}: {} per step, limited by {}", gpu, format_time(ms), limit);
    if (!costliest.empty()) words += "; " + costliest;
    words += ".";
    if (!better.empty()) words += fmt::format(" Predicted {}.", better);
    return words;
}

bool PredictedStep::contradicts(double measured_ms) const
{
    return std::abs(measured_ms - ms) > ninety_percent_error * ms;
}

std::optional<PredictedStep> predicted_step(const Frame& frame, const std::string& variant)
{
    const TimeReport* const report = report_of(frame, variant);
    if (report == nullptr || !report->unavailable.empty() || frame.a.lab == nullptr) return {};
    const labs::Variant* const known = frame.a.lab->find_variant(variant);
    const double steps = known != nullptr ? std::max(known->steps, 1) : 1;
    const predicted::Prediction& made = report->prediction;
    PredictedStep step{.ms = made.us / 1e3 / steps,
                       .gpu = report->gpu,
                       .limit = limit_words(made),
                       .accuracy = accuracy_of(made),
                       .ninety_percent_error = made.error.most,
                       .validated = made.validated};
    if (report->better)
        step.better = fmt::format("{}: {} (−{:.0f}%)", report->better->how,
                                  format_time(report->better->us / 1e3 / steps),
                                  100 * (1 - report->better->us / made.us));
    if (report->costliest) {
        const trace::Site& site = report->costliest->site;
        const std::string where = site.line > 0 ? fmt::format("line {}", site.line)
                                                : fmt::format("PTX line {}", site.ptx_line);
        step.costliest = fmt::format("{}, {} {}, has {:.0f}% of it", where, name(site.space),
                                     name(site.op), 100 * report->costliest->share);
    }
    return step;
}

std::string why_unpredicted(const Frame& frame, const std::string& variant)
{
    const TimeReport* const report = report_of(frame, variant);
    return report == nullptr ? "" : report->unavailable;
}

} // namespace lanescope::app
