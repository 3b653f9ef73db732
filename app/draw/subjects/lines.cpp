// The source lines that move the most data: a kernel's cost by line, largest first, beside the
// minimum for the same lanes.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/document/values/text_lines.h"
#include "app/draw/subjects/reasons.h"
#include "app/draw/subjects/subject_drawing.h"
#include "compute/numbers.h"
#include "render/views/plot/bar_chart.h"

namespace lanescope::app {
namespace {

std::string excess_words(const LineCost& line, const std::string& unit)
{
    const std::string moved = counted(line.moved, unit);
    if (line.moved <= line.ideal || line.ideal == 0) return moved + ", ideal";
    return fmt::format("{}, {:.3g} × ideal", moved,
                       static_cast<double>(line.moved) / static_cast<double>(line.ideal));
}

render::BarChart chart_of(const SideFrame& side, const std::vector<LineCost>& lines,
                          const std::string& title, const std::string& unit)
{
    const auto source = lines_of(side.lab->source(*side.variant));
    render::BarChart chart{.title = title};
    for (const LineCost& line : lines) {
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

// Draws as many of the first rows as fit; returns the rest of the box.
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
    const LineCosts costs = line_costs(side);
    if (costs.global.empty() && costs.shared.empty())
        return paper.say("No line of this kernel accesses global or shared memory.");
    const auto global = chart_of(side, costs.global, "Global memory, by source line", "sector");
    const bool constant = std::ranges::find(side.trace->sites, trace::Space::constant,
                                            &trace::Site::space) != side.trace->sites.end();
    const auto shared = chart_of(side, costs.shared,
                                 constant ? "Shared and constant memory, by source line"
                                          : "Shared memory, by source line",
                                 "wavefront");
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
    out.push_back(note("Global memory sectors and shared memory wavefronts per step for each "
                       "source line, largest first. Bold: more than its lanes need."));
}

} // namespace

const SubjectKind lines_subject{
    .title = "Lines",
    .question = "Which source lines move the most?",
    .count = [](const Look&, Counting& counting) { counting.sites = true; },
    .counted = [](const SideFrame& side, const Look&) { return !side.trace->sites.empty(); },
    .paint = paint_lines,
    .where = [](const SideFrame& side, const Look&) { return side.variant->source; },
    .cost = [](const SideFrame& side, const Look&) { return judged_cost(side); },
    .move = [](const SubjectView&, const Move&, Commands&) {},
    .controls = lines_controls};

} // namespace lanescope::app
