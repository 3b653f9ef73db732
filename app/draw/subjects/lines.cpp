// The source lines that move the most: a kernel's cost line by line, the largest first, with what
// the same lanes would have needed.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/document/text_lines.h"
#include "app/draw/subjects/subject_drawing.h"
#include "compute/numbers.h"
#include "render/views/plot/bar_chart.h"

namespace lanescope::app {
namespace {

struct Line {
    int number = 0; // 0: PTX that no source line stands for
    std::uint64_t moved = 0;
    std::uint64_t ideal = 0;
};

struct Costs {
    std::vector<Line> global; // sectors, the most first
    std::vector<Line> shared; // wavefronts
};

std::vector<Line> sorted(const std::map<int, Line>& lines)
{
    std::vector<Line> all;
    for (const auto& [number, line] : lines)
        if (line.moved > 0) all.push_back(line);
    std::ranges::stable_sort(all, std::greater(), &Line::moved);
    return all;
}

Costs costs_of(const SideFrame& side)
{
    std::map<int, Line> global;
    std::map<int, Line> shared;
    for (std::size_t i = 0; i < side.trace->sites.size(); ++i) {
        const trace::Site& site = side.trace->sites[i];
        const trace::Counts& counts = side.trace->counts[i];
        const bool here = std::filesystem::path(site.file).filename() == side.variant->source;
        const int number = here ? site.line : 0;
        // A generic access counts at the space that it reached.
        const bool is_shared = site.space == trace::Space::shared ||
                               (site.space == trace::Space::generic && counts.sectors == 0);
        Line& line = (is_shared ? shared : global)[number];
        line.number = number;
        line.moved += is_shared ? counts.wavefronts : counts.sectors;
        line.ideal += is_shared ? counts.ideal_wavefronts : counts.ideal_sectors;
    }
    return {sorted(global), sorted(shared)};
}

std::string excess_words(const Line& line, const std::string& unit)
{
    const std::string moved = counted(line.moved, unit);
    if (line.moved <= line.ideal || line.ideal == 0) return moved + ", ideal";
    return fmt::format("{}, {:.3g} × ideal", moved,
                       static_cast<double>(line.moved) / static_cast<double>(line.ideal));
}

render::BarChart chart_of(const SideFrame& side, const std::vector<Line>& lines,
                          const std::string& title, const std::string& unit)
{
    const auto source = lines_of(side.lab->source(*side.variant));
    render::BarChart chart{.title = title};
    for (const Line& line : lines) {
        std::string name = "other code";
        if (line.number > 0 && line.number <= static_cast<int>(source.size())) {
            std::string_view text = source[static_cast<std::size_t>(line.number) - 1];
            text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
            name = fmt::format("{}: {}", line.number, text);
        }
        chart.rows.push_back({.name = name,
                              .value = static_cast<double>(line.moved),
                              .text = excess_words(line, unit),
                              .strong = line.moved > line.ideal});
    }
    return chart;
}

// As many of the first rows as there is room for; gives what is left of the box.
render::Box draw_chart(const SubjectPaper& paper, const render::Box& box, render::BarChart chart)
{
    const auto height = [&] { return render::bar_chart_height(chart, paper.text_px); };
    while (chart.rows.size() > 1 && height() > box.height) chart.rows.pop_back();
    if (height() > box.height) return box;
    render::draw_bar_chart(paper.painter, box, chart, paper.theme, paper.text_px);
    const float used = height() + paper.text_px;
    return {box.x, box.y + used, box.width, box.height - used};
}

void paint_lines(const SubjectPaper& paper)
{
    const SideFrame& side = paper.side;
    if (side.trace->sites.empty())
        return paper.say(side.counting_problem.empty() ? "The next step counts by source line."
                                                       : side.counting_problem);
    const Costs costs = costs_of(side);
    if (costs.global.empty() && costs.shared.empty())
        return paper.say("No line of this kernel accesses global or shared memory.");
    const auto global = chart_of(side, costs.global, "Global memory, by source line", "sector");
    const auto shared = chart_of(side, costs.shared, "Shared memory, by source line", "wavefront");
    render::Box box = paper.inside;
    if (costs.shared.empty()) {
        draw_chart(paper, box, global);
        return;
    }
    if (!costs.global.empty()) {
        const render::Box upper{
            box.x, box.y, box.width,
            box.height - std::min(render::bar_chart_height(shared, paper.text_px), box.height / 2)};
        const render::Box left = draw_chart(paper, upper, global);
        box = {box.x, left.y, box.width, box.bottom() - left.y};
    }
    draw_chart(paper, box, shared);
}

void lines_controls(const SubjectView&, Controls& out)
{
    out.push_back(note("Sectors of global memory and wavefronts of shared memory that each source "
                       "line moves in a step, the most first. Bold: more than its lanes need."));
}

} // namespace

const SubjectKind lines_subject{
    .title = "source lines",
    .question = "Which source lines move the most?",
    .count = [](const Look&, Counting& counting) { counting.sites = true; },
    .counted = [](const SideFrame& side, const Look&) { return !side.trace->sites.empty(); },
    .paint = paint_lines,
    .where = [](const SideFrame& side, const Look&) { return side.variant->source; },
    .cost = [](const SideFrame& side, const Look&) { return recorded_cost(side); },
    .move = [](const SubjectView&, const Move&, Commands&) {},
    .controls = lines_controls};

} // namespace lanescope::app
