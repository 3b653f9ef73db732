// Treats one more sector, wavefront or path of a branch as equally expensive, which is close enough
// for ranking lines.
#include "app/draw/subjects/reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "compute/numbers.h"
#include "compute/trace/spaces.h"

namespace lanescope::app {
namespace {

bool belongs_to_source(const SideFrame& side, const trace::Site& site)
{
    return std::filesystem::path(site.file).filename() == side.variant->source;
}

std::vector<LineCost> sorted(const std::map<int, LineCost>& lines)
{
    std::vector<LineCost> all;
    for (const auto& [number, line] : lines)
        if (line.moved > 0) all.push_back(line);
    std::ranges::stable_sort(all, std::greater(), &LineCost::moved);
    return all;
}

std::string subject_of(int line)
{
    return line > 0 ? fmt::format("line {}", line) : "other code";
}

struct Reason {
    std::uint64_t weight = 0;
    std::string sentence;
};

void add_excess(const std::vector<LineCost>& lines, const char* unit, std::uint64_t steps,
                std::vector<Reason>& out)
{
    for (const LineCost& line : lines)
        if (line.excess() > 0)
            out.push_back(
                {line.excess(),
                 fmt::format("{}: {} per step, {:.3g}× ideal", subject_of(line.number),
                             counted(static_cast<std::size_t>(line.moved / steps), unit),
                             static_cast<double>(line.moved) /
                                 static_cast<double>(std::max<std::uint64_t>(line.ideal, 1)))});
}

void add_divergence(const SideFrame& side, std::uint64_t steps, std::vector<Reason>& out)
{
    std::map<int, std::uint64_t> lines;
    for (std::size_t i = 0; i < side.trace->sites.size(); ++i) {
        const trace::Site& site = side.trace->sites[i];
        lines[belongs_to_source(side, site) ? site.line : 0] += side.trace->counts[i].divergent;
    }
    for (const auto& [line, times] : lines)
        if (times > 0)
            out.push_back(
                {times, fmt::format("{}: divergence in {} per step", subject_of(line),
                                    counted(static_cast<std::size_t>(times / steps), "warp"))});
}

void add_most(const std::vector<LineCost>& lines, const char* unit, std::uint64_t steps,
              std::vector<Reason>& out)
{
    if (!lines.empty())
        out.push_back(
            {lines.front().moved,
             fmt::format("{}: {} per step, ideal", subject_of(lines.front().number),
                         counted(static_cast<std::size_t>(lines.front().moved / steps), unit))});
}

} // namespace

LineCosts line_costs(const SideFrame& side)
{
    std::map<int, LineCost> global;
    std::map<int, LineCost> shared;
    for (std::size_t i = 0; i < side.trace->sites.size(); ++i) {
        const trace::Site& site = side.trace->sites[i];
        const trace::Counts& counts = side.trace->counts[i];
        const int number = belongs_to_source(side, site) ? site.line : 0;
        // A generic access counts for the space it accessed.
        const bool is_shared = trace::costs_passes(site.space) ||
                               (site.space == trace::Space::generic && counts.sectors == 0);
        LineCost& line = (is_shared ? shared : global)[number];
        line.number = number;
        line.moved += is_shared ? counts.wavefronts : counts.sectors;
        line.ideal += is_shared ? counts.ideal_wavefronts : counts.ideal_sectors;
    }
    return {sorted(global), sorted(shared)};
}

std::vector<std::string> reasons_of(const SideFrame& side)
{
    const LineCosts costs = line_costs(side);
    const auto steps = static_cast<std::uint64_t>(std::max(side.variant->steps, 1));
    std::vector<Reason> all;
    add_excess(costs.global, "sector", steps, all);
    add_excess(costs.shared, "wavefront", steps, all);
    add_divergence(side, steps, all);
    if (all.empty()) {
        add_most(costs.global, "sector", steps, all);
        add_most(costs.shared, "wavefront", steps, all);
    }
    std::ranges::stable_sort(all, std::greater(), &Reason::weight);
    std::vector<std::string> sentences;
    for (Reason& one : all) sentences.push_back(std::move(one.sentence));
    return sentences;
}

} // namespace lanescope::app
