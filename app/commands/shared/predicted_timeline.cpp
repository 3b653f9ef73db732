// Launches of one stream follow one another; each stream starts at 0, because waits of streams for
// each other and for the host are not predicted.
#include "app/commands/shared/predicted_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "app/export/table.h"
#include "compute/numbers.h"

namespace lanescope::app {
namespace {

struct Row {
    const ProgramLaunch* first = nullptr;
    std::size_t count = 0;
    double start_us = 0; // after the first launch of its stream
};

struct Sums {
    double us = 0, launch_us = 0;
    std::size_t launches = 0;
    std::map<std::string, double> stream_us{};        // by stream
    std::map<std::string, std::size_t> unpredicted{}; // number by reason
};

std::string size_text(const Dim3& size)
{
    if (size.z > 1) return fmt::format("{} × {} × {}", size.x, size.y, size.z);
    return size.y > 1 ? fmt::format("{} × {}", size.x, size.y) : fmt::format("{}", size.x);
}

bool continues(const Row& row, const ProgramLaunch& launch)
{
    const ProgramLaunch& first = *row.first;
    return first.kernel == launch.kernel && first.grid == launch.grid &&
           first.block == launch.block && first.stream == launch.stream &&
           first.predicted->us == launch.predicted->us &&
           first.predicted->limit == launch.predicted->limit;
}

std::vector<Row> rows_of(const std::vector<ProgramLaunch>& launches, Sums& sums)
{
    std::vector<Row> rows;
    for (const ProgramLaunch& launch : launches) {
        if (!launch.predicted) {
            ++sums.unpredicted["Launches from the device are not predicted."];
            continue;
        }
        if (!launch.predicted->unavailable.empty()) {
            ++sums.unpredicted[launch.predicted->unavailable];
            continue;
        }
        double& stream_us = sums.stream_us[launch.stream];
        if (rows.empty() || !continues(rows.back(), launch))
            rows.push_back({.first = &launch, .start_us = stream_us});
        ++rows.back().count;
        stream_us += launch.predicted->us;
        sums.us += launch.predicted->us;
        sums.launch_us += launch.predicted->launch_us;
        ++sums.launches;
    }
    return rows;
}

std::string sum_text(const Sums& sums)
{
    std::string text = fmt::format("Sum over {}: {}, of which {} for launching.\n",
                                   counted(sums.launches, "kernel"), format_time(sums.us / 1e3),
                                   format_time(sums.launch_us / 1e3));
    if (sums.stream_us.size() > 1) {
        const auto longest = std::ranges::max_element(
            sums.stream_us, {}, [](const auto& stream) { return stream.second; });
        text +=
            fmt::format("They run in {} streams, which may overlap: the kernels of the longest "
                        "one, {}, take {}.\n",
                        sums.stream_us.size(), longest->first, format_time(longest->second / 1e3));
    }
    return text;
}

// The parts of the program that have no predicted time.
std::string rest_text(const ProgramReport& report, const Sums& sums)
{
    std::string text = "Not in the sum: the host's time, and gaps between launches";
    for (const auto& [direction, sum] : report.copies)
        text += fmt::format(", {} {} {} ({} bytes)", grouped(sum.count),
                            sum.count == 1 ? "copy" : "copies", direction, grouped(sum.bytes));
    text += ".\n";
    for (const auto& [reason, count] : sums.unpredicted)
        text += fmt::format("{} {} not predicted: {}\n", grouped(count),
                            count == 1 ? "launch" : "launches", reason);
    return text;
}

} // namespace

std::string predicted_timeline(const ProgramReport& report)
{
    const auto was_asked = [](const ProgramLaunch& launch) { return launch.predicted.has_value(); };
    if (std::ranges::none_of(report.launches, was_asked)) return {};
    Sums sums;
    const std::vector<Row> rows = rows_of(report.launches, sums);
    if (rows.empty()) return "\nNo launch was predicted.\n" + rest_text(report, sums);
    Table table({{"start µs", true},
                 {"kernel"},
                 {"launches", true},
                 {"grid", true},
                 {"block", true},
                 {"stream"},
                 {"µs each", true},
                 {"limited by"},
                 {"nine of ten within", true}});
    for (const Row& row : rows) {
        const ProgramLaunch& launch = *row.first;
        table.add({fmt::format("{:.1f}", row.start_us), launch.kernel, grouped(row.count),
                   size_text(launch.grid), size_text(launch.block), launch.stream,
                   fmt::format("{:.1f}", launch.predicted->us), launch.predicted->limit,
                   fmt::format("{:.0f}%", 100 * launch.predicted->ninety_percent_error)});
    }
    const ProgramLaunch::Predicted& any = *rows.front().first->predicted;
    return fmt::format(
               "\nPredicted times on {}, each as if the same launch had just run (warm caches): a "
               "model, not a measurement.{}\n",
               any.gpu, any.validated ? "" : " This GPU has not been validated.") +
           table.text() + sum_text(sums) + rest_text(report, sums);
}

} // namespace lanescope::app
