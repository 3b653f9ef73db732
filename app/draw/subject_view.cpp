// What stands in the middle, drawn: the picture, an array sector by sector, or one request.
#include "app/draw/subject_view.h"

#include <fmt/format.h>

#include "app/document/request.h"
#include "app/document/subject.h"
#include "app/draw/maps.h"
#include "app/export/table.h"

namespace lanescope::app {
namespace {

Scene::Placement draw_request(Scene& scene, const SideFrame& side, const Look& look,
                              Caption caption, const render::PixelRect& viewport, float text_px)
{
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
        scene.say(fmt::format("{}: this warp has {} requests here", site_title(site),
                              request.seen == 0 ? "no" : std::to_string(request.seen)),
                  look, caption, viewport, text_px);
        return {};
    }
    RequestShown shown{.access = {.addresses = request.addresses,
                                  .active = request.active,
                                  .width_bytes = site.width_bytes,
                                  .title = {}},
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
    caption.detail =
        fmt::format("memory {}, {} sectors of 32 bytes, {}", taken->name,
                    grouped(static_cast<std::uint64_t>(taken->sectors)), caption.detail);
    return scene.draw(MemoryShown{taken->data(metric),
                                  automatic ? automatic_scale(metric, most) : fixed_scale(metric)},
                      look, caption, viewport, text_px);
}

} // namespace

bool has_subject(const SideFrame& side, const Look& look)
{
    switch (look.subject) {
    case Subject::picture: break;
    case Subject::memory: return side.memory.has_value();
    case Subject::request: return side.trace->request.active != 0;
    }
    return true;
}

Scene::Placement draw_subject(Scene& scene, const SideFrame& side, const Look& look,
                              const Caption& caption, const render::PixelRect& viewport,
                              float text_px)
{
    if (look.subject == Subject::memory)
        return draw_memory(scene, side, look, caption, viewport, text_px);
    if (look.subject == Subject::request)
        return draw_request(scene, side, look, caption, viewport, text_px);
    const auto map = map_overlay(side, look);
    return scene.draw(*side.picture, look, caption, viewport, text_px, map ? &*map : nullptr);
}

} // namespace lanescope::app
