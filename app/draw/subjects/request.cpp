// One request of one warp, lane by lane, with the sectors or banks that serve it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/document/request.h"
#include "app/document/subject.h"
#include "app/draw/subjects/subject_kind.h"
#include "compute/numbers.h"
#include "render/views/lanes.h"

namespace lanescope::app {
namespace {

void count_request(const Look& look, Counting& counting)
{
    counting.request = look.request;
}

bool request_is_counted(const SideFrame& side, const Look&)
{
    return side.trace->request.active != 0;
}

// "18  float left = now[i - 1];": the line that the site was compiled from, as far as it is of the
// kernel's own file.
std::string line_of(const SideFrame& side, const trace::Site& site)
{
    if (std::filesystem::path(site.file).filename() != side.variant->source) return {};
    std::string_view rest = side.lab->source(*side.variant);
    for (int line = 1; line < site.line && !rest.empty(); ++line)
        rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
    std::string_view text = rest.substr(0, rest.find('\n'));
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return text.empty() ? "" : fmt::format("{}  {}", site.line, text);
}

Scene::Placement draw_request(SubjectDrawing drawing)
{
    auto& [scene, side, sheet, beside] = drawing;
    sheet.caption.question.clear();
    const trace::Trace& trace = *side.trace;
    const trace::WatchedRequest& request = trace.request;
    const auto index = static_cast<std::size_t>(request.site);
    if (request.site < 0 || index >= trace.sites.size())
        return scene.say("The next step records a request.", sheet);
    const trace::Site& site = trace.sites[index];
    sheet.caption.detail =
        warp_title(request.warp, trace.grid, trace.block) + ", " + sheet.caption.detail;
    if (request.active == 0)
        return scene.say(fmt::format("{}: this warp has {} here", site_title(site),
                                     request.seen == 0 ? "no requests"
                                                       : counted(request.seen, "request")),
                         sheet);
    render::WarpAccess access{.addresses = request.addresses,
                              .active = request.active,
                              .width_bytes = site.width_bytes,
                              .title = {},
                              .memory = side.requested ? side.requested->name : "",
                              .begins = side.requested ? side.requested->begins : 0,
                              .source = line_of(side, site)};
    access.title = fmt::format("{}: {}; request {} of {}", site_title(site),
                               cost_text(request, site), request.occurrence + 1, request.seen);
    const auto draw_lanes = request.space == trace::Space::shared ? render::draw_lanes_to_banks
                                                                  : render::draw_lanes_to_sectors;
    return scene.paint(sheet, [&](const Scene::Paper& paper) {
        draw_lanes(paper.painter, paper.inside, access, paper.theme, sheet.text_px);
    });
}

// From warp to warp, from site to site that touches memory, in the order of the program, and from
// one request of the warp to the next.
void move_request(const SubjectView& view, const Move& by, Commands& out)
{
    RequestChoice choice = view.look.request;
    const auto within = [](std::int64_t number, std::int64_t count) {
        return std::clamp<std::int64_t>(number, 0, std::max<std::int64_t>(count - 1, 0));
    };
    const trace::Trace& trace = *view.side.trace;
    choice.warp = within(choice.warp + by.right, view.side.facts.warps());
    choice.request = within(choice.request + by.request, trace.request.seen);
    if (by.up != 0) {
        const auto count = static_cast<int>(trace.sites.size());
        int site = trace.request.site;
        do {
            site -= by.up;
        } while (site >= 0 && site < count &&
                 trace.sites[static_cast<std::size_t>(site)].op == trace::Op::branch);
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
        if (trace.sites[i].op != trace::Op::branch) sites.push_back(i);
    Control list{.kind = Control::Kind::list,
                 .id = "site",
                 .shown = current < trace.sites.size() ? site_title(trace.sites[current]) : "–",
                 .count = sites.size() + 1};
    list.option = [&trace, choice, current, sites = std::move(sites)](std::size_t i) {
        if (i == 0)
            return Control::Option{"most excess traffic", choice.site < 0,
                                   ShowRequest{{-1, choice.warp, choice.request}}};
        const std::size_t site = sites[i - 1];
        return Control::Option{site_title(trace.sites[site]), site == current,
                               ShowRequest{{static_cast<int>(site), choice.warp, choice.request}}};
    };
    return list;
}

void request_controls(const SubjectView& view, Controls& out)
{
    const RequestChoice choice = view.look.request;
    const trace::Trace& trace = *view.side.trace;
    out.push_back(site_list(view));
    const std::int64_t warps = view.side.facts.warps();
    out.push_back(number("warp",
                         fmt::format("warp, of {}", grouped(static_cast<std::uint64_t>(warps))),
                         choice.warp, warps - 1, [choice](std::int64_t to) {
                             return ShowRequest{{choice.site, to, choice.request}};
                         }));
    if (trace.request.seen > 1)
        out.push_back(number("request", fmt::format("its request here, of {}", trace.request.seen),
                             choice.request, trace.request.seen - 1, [choice](std::int64_t to) {
                                 return ShowRequest{{choice.site, choice.warp, to}};
                             }));
    out.push_back(note("Shift-click on a heatmap chooses the warp that wrote there."));
}

} // namespace

const SubjectKind request_subject{.name = "request",
                                  .title = "one request of a warp",
                                  .question = "What does one access of a warp cost?",
                                  .smooth_lines = true,
                                  .count = count_request,
                                  .counted = request_is_counted,
                                  .draw = draw_request,
                                  .move = move_request,
                                  .controls = request_controls};

} // namespace lanescope::app
