// A/B with both sides in full, showing the same access, warp or block, above their most expensive
// source line; the change of cost above, of time below.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/draw/subjects/reasons.h"
#include "app/draw/subjects/subject_drawing.h"
#include "render/views/paint/words.h"

namespace lanescope::app {
namespace {

using render::Box;
using render::PixelRect;

constexpr float head_em = 3.3F;
constexpr float foot_em = 2.3F;
constexpr float reason_em = 2.9F; // two lines
constexpr float min_em = 11;      // minimum height left for the two sides

struct Pen {
    render::Painter& painter;
    const render::Theme& theme;
    float text_px;

    // Returns the x coordinate of the end.
    float word(glm::vec2 at, const std::string& words, render::TextStyle style) const
    {
        painter.text(at, words, style);
        return at.x + painter.text_width(words, style);
    }
    float change_width(const PaidChange& change, float size_px) const
    {
        const auto wide = [&](const std::string& words) {
            return painter.text_width(words, {std::round(size_px), theme.text, true}) +
                   0.4F * size_px;
        };
        return wide(change.from) + wide("→") + wide(change.to);
    }
    // `from_ideal`: the starting value is already ideal.
    float change(glm::vec2 at, const PaidChange& change, float size_px,
                 bool from_ideal = false) const
    {
        const auto style = [&](render::Colour colour) {
            return render::TextStyle{std::round(size_px), colour, true};
        };
        const float gap = 0.4F * size_px;
        at.x = word(at, change.from, style(theme.series[from_ideal ? 2 : 1])) + gap;
        at.x = word(at, "→", style(theme.muted)) + gap;
        return word(at, change.to, style(theme.series[change.good ? 2 : 1])) + gap;
    }
};

// A horizontal band of the picture, offset from its top edge.
struct Part {
    PixelRect viewport;
    glm::vec2 words_origin{0, 0};

    Part rows(float from, float height) const
    {
        const int top = static_cast<int>(std::lround(from));
        const int rows = std::max(1, static_cast<int>(std::lround(height)));
        return {{viewport.x, viewport.y + viewport.height - top - rows, viewport.width, rows},
                {words_origin.x, words_origin.y + static_cast<float>(top)}};
    }
    Part half(bool second) const
    {
        const int left = viewport.width / 2;
        Part part = *this;
        part.viewport.width = second ? viewport.width - left : left;
        if (!second) return part;
        part.viewport.x += left;
        part.words_origin.x += static_cast<float>(left);
        return part;
    }
};

Sheet sheet_in(const Part& part, const Sheet& whole)
{
    return {whole.look, {}, part.viewport, whole.text_px, part.words_origin};
}

// Text common to both sides: their location if they share it, or else the question.
std::string common_text(const Sides& sides, const Look& look)
{
    const SubjectKind& kind = shown_subject(look, *sides.a.lab);
    const auto where = [&](const SideFrame& side) {
        return kind.where ? kind.where(side, look) : std::string();
    };
    std::string words = where(sides.a);
    if (words.empty() || words != where(sides.b))
        words = kind.is_picture ? sides.a.lab->question : kind.question;
    return words;
}

// A change followed by its unit, and below it the meaning and whether it is ideal.
struct Headline {
    PaidChange change;
    std::string meaning;
    std::string ideal;
    float size_px = 0; // text size of the change

    static render::TextStyle unit_style(const Pen& pen)
    {
        return {std::round(1.2F * pen.text_px), pen.theme.text};
    }
    static render::TextStyle ideal_style(const Pen& pen)
    {
        return {pen.text_px, pen.theme.series[2], true};
    }
    float width(const Pen& pen) const { return pen.change_width(change, size_px) + beside(pen); }
    float beside(const Pen& pen) const
    {
        const render::TextStyle quiet{pen.text_px, pen.theme.muted};
        const std::string joint = meaning.empty() || ideal.empty() ? "" : " · ";
        return std::max(pen.painter.text_width(change.unit, unit_style(pen)),
                        pen.painter.text_width(meaning + joint, quiet) +
                            pen.painter.text_width(ideal, ideal_style(pen)));
    }
    void draw(const Pen& pen, glm::vec2 at, bool from_ideal) const
    {
        const render::TextStyle quiet{pen.text_px, pen.theme.muted};
        const float upper = at.y + 1.2F * pen.text_px;
        const float lower = at.y + 2.6F * pen.text_px;
        const float after =
            pen.change({at.x, at.y + 2.2F * pen.text_px}, change, size_px, from_ideal);
        pen.word({after, upper}, change.unit, unit_style(pen));
        const float end = meaning.empty() ? after : pen.word({after, lower}, meaning, quiet);
        if (!ideal.empty())
            pen.word({meaning.empty() ? end : pen.word({end, lower}, " · ", quiet), lower}, ideal,
                     ideal_style(pen));
    }
};

// Draws the caption's number, which is not a cost of either side, at the right of the box; returns
// the width used.
float draw_number(const Pen& pen, const Box& box, const Caption& caption)
{
    if (caption.number.empty()) return 0;
    const render::TextStyle large{std::round(2 * pen.text_px), pen.theme.mark, true,
                                  render::Align::right};
    const render::TextStyle quiet{pen.text_px, pen.theme.muted, false, render::Align::right};
    const float gap = 1.5F * pen.text_px;
    const float number = pen.painter.text_width(caption.number, large) + gap;
    if (number > 0.6F * box.width) return 0;
    pen.painter.text({box.right(), box.y + 1.5F * pen.text_px}, caption.number, large);
    const float meaning = pen.painter.text_width(caption.meaning, quiet) + gap;
    if (meaning > 0.6F * box.width) return number;
    pen.painter.text({box.right(), box.y + 2.7F * pen.text_px}, caption.meaning, quiet);
    return std::max(number, meaning);
}

// Draws the lab's title at the left, the common text below it, and the change beside them. If there
// is not enough room, the change shrinks, and finally is drawn alone.
void draw_header(const Pen& pen, const Box& box, const Sides& sides, const Sheet& sheet)
{
    const Look& look = sheet.look;
    const auto from = cost_of(sides.a, look);
    const auto to = cost_of(sides.b, look);
    const std::string& lab = sides.a.lab->title;
    const std::string below = common_text(sides, look);
    const render::TextStyle title{std::round(1.3F * pen.text_px), pen.theme.text, true};
    const render::TextStyle quiet{pen.text_px, pen.theme.muted};
    const float below_px = pen.painter.text_width(below, quiet);
    const float upper = box.y + 1.2F * pen.text_px;
    const float lower = box.y + 2.6F * pen.text_px;
    if (!from || !to) {
        const float room = box.width - draw_number(pen, box, sheet.caption);
        pen.word({box.x, upper}, fitted(pen.painter, lab, room, title), title);
        if (below_px <= room) pen.word({box.x, lower}, below, quiet);
        return;
    }
    Headline headline{change_between(*from, *to), from->meaning == to->meaning ? to->meaning : "",
                      "", 2.6F * pen.text_px};
    if (to->is_ideal() && !headline.change.unit.empty()) headline.ideal = "ideal";
    const float gap = 1.5F * pen.text_px;
    float named = pen.painter.text_width(lab, title) + gap;
    const auto too_wide = [&] { return named + headline.width(pen) > box.width; };
    if (too_wide()) headline.size_px = 2 * pen.text_px;
    if (too_wide()) headline.meaning.clear();
    if (too_wide()) named = 0;
    if (too_wide())
        headline.size_px =
            std::max(pen.text_px, headline.size_px * box.width / headline.width(pen));
    float left = box.x;
    if (named > 0) {
        pen.word({box.x, upper}, lab, title);
        const float wide = headline.width(pen);
        left = std::max(box.x + named, box.x + 0.28F * box.width);
        if (left + wide > box.right()) left = box.x + named;
        const bool shows_lower_line = below_px + gap <= left - box.x ||
                                      std::max(left, box.x + below_px + gap) + wide <= box.right();
        if (shows_lower_line) {
            left = std::max(left, box.x + below_px + gap);
            pen.word({box.x, lower}, below, quiet);
        } else {
            left = std::max(box.x + named, box.right() - wide);
        }
    }
    headline.draw(pen, {left, box.y}, from->is_nearly_ideal());
}

// Draws the change of the time, as large as fits.
void draw_footer(const Pen& pen, const Box& box, const SideTimes& times)
{
    const render::TextStyle quiet{pen.text_px, pen.theme.muted};
    const float origin = pen.painter.text_width(times.origin, quiet);
    float size = 2 * pen.text_px;
    bool all = pen.change_width(times.change, size) + origin <= box.width;
    if (!all) {
        size = 1.6F * pen.text_px;
        all = pen.change_width(times.change, size) + origin <= box.width;
    }
    const float line = box.y + 1.7F * pen.text_px;
    const float after = pen.change({box.x, line}, times.change, size);
    if (all) {
        pen.word({after, line}, times.origin, quiet);
        return;
    }
    // Breaks the times' origin into two lines, and drops trailing parts that do not fit.
    std::string origin_words = times.origin;
    const auto broken = [&] {
        return render::broken(pen.painter, origin_words, box.right() - after, quiet);
    };
    auto lines = broken();
    constexpr std::string_view between = ", "; // a comma without a space groups digits
    while (lines.size() > 2 && origin_words.find(between) != std::string::npos) {
        origin_words.erase(origin_words.rfind(between));
        lines = broken();
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(lines.size(), 2); ++i)
        pen.word({after, box.y + (0.9F + 1.2F * static_cast<float>(i)) * pen.text_px}, lines[i],
                 quiet);
}

void draw_reason(const Pen& pen, const Box& box, const std::string& reason)
{
    const render::TextStyle plain{pen.text_px, pen.theme.text};
    float line = box.y + 1.0F * pen.text_px;
    const auto lines = render::broken(pen.painter, "Costliest: " + reason, box.width, plain);
    for (std::size_t i = 0; i < std::min<std::size_t>(lines.size(), 2); ++i) {
        pen.word({box.x, line}, lines[i], plain);
        line += 1.25F * pen.text_px;
    }
}

} // namespace

Sheet draw_change(Scene& scene, const Sheet& sheet, const Sides& sides, const SideTimes& times)
{
    const Part whole{sheet.viewport, sheet.words_origin};
    const auto height = static_cast<float>(sheet.viewport.height);
    const float text_px = sheet.text_px;
    float head = 0;
    float foot = 0;
    if (!sheet.caption.hides_counts && height > (min_em + head_em) * text_px)
        head = head_em * text_px;
    if (head > 0 && !times.change.from.empty() && height > (min_em + head_em + foot_em) * text_px)
        foot = (foot_em + 0.4F) * text_px;
    const auto pen = [&](const Scene::Paper& paper) {
        return Pen{paper.painter, paper.theme, text_px};
    };
    if (head > 0)
        scene.paint(sheet_in(whole.rows(0, head + 0.4F * text_px), sheet),
                    [&](const Scene::Paper& paper) {
                        Box box = paper.inside; // left of the mark
                        box.width -= sheet.caption.mark_em * text_px;
                        draw_header(pen(paper), box, sides, sheet);
                    });
    if (foot > 0)
        scene.paint(
            sheet_in(whole.rows(height - foot, foot), sheet),
            [&](const Scene::Paper& paper) { draw_footer(pen(paper), paper.inside, times); });
    const float top = head > 0 ? head + 0.4F * text_px : 0;
    const Part middle = whole.rows(top, height - top - foot);
    Sheet rest = sheet_in(middle, sheet);
    rest.caption = sheet.caption;
    rest.before = sheet.before;
    rest.moved = sheet.moved;
    return rest;
}

void draw_whole_sides(Scene& scene, const Sheet& sheet, const Sides& sides)
{
    const Part whole{sheet.viewport, sheet.words_origin};
    const float text_px = sheet.text_px;
    const auto height = static_cast<float>(sheet.viewport.height);
    const SubjectKind& kind = shown_subject(sheet.look, *sides.a.lab);
    const std::string where = kind.where ? kind.where(sides.a, sheet.look) : "";
    const bool same_place = kind.where && where == kind.where(sides.b, sheet.look);
    for (const SideFrame* side : {&sides.a, &sides.b}) {
        const Part half = whole.half(side == &sides.b);
        const auto reasons =
            sheet.caption.hides_counts ? std::vector<std::string>() : reasons_of(*side);
        const bool shows_reasons = !reasons.empty() && height > (min_em + reason_em) * text_px;
        const float below = shows_reasons ? reason_em * text_px : 0;
        if (shows_reasons)
            scene.paint(sheet_in(half.rows(height - below, below), sheet), [&](const Scene::Paper&
                                                                                   paper) {
                draw_reason({paper.painter, paper.theme, text_px}, paper.inside, reasons.front());
            });
        Sheet own = sheet_in(half.rows(0, height - below), sheet);
        own.caption.title = side->variant->title;
        own.caption.lines = CaptionLines::two;
        own.caption.hides_counts = sheet.caption.hides_counts;
        own.caption.is_one_side = true;
        own.before = side == &sides.a ? sides.before_a : sides.before_b;
        own.moved = sheet.moved;
        if (!same_place && kind.where) own.caption.detail = kind.where(*side, sheet.look);
        draw_subject({scene, *side, own, side == &sides.a ? &sides.b : &sides.a});
    }
}

} // namespace lanescope::app
