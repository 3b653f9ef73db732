// Sums counts by line, and shows them as table and page.
#include "app/window/plots/source_heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/export/table.h"
#include "app/window/plots/plots.h"

namespace lanescope::app {
namespace {

double ratio(std::uint64_t actual, std::uint64_t ideal)
{
    return ideal == 0 ? 1 : static_cast<double>(actual) / static_cast<double>(ideal);
}

trace::Counts& sum_of(SourceLine& line, const trace::Site& site, const trace::Counts& counts)
{
    if (site.op == trace::Op::branch) return line.branches;
    // A generic access counts at the space that it reached.
    const bool shared = site.space == trace::Space::shared ||
                        (site.space == trace::Space::generic && counts.sectors == 0);
    return shared ? line.shared : line.global;
}

std::string times(std::uint64_t actual, std::uint64_t ideal)
{
    if (ideal == 0) return "";
    return fmt::format("{:.2f}×", static_cast<double>(actual) / static_cast<double>(ideal));
}

} // namespace

double SourceLine::excess() const
{
    return std::max(ratio(global.sectors, global.ideal_sectors),
                    ratio(shared.wavefronts, shared.ideal_wavefronts));
}

double SourceLine::active_lanes() const
{
    const std::uint64_t executions = global.executions + shared.executions + branches.executions;
    const std::uint64_t lanes = global.lanes + shared.lanes + branches.lanes;
    return executions == 0 ? 0 : static_cast<double>(lanes) / static_cast<double>(executions);
}

std::vector<SourceLine> source_heat(std::string_view source, std::string_view file,
                                    const trace::Trace& trace)
{
    std::vector<SourceLine> lines;
    while (!source.empty()) {
        const std::size_t end = std::min(source.find('\n'), source.size());
        lines.push_back({std::string(source.substr(0, end)), {}, {}, {}, {}});
        source.remove_prefix(std::min(end + 1, source.size()));
    }
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        const trace::Site& site = trace.sites[i];
        const bool here = std::filesystem::path(site.file).filename() == file;
        if (!here || site.line < 1 || site.line > static_cast<int>(lines.size())) continue;
        SourceLine& line = lines[static_cast<std::size_t>(site.line) - 1];
        sum_of(line, site, trace.counts[i]) += trace.counts[i];
        line.instructions.push_back({site.ptx, trace.counts[i]});
    }
    return lines;
}

std::vector<SourceLine> source_lines(const Frame& frame)
{
    if (!frame.is_open() || frame.a.trace->sites.empty()) return {};
    const labs::Variant& variant = *frame.a.variant;
    return source_heat(frame.a.lab->source(variant), variant.source, *frame.a.trace);
}

Table source_table(const std::vector<SourceLine>& lines)
{
    Table table({{"line", true},
                 {"source"},
                 {"global requests", true},
                 {"sectors", true},
                 {"ideal sectors", true},
                 {"shared wavefronts", true},
                 {"ideal wavefronts", true},
                 {"divergent branches", true},
                 {"active lanes", true}});
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const SourceLine& line = lines[i];
        if (!line.counted()) continue;
        table.add(
            {std::to_string(i + 1), line.text, std::to_string(line.global.requests),
             std::to_string(line.global.sectors), std::to_string(line.global.ideal_sectors),
             std::to_string(line.shared.wavefronts), std::to_string(line.shared.ideal_wavefronts),
             std::to_string(line.branches.divergent), fmt::format("{:.1f}", line.active_lanes())});
    }
    return table;
}

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
