// See shown.h.
#include "app/draw/shown.h"

#include <fmt/format.h>

#include "app/document/subject.h"
#include "app/export/table.h"

namespace lanescope::app {

int samples_for(const Look& look)
{
    const bool lines = look.subject == Subject::request || look.view == "curve";
    return lines || look.view == "surface" ? 4 : 1;
}

Caption caption_of(const Shown& shown)
{
    const Stage& stage = *shown.stage;
    const auto steps = static_cast<std::uint64_t>(stage.facts().steps);
    Caption caption{stage.lab().title + ": " + stage.variant().title,
                    fmt::format("step {}", grouped(steps))};
    if (!shown.rival) return caption;
    caption.title = fmt::format("{} | {}", stage.variant().title, shown.rival->variant().title);
    if (!shown.difference) {
        if (shown.look.difference) caption.detail += ", this view has no difference to show";
        return caption;
    }
    const std::string& unit = shown.difference->picture.unit;
    caption.detail +=
        fmt::format(", largest difference {}{}", significant(shown.difference->largest),
                    unit.empty() ? "" : " " + unit);
    return caption;
}

Scene::Placement draw_leader(Scene& scene, const Shown& shown, const render::PixelRect& viewport)
{
    if (shown.rival && shown.difference && shown.look.difference)
        return scene.draw(labs::Picture(shown.difference->picture), shown.stage->sharing(),
                          shown.look, caption_of(shown), viewport, shown.text_px);
    return draw_subject(scene, *shown.stage, shown.look, caption_of(shown), viewport,
                        shown.text_px);
}

void draw_rival(Scene& scene, const Shown& shown, const render::PixelRect& viewport)
{
    draw_subject(scene, *shown.rival, shown.look, caption_of(shown), viewport, shown.text_px);
}

bool beside_each_other(const Shown& shown)
{
    return shown.rival && !shown.look.difference;
}

Strips::Strip strip_of(Scene& scene, const Shown& shown)
{
    return [&scene, shown](const Strips::Shoot& shoot) {
        const render::Pixels leader =
            shoot([&](const render::PixelRect& viewport) { draw_leader(scene, shown, viewport); });
        if (!beside_each_other(shown)) return leader;
        const render::Pixels rival =
            shoot([&](const render::PixelRect& viewport) { draw_rival(scene, shown, viewport); });
        return beside(leader, rival, shown.look.swipe);
    };
}

} // namespace lanescope::app
