// Sums counts by line, and presents them as table and page.
#include "app/window/plots/source_heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/export/table.h"
#include "app/measure/ratios.h"
#include "app/window/plots/plots.h"
#include "compute/numbers.h"
#include "compute/trace/spaces.h"

namespace lanescope::app {
namespace {

trace::Counts& sum_of(SourceLine& line, const trace::Site& site, const trace::Counts& counts)
{
    if (site.op == trace::Op::branch) return line.branches;
    if (trace::is_modelled(site.space)) return line.modelled;
    // A generic access counts towards the space it reached.
    const bool shared = trace::costs_passes(site.space) ||
                        (site.space == trace::Space::generic && counts.sectors == 0);
    return shared ? line.shared : line.global;
}

} // namespace

double SourceLine::excess() const
{
    return std::max(trace::sectors_over_ideal(global).value_or(1),
                    trace::wavefronts_over_ideal(shared).value_or(1));
}

double SourceLine::active_lanes() const
{
    trace::Counts all = global;
    all += shared;
    all += branches;
    return trace::active_lanes(all).value_or(0);
}

std::string SourceLine::sectors_words() const
{
    const auto ratio = trace::sectors_over_ideal(global);
    return ratio ? ratio_text(trace::Ratio::sectors_over_ideal, ratio) : "";
}

std::string SourceLine::wavefronts_words() const
{
    const auto ratio = trace::wavefronts_over_ideal(shared);
    return ratio ? ratio_text(trace::Ratio::wavefronts_over_ideal, ratio) : "";
}

std::string SourceLine::divergent_words() const
{
    if (branches.executions == 0) return "";
    return fmt::format("{:.1f}%", 100.0 * static_cast<double>(branches.divergent) /
                                      static_cast<double>(branches.executions));
}

namespace {

float heat_of_excess(std::optional<double> times)
{
    constexpr double hottest = 8; // times the minimum
    return static_cast<float>(std::clamp((times.value_or(1) - 1) / (hottest - 1), 0.0, 1.0));
}

struct Level {
    const char* name;
    double share; // of the sectors read
};

// None without reads.
std::vector<Level> levels_of(const trace::Served& served)
{
    const auto all = static_cast<double>(served.read());
    if (all == 0) return {};
    return {{"L1", static_cast<double>(served.l1) / all},
            {"L2", static_cast<double>(served.l2) / all},
            {"DRAM", static_cast<double>(served.dram) / all}};
}

// The level that served most, "75% DRAM".
std::string served_words(const SourceLine& line)
{
    const auto levels = levels_of(line.served);
    if (levels.empty()) return "";
    const auto most = std::ranges::max_element(levels, {}, &Level::share);
    return fmt::format("{:.0f}% {}", 100 * most->share, most->name);
}

render::Colour served_colour(const SourceLine& line)
{
    const auto levels = levels_of(line.served);
    if (levels.empty()) return {};
    return render::mixed_levels(levels[0].share, levels[1].share, levels[2].share);
}

constexpr LineMetric metrics[] = {
    {"sectors", "sectors / ideal", "sectors", "sectors of global memory relative to the ideal",
     [](const SourceLine& line) { return line.sectors_words(); },
     [](const SourceLine& line) { return heat_of_excess(trace::sectors_over_ideal(line.global)); }},
    {"wavefronts", "wavefronts / ideal", "wavefronts",
     "wavefronts of shared memory relative to those without conflicts",
     [](const SourceLine& line) { return line.wavefronts_words(); },
     [](const SourceLine& line) {
         return heat_of_excess(trace::wavefronts_over_ideal(line.shared));
     }},
    {"lanes", "active lanes", "lanes", "active lanes, of 32, of an access or branch",
     [](const SourceLine& line) {
         return line.counted() ? fmt::format("{:.1f}", line.active_lanes()) : "";
     },
     [](const SourceLine& line) {
         return line.counted()
                    ? std::clamp(static_cast<float>(1 - line.active_lanes() / 32), 0.0F, 1.0F)
                    : 0.0F;
     }},
    {"share", "share of accesses and branches", "share",
     "share of all executed memory instructions and branches",
     [](const SourceLine& line) {
         return line.counted() ? fmt::format("{:.1f}%", 100 * line.share) : "";
     },
     [](const SourceLine& line) { return std::clamp(static_cast<float>(line.share), 0.0F, 1.0F); }},
    {"served", "served by L1, L2, DRAM (model)", "served by",
     "of the sectors read, from the level that served most", served_words,
     [](const SourceLine& line) { return line.served.read() > 0 ? 1.0F : 0.0F; }, "100% DRAM",
     served_colour, true},
};

} // namespace

std::span<const LineMetric> line_metrics()
{
    return metrics;
}

const LineMetric& line_metric(std::string_view id)
{
    const auto* const found = std::ranges::find(metrics, id, &LineMetric::id);
    return found == std::end(metrics) ? metrics[0] : *found;
}

namespace {

std::string_view meaning(trace::AssembledAs as)
{
    using enum trace::AssembledAs;
    switch (as) {
    case merged: return "merged with its neighbours";
    case part: return "moved along with a neighbour";
    case split: return "split";
    case narrowed: return "narrowed";
    case aggregated: return "one lane for all";
    case summed: return "lanes at one address together";
    case itself:
    case removed: break;
    }
    return "";
}

// "sm_90: LDS.128 R8, [R16], merged with its neighbours, 512 wavefronts as assembled".
std::string sass_words(const trace::Trace& trace, std::size_t i)
{
    if (trace.assembled == nullptr) return "";
    if (!trace.assembled->reason.empty()) return "No SASS: " + trace.assembled->reason;
    if (i >= trace.assembled->sites.size()) return "";
    const trace::AssembledSite& made = trace.assembled->sites[i];
    const trace::AssembledSite& own =
        made.leader < 0 ? made : trace.assembled->sites[static_cast<std::size_t>(made.leader)];
    std::string words = trace.assembled->architecture + ": ";
    if (own.sass.empty())
        return words +
               (trace.sites[i].op == trace::Op::branch ? "no branch of its own" : "removed");
    if (own.copies > 1) words += fmt::format("{} × ", own.copies);
    words += own.sass.front();
    if (const std::string_view as = meaning(made.as); !as.empty()) words += fmt::format(", {}", as);
    if (i >= trace.assembled_counts.size() || made.as == trace::AssembledAs::part) return words;
    const trace::Counts& counts = trace.assembled_counts[i];
    if (counts.ideal_wavefronts > 0)
        words += fmt::format(", {} as assembled", counted(counts.wavefronts, "wavefront"));
    else if (counts.sectors > 0)
        words += fmt::format(", {} in {} as assembled", counted(counts.sectors, "sector"),
                             counted(counts.requests, "request"));
    return words;
}

} // namespace

std::vector<SourceLine> source_heat(std::string_view source, std::string_view file,
                                    const trace::Trace& trace, const trace::ServedBy* served)
{
    std::vector<SourceLine> lines;
    while (!source.empty()) {
        const std::size_t end = std::min(source.find('\n'), source.size());
        lines.push_back({std::string(source.substr(0, end)), {}, {}, {}});
        source.remove_prefix(std::min(end + 1, source.size()));
    }
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < trace.sites.size(); ++i) all += trace.counts[i].executions;
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        const trace::Site& site = trace.sites[i];
        const bool here = std::filesystem::path(site.file).filename() == file;
        if (!here || site.line < 1 || site.line > static_cast<int>(lines.size())) continue;
        SourceLine& line = lines[static_cast<std::size_t>(site.line) - 1];
        sum_of(line, site, trace.counts[i]) += trace.counts[i];
        trace::Served levels;
        if (served != nullptr && i < served->sites.size()) levels = served->sites[i];
        line.served += levels;
        line.instructions.push_back({i, site.ptx, trace.counts[i], levels, sass_words(trace, i)});
        if (all > 0)
            line.share +=
                static_cast<double>(trace.counts[i].executions) / static_cast<double>(all);
    }
    return lines;
}

std::vector<SourceLine> source_lines(const Frame& frame)
{
    // A kernel that ended in a fault also has lines.
    if (!frame.is_open() || (frame.a.trace->sites.empty() && !frame.fault)) return {};
    const labs::Variant& variant = *frame.a.variant;
    return source_heat(frame.a.lab->source(variant), variant.source, *frame.a.trace,
                       frame.a.served.get());
}

int fault_line(const Frame& frame)
{
    if (!frame.fault || !frame.a.variant) return 0;
    const bool here =
        std::filesystem::path(frame.fault->file).filename() == frame.a.variant->source;
    return here ? frame.fault->line : 0;
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
    render::Listing listing{{"lanes", "sectors", "wavefronts", "divergent"}, {}};
    for (const SourceLine& line : lines) {
        render::ListingLine one{line.text, {}, 0};
        if (line.counted()) {
            one.heat = heat_of_excess(line.excess());
            one.cells = {fmt::format("{:.1f}", line.active_lanes()), line.sectors_words(),
                         line.wavefronts_words(), line.divergent_words()};
        }
        listing.lines.push_back(std::move(one));
    }
    return {.name = "source",
            .title = title,
            .words = "Per step: active lanes out of 32; sectors and wavefronts relative to the "
                     "ideal; divergent branches.",
            .parts = {{std::move(listing)}},
            .table = source_table(lines)};
}

} // namespace lanescope::app
