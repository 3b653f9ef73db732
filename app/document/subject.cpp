// See subject.h.
#include "app/document/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/document/request.h"
#include "app/draw/maps.h"
#include "app/export/table.h"

namespace lanescope::app {
namespace {

constexpr std::array<const char*, 3> names{"picture", "memory", "request"};

Scene::Placement draw_request(Scene& scene, const Stage& stage, const Look& look, Caption caption,
                              const render::PixelRect& viewport, float text_px)
{
    const trace::Trace& trace = stage.trace();
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

Scene::Placement draw_memory(Scene& scene, const Stage& stage, const Look& look, Caption caption,
                             const render::PixelRect& viewport, float text_px)
{
    const auto& taken = stage.memory_map().taken();
    if (!taken) {
        const bool none = stage.facts().memory.empty();
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
    return scene.draw(MemoryShown{stage.memory_map().data(metric),
                                  automatic ? automatic_scale(metric, most) : fixed_scale(metric)},
                      look, caption, viewport, text_px);
}

} // namespace

std::string name(Subject subject)
{
    return names.at(static_cast<std::size_t>(subject));
}

std::vector<std::string> subject_names()
{
    return {names.begin(), names.end()};
}

Subject subject_named(const std::string& name)
{
    return static_cast<Subject>(std::ranges::find(names, name) - names.begin());
}

Counting counting_for(const Look& look)
{
    Counting counting;
    counting.map = look.subject == Subject::picture && look.map != "off";
    if (look.subject == Subject::memory) counting.memory = look.memory;
    if (look.subject == Subject::request) counting.request = look.request;
    counting.sites = (counting.map || counting.memory) && look.map_automatic;
    return counting;
}

bool has_subject(const Stage& stage, const Look& look)
{
    switch (look.subject) {
    case Subject::picture: break;
    case Subject::memory: return stage.memory_map().taken().has_value();
    case Subject::request: return stage.trace().request.active != 0;
    }
    return true;
}

Scene::Placement draw_subject(Scene& scene, Stage& stage, const Look& look, const Caption& caption,
                              const render::PixelRect& viewport, float text_px)
{
    if (look.subject == Subject::memory)
        return draw_memory(scene, stage, look, caption, viewport, text_px);
    if (look.subject == Subject::request)
        return draw_request(scene, stage, look, caption, viewport, text_px);
    const auto map = map_overlay(stage, look);
    return scene.draw(*stage.picture(), stage.sharing(), look, caption, viewport, text_px,
                      map ? &*map : nullptr);
}

std::string site_title(const trace::Site& site)
{
    const std::string where =
        site.line > 0 ? fmt::format("line {}", site.line) : fmt::format("PTX {}", site.ptx_line);
    return fmt::format("{}: {} {}, {} bytes a lane", where, name(site.space), name(site.op),
                       site.width_bytes);
}

std::string warp_title(std::uint64_t warp, const Dim3& grid, const Dim3& block)
{
    const std::uint64_t warps_of_block = (block.count() + 31) / 32;
    const std::uint64_t linear = warp / warps_of_block;
    return fmt::format("block ({}, {}{}), warp {} of {}", linear % grid.x, linear / grid.x % grid.y,
                       grid.z > 1 ? fmt::format(", {}", linear / grid.x / grid.y) : "",
                       warp % warps_of_block, warps_of_block);
}

} // namespace lanescope::app
