// What stands in the middle, drawn: the picture, an array sector by sector, one request, or who
// told whom in a block.
#include "app/draw/subject_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/document/request.h"
#include "app/document/subject.h"
#include "app/draw/maps.h"
#include "app/export/table.h"

namespace lanescope::app {
namespace {

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

Scene::Placement draw_request(Scene& scene, const SideFrame& side, const Look& look,
                              Caption caption, const render::PixelRect& viewport, float text_px)
{
    caption.question.clear();
    const trace::Trace& trace = *side.trace;
    const trace::WatchedRequest& request = trace.request;
    const auto index = static_cast<std::size_t>(request.site);
    if (request.site < 0 || index >= trace.sites.size()) {
        scene.say("The next step shows a request.", look, caption, viewport, text_px);
        return {};
    }
    const trace::Site& site = trace.sites[index];
    caption.detail = warp_title(request.warp, trace.grid, trace.block) + ", " + caption.detail;
    if (request.active == 0) {
        scene.say(fmt::format("{}: this warp has {} here", site_title(site),
                              request.seen == 0 ? "no requests"
                                                : render::counted(request.seen, "request")),
                  look, caption, viewport, text_px);
        return {};
    }
    RequestShown shown{.access = {.addresses = request.addresses,
                                  .active = request.active,
                                  .width_bytes = site.width_bytes,
                                  .title = {},
                                  .memory = side.requested ? side.requested->name : "",
                                  .begins = side.requested ? side.requested->begins : 0,
                                  .source = line_of(side, site)},
                       .banks = request.space == trace::Space::shared};
    shown.access.title =
        fmt::format("{}: {}; request {} of {}", site_title(site), cost_text(request, site),
                    request.occurrence + 1, request.seen);
    scene.draw(shown, look, caption, viewport, text_px);
    return {};
}

Scene::Placement draw_memory(Scene& scene, const SideFrame& side, const Look& look, Caption caption,
                             const render::PixelRect& viewport, float text_px)
{
    caption.question.clear();
    const auto& taken = side.memory;
    if (!taken) {
        const bool none = side.facts.memory.empty();
        scene.say(none ? "This variant keeps its data in arrays of the texture unit, whose order "
                         "in memory is not told."
                       : "The next step shows the memory.",
                  look, caption, viewport, text_px);
        return {};
    }
    if (look.memory_warps && !taken->warps_counted) {
        scene.say("There are more pairs of sector and warp than can be told apart here.", look,
                  caption, viewport, text_px);
        return {};
    }
    const auto metric =
        look.memory_warps ? render::SectorMetric::warps : render::SectorMetric::touches;
    const std::uint32_t most = look.memory_warps ? taken->most_warps : taken->most_touches;
    const bool automatic = look.map_automatic && most > 0;
    std::string size = grouped(static_cast<std::uint64_t>(taken->sectors)) + " sectors of 32 bytes";
    if (taken->row_bytes > 0)
        size += fmt::format(", {:.5g} to a row", static_cast<double>(taken->row_bytes) / 32);
    caption.detail = fmt::format("memory {}, {}, {}", taken->name, size, caption.detail);
    return scene.draw(MemoryShown{taken->data(metric),
                                  automatic ? automatic_scale(metric, most) : fixed_scale(metric),
                                  taken->row_bytes},
                      look, caption, viewport, text_px);
}

Scene::Placement draw_tiles(Scene& scene, const labs::Tiles& tiles, const SideFrame& side,
                            const Look& look, Caption caption, const render::PixelRect& viewport,
                            float text_px)
{
    caption.question.clear();
    if (side.picture->memory == 0) {
        scene.say(side.counting_problem.empty() ? "The next step shows the tiles."
                                                : side.counting_problem,
                  look, caption, viewport, text_px);
        return {};
    }
    const std::uint32_t last = std::max(tiles.moments, 1U);
    caption.detail = fmt::format("{}, load {} of {}, {}", tiles.block,
                                 std::min(tiles.moment + 1, last), last, caption.detail);
    return scene.draw(*side.picture, look, caption, viewport, text_px);
}

Scene::Placement draw_tree(Scene& scene, const SideFrame& side, const Look& look, Caption caption,
                           const render::PixelRect& viewport, float text_px)
{
    caption.question.clear();
    if (!side.exchange) {
        scene.say(side.counting_problem.empty() ? "The next step shows who told whom."
                                                : side.counting_problem,
                  look, caption, viewport, text_px);
        return {};
    }
    const trace::Exchange& exchange = *side.exchange;
    const std::int64_t warps = exchange.warps();
    const std::int64_t warp = side.counted.tree.value_or(0);
    if (exchange.rows.empty()) {
        scene.say("In this block no thread received what another one had.", look, caption, viewport,
                  text_px);
        return {};
    }
    std::string where =
        warp_title(static_cast<std::uint64_t>(warp), side.facts.grid, side.facts.block);
    if (look.tree_block)
        where =
            fmt::format("{}, {} threads", where.substr(0, where.find("),") + 1), exchange.threads);
    caption.detail = where + ", " + caption.detail;
    scene.draw(TreeShown{exchange, look.tree_block ? -1 : static_cast<int>(warp % warps)}, look,
               caption, viewport, text_px);
    return {};
}

Scene::Placement draw_picture(Scene& scene, const SideFrame& side, const Look& look,
                              Caption caption, const render::PixelRect& viewport, float text_px,
                              const SideFrame* beside)
{
    if (look.map == "off") return scene.draw(*side.picture, look, caption, viewport, text_px);
    std::optional<trace::Totals> totals;
    if (!side.trace->sites.empty()) totals = side.trace->totals();
    const std::string problem =
        map_problem(side, look.map, totals ? &*totals : nullptr, look.map_of);
    if (!problem.empty()) {
        // Bars leave no column for a scale.
        if (is_chart(side.picture->shape)) {
            if (caption.question.empty())
                caption.detail += ". " + problem;
            else
                caption.question = problem;
        }
        return scene.draw(*side.picture, look, caption, viewport, text_px, nullptr, problem);
    }
    // Of two variants beside each other the panel has a table.
    if (totals && !beside && !caption.hides_counts)
        if (const std::string parts = map_parts(*totals, look.map); !parts.empty()) {
            caption.detail += ", " + parts;
            caption.question.clear(); // its place is theirs
        }
    const auto map = map_overlay(side, look, beside);
    return scene.draw(*side.picture, look, caption, viewport, text_px, map ? &*map : nullptr);
}

} // namespace

bool has_subject(const SideFrame& side, const Look& look)
{
    switch (look.subject) {
    case Subject::picture:
        return look.view != "tiles" || (side.picture && side.picture->memory != 0);
    case Subject::memory: return side.memory.has_value();
    case Subject::request: return side.trace->request.active != 0;
    case Subject::tree: return side.exchange != nullptr;
    }
    return true;
}

Scene::Placement draw_subject(Scene& scene, const SideFrame& side, const Look& look,
                              const Caption& caption, const render::PixelRect& viewport,
                              float text_px, const SideFrame* beside)
{
    if (look.subject == Subject::memory)
        return draw_memory(scene, side, look, caption, viewport, text_px);
    if (look.subject == Subject::request)
        return draw_request(scene, side, look, caption, viewport, text_px);
    if (look.subject == Subject::tree)
        return draw_tree(scene, side, look, caption, viewport, text_px);
    if (const auto* shown = std::get_if<labs::TilesPicture>(&side.picture->shape))
        return draw_tiles(scene, *shown->tiles, side, look, caption, viewport, text_px);
    return draw_picture(scene, side, look, caption, viewport, text_px, beside);
}

} // namespace lanescope::app
