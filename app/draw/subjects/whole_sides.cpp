// A/B of what is painted: both sides whole, the same access or warp in each, and over them the
// change of what they cost.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/draw/subjects/subject_drawing.h"
#include "render/views/paint/words.h"

namespace lanescope::app {
namespace {

using render::Box;

void skip(Box& box, float height)
{
    box.y += height;
    box.height -= height;
}

struct Pen {
    render::Painter& painter;
    const render::Theme& theme;
    float text_px;

    // Gives where it ends.
    float word(glm::vec2 at, const std::string& words, render::TextStyle style) const
    {
        painter.text(at, words, style);
        return at.x + painter.text_width(words, style);
    }
    float change(glm::vec2 at, const PaidChange& change, float size_px) const
    {
        const auto style = [&](render::Colour colour) {
            return render::TextStyle{std::round(size_px), colour, true};
        };
        const float gap = 0.4F * size_px;
        at.x = word(at, change.from, style(theme.series[1])) + gap;
        at.x = word(at, "→", style(theme.muted)) + gap;
        return word(at, change.to, style(theme.series[change.good ? 2 : 1])) + gap;
    }
};

// The lab at the left, the change beside it.
void draw_head(const Pen& pen, const Box& box, const SideFrame& a, const SideFrame& b,
               const Look& look)
{
    const render::TextStyle title{std::round(1.3F * pen.text_px), pen.theme.text, true};
    const render::TextStyle quiet{pen.text_px, pen.theme.muted};
    const float end = pen.word({box.x, box.y + 1.2F * pen.text_px}, a.lab->title, title);
    const std::string question =
        fitted(pen.painter, shown_subject(look, *a.lab).question, 0.42F * box.width, quiet);
    const float under = pen.word({box.x, box.y + 2.6F * pen.text_px}, question, quiet);
    const auto from = cost_of(a, look);
    const auto to = cost_of(b, look);
    if (!from || !to) return;
    const PaidChange change = change_between(*from, *to);
    const float left = std::max({end, under, box.x + 0.3F * box.width}) + 1.5F * pen.text_px;
    const float after = pen.change({left, box.y + 2.2F * pen.text_px}, change, 2.6F * pen.text_px);
    const float room = box.right() - after;
    const render::TextStyle unit{std::round(1.2F * pen.text_px), pen.theme.text};
    if (!change.unit.empty())
        pen.word({after, box.y + 1.2F * pen.text_px}, fitted(pen.painter, change.unit, room, unit),
                 unit);
    const std::string meaning =
        from->meaning == to->meaning ? from->meaning : from->meaning + "; " + to->meaning;
    pen.word({after, box.y + 2.5F * pen.text_px}, fitted(pen.painter, meaning, room, quiet), quiet);
}

void draw_side(const Pen& pen, Box box, const SideFrame& side, const Look& look)
{
    const SubjectKind& kind = shown_subject(look, *side.lab);
    const render::TextStyle title{std::round(1.15F * pen.text_px), pen.theme.text, true};
    const render::TextStyle quiet{pen.text_px, pen.theme.muted};
    const float end = pen.word({box.x, box.y + pen.text_px},
                               fitted(pen.painter, side.variant->title, box.width, title), title);
    const auto cost = cost_of(side, look);
    if (cost) {
        const bool ideal = cost->is_ideal();
        const render::TextStyle style{pen.text_px, pen.theme.series[ideal ? 2 : 1]};
        const std::string words = ideal ? "ideal: " + cost->amount() : cost->amount();
        pen.word({end + pen.text_px, box.y + pen.text_px},
                 fitted(pen.painter, words, box.right() - end - pen.text_px, style), style);
    }
    const std::string where = kind.where(side, look);
    pen.word({box.x, box.y + 2.3F * pen.text_px}, fitted(pen.painter, where, box.width, quiet),
             quiet);
    skip(box, 2.8F * pen.text_px);
    kind.paint({side, look, pen.painter, box, pen.theme, pen.text_px});
}

} // namespace

Scene::Placement draw_whole_sides(const SubjectDrawing& drawing, const SideTimes& times)
{
    const SideFrame& a = drawing.side;
    const SideFrame& b = *drawing.beside;
    Sheet sheet = drawing.sheet;
    const bool hides = sheet.caption.hides_counts;
    sheet.caption = {};
    return drawing.scene.paint(sheet, [&](const Scene::Paper& paper) {
        const Pen pen{paper.painter, paper.theme, sheet.text_px};
        Box box = paper.inside;
        if (!hides) {
            draw_head(pen, box, a, b, sheet.look);
            skip(box, 3.2F * pen.text_px);
        }
        if (!hides && !times.change.from.empty()) {
            box.height -= 2.3F * pen.text_px;
            const float line = box.bottom() + 1.8F * pen.text_px;
            const float after = pen.change({box.x, line}, times.change, 1.8F * pen.text_px);
            const render::TextStyle quiet{pen.text_px, pen.theme.muted};
            pen.word({after, line}, fitted(pen.painter, times.origin, box.right() - after, quiet),
                     quiet);
        }
        const float gap = 1.2F * pen.text_px;
        const float width = (box.width - gap) / 2;
        draw_side(pen, {box.x, box.y, width, box.height}, a, sheet.look);
        draw_side(pen, {box.x + width + gap, box.y, width, box.height}, b, sheet.look);
        pen.painter.fill({box.x + width + gap / 2, box.y, 1, box.height}, pen.theme.grid);
    });
}

} // namespace lanescope::app
