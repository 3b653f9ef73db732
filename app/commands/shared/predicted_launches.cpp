// A kept launch is a lab: its first step is the launch.
#include "app/commands/shared/predicted_launches.h"

#include <algorithm>
#include <chrono>

#include "app/measure/model/predicted_time.h"
#include "app/run/editing/trial.h"
#include "compute/counting/gpus.h"
#include "compute/error.h"
#include "compute/simt/machine/state/options.h"
#include "compute/trace/reported.h"

namespace lanescope::app {
namespace {

using Prediction = ProgramLaunch::Predicted;

bool same_counts(const trace::Totals& a, const trace::Totals& b)
{
    std::vector<std::uint64_t> of_a, of_b;
    trace::for_reported(a, [&](std::uint64_t number) { of_a.push_back(number); });
    trace::for_reported(b, [&](std::uint64_t number) { of_b.push_back(number); });
    return of_a == of_b;
}

bool is_same_work(const ProgramLaunch& a, const ProgramLaunch& b)
{
    return a.symbol == b.symbol && a.grid == b.grid && a.block == b.block &&
           a.shared_bytes == b.shared_bytes && a.counts.has_value() && b.counts.has_value() &&
           same_counts(*a.counts, *b.counts);
}

Prediction predict(const std::filesystem::path& lab_folder)
{
    constexpr int all_cores = 0;
    constexpr std::chrono::minutes limit{10};
    Prediction made{.gpu = std::string(counting::simulated_gpu().name)};
    try {
        const labs::Lab& lab = labs::find(lab_folder.string());
        Trials trials(limit, Trials::predicting_options(limit, all_cores));
        const TimeReport report = trials.predict(lab, lab.variants.front(), {});
        made.unavailable = report.unavailable;
        if (!made.unavailable.empty()) return made;
        made.us = report.prediction.us;
        made.launch_us = report.prediction.launch_us;
        made.limit = limit_words(report.prediction);
        made.ninety_percent_error = report.prediction.error.most;
        made.validated = report.prediction.validated;
    } catch (const Error& error) {
        made.unavailable = error.what();
    }
    return made;
}

} // namespace

void predict_launches(std::vector<ProgramLaunch>& launches)
{
    std::vector<const ProgramLaunch*> known;
    for (ProgramLaunch& launch : launches) {
        if (launch.parent >= 0) continue; // included in no prediction
        const auto same = std::ranges::find_if(
            known, [&](const ProgramLaunch* one) { return is_same_work(*one, launch); });
        if (same != known.end()) {
            launch.predicted = (*same)->predicted;
        } else if (launch.lab.empty()) {
            launch.predicted =
                Prediction{.gpu = std::string(counting::simulated_gpu().name),
                           .unavailable = launch.not_kept.empty() ? "Its memory was not kept."
                                                                  : launch.not_kept};
        } else {
            launch.predicted = predict(launch.lab);
            known.push_back(&launch);
        }
    }
}

} // namespace lanescope::app
