// See source.h.
#include "app/window/plots/source.h"

#include <fmt/format.h>

#include <algorithm>

namespace lanescope::app {
namespace {

std::string times(std::uint64_t actual, std::uint64_t ideal)
{
    if (ideal == 0) return "";
    return fmt::format("{:.2f}×", static_cast<double>(actual) / static_cast<double>(ideal));
}

} // namespace

Exhibit source_exhibit(const std::string& title, const std::vector<SourceLine>& lines)
{
    constexpr double hottest = 8; // times more than needed
    render::Listing listing{{"lanes", "sectors", "wavefronts", "divergent"}, {}};
    for (const SourceLine& line : lines) {
        render::ListingLine one{line.text, {}, 0};
        if (line.counted()) {
            one.heat =
                static_cast<float>(std::clamp((line.excess() - 1) / (hottest - 1), 0.0, 1.0));
            one.cells = {
                fmt::format("{:.1f}", line.active_lanes()),
                times(line.global.sectors, line.global.ideal_sectors),
                times(line.shared.wavefronts, line.shared.ideal_wavefronts),
                line.branches.executions
                    ? fmt::format("{:.1f} %", 100.0 * static_cast<double>(line.branches.divergent) /
                                                  static_cast<double>(line.branches.executions))
                    : ""};
        }
        listing.lines.push_back(std::move(one));
    }
    return {.name = "source",
            .title = title,
            .words = "Of one step: active lanes of 32; sectors and wavefronts over those that the "
                     "lanes needed; branches whose lanes parted.",
            .parts = {{std::move(listing)}},
            .table = source_table(lines)};
}

} // namespace lanescope::app
