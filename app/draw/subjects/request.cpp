// One request of one warp by lane, with the sectors or banks that serve it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/document/experiment/request.h"
#include "app/document/look/subject.h"
#include "app/draw/subjects/subject_drawing.h"
#include "compute/numbers.h"
#include "compute/trace/spaces.h"
#include "render/views/lanes.h"

namespace lanescope::app {
namespace {

void count_request(const Look& look, Counting& counting)
{
    counting.request = look.request;
}

// Source line of the site, if it is in the kernel's own file.
std::string line_of(const SideFrame& side, const trace::Site& site)
{
    if (std::filesystem::path(site.file).filename() != side.variant->source) return {};
    return code_line(side, site.line);
}

// Null until a request was counted.
const trace::Site* site_of(const trace::Trace& trace)
{
    const auto index = static_cast<std::size_t>(trace.request.site);
    return trace.request.site < 0 || index >= trace.sites.size() ? nullptr : &trace.sites[index];
}

// The launch's counts at that access; null if it was not counted there.
const trace::Counts* counts_of(const trace::Trace& trace)
{
    const auto index = static_cast<std::size_t>(trace.request.site);
    if (!site_of(trace) || index >= trace.counts.size() || trace.counts[index].requests == 0)
        return nullptr;
    return &trace.counts[index];
}

// True if a model of the memory's layout counts this access, and no addresses of it are known.
bool is_without_addresses(const trace::Trace& trace)
{
    const trace::Site* const site = site_of(trace);
    return site && trace.request.active == 0 && trace::is_modelled(site->space) && counts_of(trace);
}

bool request_is_counted(const SideFrame& side, const Look&)
{
    return side.trace->request.active != 0 || is_without_addresses(*side.trace);
}

bool makes_requests(const trace::Trace& trace, std::size_t site)
{
    return trace::is_watchable(trace.sites[site]) &&
           (site >= trace.counts.size() || trace.counts[site].requests > 0);
}

// site_title(), numbered where a line has several accesses of this kind: "line 7: global load 2 of
// 3, 4 B per lane".
std::string numbered_title(const trace::Trace& trace, std::size_t index)
{
    const trace::Site& site = trace.sites[index];
    std::size_t ordinal = 0, count = 0;
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        const trace::Site& one = trace.sites[i];
        if (site.line <= 0 || one.line != site.line || one.file != site.file ||
            one.space != site.space || one.op != site.op || !makes_requests(trace, i))
            continue;
        ++count;
        if (i == index) ordinal = count;
    }
    std::string title = site_title(site);
    if (count < 2 || ordinal == 0) return title;
    const std::string kind = fmt::format("{} {}", name(site.space), name(site.op));
    const std::size_t at = title.find(kind);
    if (at != std::string::npos)
        title.insert(at + kind.size(), fmt::format(" {} of {}", ordinal, count));
    return title;
}

// Means over all requests that the launch makes at that access; 0 if they were not counted.
struct MeanCost {
    double paid = 0;
    double ideal = 0;
};

MeanCost mean_cost(const trace::Trace& trace)
{
    const trace::Counts* const all = counts_of(trace);
    if (!all) return {};
    const bool passes = trace::costs_passes(trace.request.space);
    const auto requests = static_cast<double>(all->requests);
    if (const trace::Site* const site = site_of(trace); site && trace::is_modelled(site->space))
        return {static_cast<double>(all->modelled_sectors) / requests, 0};
    return {static_cast<double>(passes ? all->wavefronts : all->sectors) / requests,
            static_cast<double>(passes ? all->ideal_wavefronts : all->ideal_sectors) / requests};
}

constexpr double noticeable = 0.005; // smallest relative difference of a mean

// False if the request costs the minimum, but others at that access cost more.
bool is_typical(const RequestCost& cost, const MeanCost& mean)
{
    const double ideal = mean.ideal > 0 ? mean.ideal : cost.ideal; // local memory has no mean ideal
    return cost.paid > cost.ideal || mean.paid <= ideal * (1 + noticeable);
}

std::string where_request(const SideFrame& side, const Look&)
{
    const trace::Trace& trace = *side.trace;
    if (!site_of(trace)) return {};
    const auto shown = static_cast<std::int64_t>(trace.request.warp);
    std::string where = warp_title(trace.request.warp, trace.grid, trace.block);
    // If the selected warp makes no request here, shows one that does.
    const std::int64_t chosen = side.counted.request ? side.counted.request->warp : shown;
    const bool is_median =
        trace.request.space == trace::Space::global || trace.request.space == trace::Space::shared;
    if (chosen < 0)
        where += is_median ? " (median)" : "";
    else if (chosen != shown)
        where += fmt::format(" (warp {} has no request here)",
                             grouped(static_cast<std::uint64_t>(chosen)));
    return where;
}

render::WarpAccess access_of(const SideFrame& side, const trace::Site& site)
{
    const trace::WatchedRequest& request = side.trace->request;
    return {.addresses = request.addresses,
            .active = request.active,
            .width_bytes = site.width_bytes,
            .atomic = site.op == trace::Op::atomic || site.op == trace::Op::reduction,
            .title = {}};
}

void paint_request(const SubjectPaper& paper)
{
    const SideFrame& side = paper.side;
    const trace::WatchedRequest& request = side.trace->request;
    const trace::Site* const site = site_of(*side.trace);
    if (!site && !side.counting_problem.empty()) return paper.say(side.counting_problem);
    if (!site && side.counted.request)
        return paper.say("This kernel accesses memory only through textures and surfaces, whose "
                         "sectors are not counted. P: what it computes. H: heatmaps of its warps.");
    if (!site) return paper.say("Recording…");
    if (is_without_addresses(*side.trace))
        return paper.say(fmt::format(
            "{}. Where its data is in memory is not documented. By a model of the layout, a load "
            "moves {} sectors on average. ↑ ↓: the other accesses.",
            site_title(*site), significant(mean_cost(*side.trace).paid)));
    if (request.active == 0)
        return paper.say(fmt::format("{}: no warp makes a request here. ↑ ↓: the other accesses.",
                                     site_title(*site)));
    render::WarpAccess access = access_of(side, *site);
    access.memory = side.requested ? side.requested->name : "";
    access.begins = side.requested ? side.requested->begins : 0;
    access.source = line_of(side, *site);
    const RequestCost cost = cost_of(request, *site);
    access.paid = cost.paid;
    access.ideal = cost.ideal;
    access.typical = is_typical(cost, mean_cost(*side.trace));
    access.title = paper.where.empty() ? "" : paper.where + " · ";
    access.title += numbered_title(*side.trace, static_cast<std::size_t>(request.site));
    if (request.seen > 1)
        access.title += fmt::format("; request {} of {}", request.occurrence + 1, request.seen);
    render::WarpAccess before;
    if (const trace::Site* const left = paper.before ? site_of(*paper.before->trace) : nullptr;
        left && paper.before->trace->request.active != 0) {
        before = access_of(*paper.before, *left);
        access.from = &before;
        access.from_banks = paper.before->trace->request.space == trace::Space::shared;
        access.moved = paper.moved;
    }
    const auto draw_lanes = request.space == trace::Space::shared ? render::draw_lanes_to_banks
                            : request.space == trace::Space::constant
                                ? render::draw_lanes_to_words
                                : render::draw_lanes_to_sectors;
    draw_lanes(paper.painter, paper.inside, access, paper.theme, paper.text_px);
}

// Lanes of an atomic on one address take passes in either memory.
const char* unit_of(trace::Space space, const trace::Site& site)
{
    const bool atomic = site.op == trace::Op::atomic || site.op == trace::Op::reduction;
    if (atomic || space == trace::Space::constant) return "pass";
    return space == trace::Space::shared ? "wavefront" : "sector";
}

std::optional<Cost> cost_of_request(const SideFrame& side, const Look&)
{
    const trace::WatchedRequest& request = side.trace->request;
    const trace::Site* const site = site_of(*side.trace);
    if (is_without_addresses(*side.trace))
        return Cost{.value = mean_cost(*side.trace).paid,
                    .unit = "sector",
                    .meaning = fmt::format("per {} {}, mean of all, by a model", name(site->space),
                                           name(site->op))};
    if (!site || request.active == 0) return {};
    const RequestCost cost = cost_of(request, *site);
    Cost shown{.value = static_cast<double>(cost.paid),
               .unit = unit_of(request.space, *site),
               .meaning = fmt::format("for this {} {}", name(site->space), name(site->op)),
               .ideal = static_cast<double>(cost.ideal)};
    // Other requests may cost more or less: adds the mean of all if it differs.
    const MeanCost mean = mean_cost(*side.trace);
    if (mean.paid == 0) return shown;
    shown.typical = is_typical(cost, mean);
    if (std::abs(mean.paid - shown.value) > noticeable * shown.value)
        shown.meaning = fmt::format("for this {}, mean {:.2f}", name(site->op), mean.paid);
    return shown;
}

// Warps of device-side launches are numbered after the launch's own.
std::int64_t warps_of(const SideFrame& side)
{
    return std::max(side.facts.warps(), static_cast<std::int64_t>(side.trace->warps.size()));
}

// The chosen warp or, if none was chosen, the one on screen.
std::int64_t shown_warp(const SubjectView& view)
{
    const std::int64_t chosen = view.look.request.warp;
    return chosen < 0 ? static_cast<std::int64_t>(view.side.trace->request.warp) : chosen;
}

// Moves between warps, between memory sites in program order, and between requests of the warp.
void move_request(const SubjectView& view, const Move& by, Commands& out)
{
    RequestChoice choice = view.look.request;
    const auto within = [](std::int64_t number, std::int64_t count) {
        return std::clamp<std::int64_t>(number, 0, std::max<std::int64_t>(count - 1, 0));
    };
    const trace::Trace& trace = *view.side.trace;
    if (by.right != 0) choice.warp = within(shown_warp(view) + by.right, warps_of(view.side));
    choice.request = within(choice.request + by.request, trace.request.seen);
    if (by.up != 0) {
        const auto count = static_cast<int>(trace.sites.size());
        int site = trace.request.site;
        do {
            site -= by.up;
        } while (site >= 0 && site < count &&
                 !makes_requests(trace, static_cast<std::size_t>(site)));
        if (site >= 0 && site < count) choice = {site, choice.warp, 0};
    }
    out.push_back(ShowRequest{choice});
}

Control site_list(const SubjectView& view)
{
    const trace::Trace& trace = *view.side.trace;
    const RequestChoice choice = view.look.request;
    const auto current = static_cast<std::size_t>(std::max(trace.request.site, 0));
    std::vector<std::size_t> sites;
    for (std::size_t i = 0; i < trace.sites.size(); ++i)
        if (trace::is_watchable(trace.sites[i])) sites.push_back(i);
    Control list{.kind = Control::Kind::list,
                 .id = "site",
                 .shown = current < trace.sites.size() ? numbered_title(trace, current) : "–",
                 .count = sites.size() + 1};
    list.option = [&trace, choice, current, sites = std::move(sites)](std::size_t i) {
        if (i == 0)
            return Control::Option{"most excess traffic", choice.site < 0,
                                   ShowRequest{{-1, choice.warp, choice.request}}};
        const std::size_t site = sites[i - 1];
        return Control::Option{numbered_title(trace, site), site == current,
                               ShowRequest{{static_cast<int>(site), choice.warp, choice.request}}};
    };
    return list;
}

void request_controls(const SubjectView& view, Controls& out)
{
    const RequestChoice choice = view.look.request;
    const trace::Trace& trace = *view.side.trace;
    out.push_back(site_list(view));
    const std::int64_t warps = warps_of(view.side);
    out.push_back(number("warp",
                         fmt::format("warp (of {})", grouped(static_cast<std::uint64_t>(warps))),
                         shown_warp(view), warps - 1, [choice](std::int64_t to) {
                             return ShowRequest{{choice.site, to, choice.request}};
                         }));
    if (trace.request.seen > 1)
        out.push_back(number("request",
                             fmt::format("request of this warp (of {})", trace.request.seen),
                             choice.request, trace.request.seen - 1, [choice](std::int64_t to) {
                                 return ShowRequest{{choice.site, choice.warp, to}};
                             }));
    out.push_back(note("Shift-click on a heatmap chooses the warp that wrote there."));
}

} // namespace

const SubjectKind request_subject{.title = "Request",
                                  .question = "What does one access of a warp cost?",
                                  .smooth_lines = true,
                                  .count = count_request,
                                  .counted = request_is_counted,
                                  .paint = paint_request,
                                  .where = where_request,
                                  .captions_itself = true,
                                  .cost = cost_of_request,
                                  .move = move_request,
                                  .controls = request_controls};

} // namespace lanescope::app
