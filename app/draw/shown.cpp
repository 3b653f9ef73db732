// Words and layout of one side, of two side by side, and of their difference.
#include "app/draw/shown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/draw/predicted_step.h"
#include "app/draw/scene/maps.h"
#include "app/draw/subjects/subject_drawing.h"
#include "app/measure/measurements.h"
#include "compute/numbers.h"

namespace lanescope::app {

int samples_for(const Look& look, const labs::Lab& lab)
{
    const auto view = lab.kind_of_view(look.view);
    const bool smooth =
        shown_subject(look, lab).smooth_lines || (view && labs::traits(*view).smooth_lines);
    return smooth ? 4 : 1;
}

namespace {

// Why the sides may differ, if their records say so.
std::string differ_by_design(const Shown& shown)
{
    const SideFrame& a = shown.frame->a;
    const SideFrame& b = *shown.frame->b;
    if (a.right == b.right) return {};
    for (const SideFrame* side : {&a, &b})
        if (side->variant->wrong)
            return fmt::format("differs by design: {} demonstrates a bug", side->variant->title);
    return "differs by design: each computes its own result";
}

// "identical", or the distance between both sides and whether it is intended.
std::string difference_in_words(const Shown& shown)
{
    const auto& difference = shown.frame->difference;
    const std::string design = differ_by_design(shown);
    if (!difference) return shown.look.difference ? "no difference for this view" : design;
    if (difference->largest == 0) return "identical";
    const std::string& unit = std::get<labs::FieldPicture>(difference->picture.shape).unit;
    return fmt::format("largest difference {}{}{}", significant(difference->largest),
                       unit.empty() ? "" : " " + unit, design.empty() ? "" : ", " + design);
}

// Caption of one side of A/B: its name above its part of the picture, and common words below.
Caption caption_of_side(const Shown& shown, bool second)
{
    Caption caption = caption_of(shown);
    if (!shown.compares()) return caption;
    caption.number.clear();
    caption.title = (second ? *shown.frame->b : shown.frame->a).variant->title;
    (second ? caption.from : caption.to) = shown.look.swipe;
    if (!second) caption.other = shown.frame->b->variant->title;
    return caption;
}

} // namespace

Caption caption_of(const Shown& shown)
{
    const SideFrame& side = shown.frame->a;
    const auto steps = static_cast<std::uint64_t>(side.facts.steps);
    const std::string lab = shown.words.in_frame ? "" : side.lab->title + ": ";
    Caption caption{.title = lab + side.variant->title,
                    .detail = fmt::format("step {}", grouped(steps)),
                    .question = shown.words.question,
                    .lines = shown.words.lines,
                    .mark_em = shown.words.mark_em,
                    .hides_counts = shown.words.hides_counts,
                    .number = shown.words.number,
                    .meaning = shown.words.meaning,
                    .ideal = shown.words.ideal,
                    .recorded = shown.words.recorded,
                    .recorded_size = shown.words.recorded_size,
                    .fastest = shown.words.fastest,
                    .good = shown.words.good,
                    .neutral = shown.words.neutral};
    if (!shown.compares()) return caption;
    caption.title = fmt::format("{} − {}", side.variant->title, shown.frame->b->variant->title);
    caption.question.clear();
    caption.lines = CaptionLines::two;
    const std::string words = difference_in_words(shown);
    if (!words.empty()) caption.detail += ", " + words;
    if (shown.look.difference && shown.frame->difference && shown.frame->difference->largest == 0) {
        caption.number = "IDENTICAL";
        caption.meaning = "no element differs";
        caption.ideal.clear();
        caption.good = true;
    }
    return caption;
}

namespace {

// True if A/B shows both sides in full. Flat pictures of equal size are the exception: of these,
// each side shows only its part.
bool shows_whole_sides(const Shown& shown)
{
    if (!shown.compares() || shown.look.difference) return false;
    const SideFrame& a = shown.frame->a;
    const SubjectKind& kind = shown_subject(shown.look, *a.lab);
    if (kind.paint || kind.view_kind) return true;
    if (&kind != &picture_subject || !a.picture) return false;
    return labs::traits(a.picture->shape).is_chart ||
           std::holds_alternative<labs::CurvePicture>(a.picture->shape) ||
           a.picture->shape.index() != shown.frame->b->picture->shape.index();
}

SideTimes times_between(double from_ms, double to_ms, std::string origin)
{
    return {{format_time(from_ms), format_time(to_ms), "", to_ms < from_ms}, std::move(origin)};
}

SideTimes predicted_times(const Frame& frame)
{
    const auto a = predicted_step(frame, frame.a.variant->id);
    const auto b = predicted_step(frame, frame.b->variant->id);
    if (!a || !b) return {};
    return times_between(a->ms, b->ms, fmt::format("predicted for {}, per step", a->gpu));
}

// The values of the parameters on screen, as text by id.
std::map<std::string, std::string> values_of(const SideFrame& side)
{
    labs::Values values = start_values(*side.lab, *side.start);
    for (const Event& event : *side.events)
        if (const auto* change = std::get_if<ParameterChange>(&event.what))
            values.set(change->id, change->text);
    return as_texts(*side.lab, values);
}

// Times measured here or, without a clock, recorded on a GPU, or predicted for one.
SideTimes times_of(const Frame& frame)
{
    const std::string& from = frame.a.variant->id;
    const std::string& to = frame.b->variant->id;
    if (frame.engine.has_clock) {
        const Spread a = frame.step_ms(from);
        const Spread b = frame.step_ms(to);
        if (a.count == 0 || b.count == 0) return {};
        return times_between(a.median, b.median, "per step, medians of the last 10 s");
    }
    const auto recorded = shown_measurements(false);
    if (!recorded) return predicted_times(frame);
    for (const std::string& size : recorded->sizes_of(frame.a.lab->id, values_of(frame.a))) {
        const Measured* a = nullptr;
        const Measured* b = nullptr;
        for (const Measured* one : recorded->of(frame.a.lab->id, size)) {
            if (one->is_peer) continue;
            if (one->variant == from) a = one;
            if (one->variant == to) b = one;
        }
        if (!a || !b) continue;
        const std::string values = size_in_words(*frame.a.lab, *a);
        const auto frame_a = recorded->frame_ms(*a), frame_b = recorded->frame_ms(*b);
        const bool per_frame = frame_a && frame_b;
        return times_between(
            per_frame ? *frame_a : a->median_ms, per_frame ? *frame_b : b->median_ms,
            fmt::format("{}recorded on {}, {}{}{}", per_frame ? "per frame, " : "", a->on.device,
                        a->on.date, values.empty() ? "" : ", ", values));
    }
    return predicted_times(frame);
}

} // namespace

SteppedHits draw_stepped(Scene& scene, const Shown& shown, const render::PixelRect& viewport)
{
    return draw_stepping(scene, {shown.look, caption_of(shown), viewport, shown.text_px},
                         shown.stepped);
}

Scene::Placement draw_leader(Scene& scene, const Shown& shown, const render::PixelRect& viewport)
{
    if (covers_picture(shown.look.step)) {
        draw_stepped(scene, shown, viewport);
        return {};
    }
    Sheet sheet{shown.look, caption_of(shown), viewport, shown.text_px};
    if (shown.before) sheet.before = &shown.before->a;
    sheet.moved = shown.moved;
    if (!shown.compares()) return draw_subject({scene, shown.frame->a, sheet});
    const Frame& frame = *shown.frame;
    if (frame.difference && shown.look.difference) {
        // A heatmap is also drawn over the difference.
        const auto map = map_overlay(frame.a, shown.look, &*frame.b);
        return scene.draw(PictureShown{frame.difference->picture, map ? &*map : nullptr}, sheet);
    }
    const SideFrame* const before_b = shown.before && shown.before->b ? &*shown.before->b : nullptr;
    const Sides sides{frame.a, *frame.b, sheet.before, before_b};
    Sheet rest = draw_change(scene, sheet, sides, times_of(frame));
    if (shows_whole_sides(shown)) {
        draw_whole_sides(scene, rest, sides);
        return {};
    }
    rest.caption = caption_of_side(shown, false);
    return draw_subject({scene, frame.a, rest, &*frame.b});
}

void draw_comparison(Scene& scene, const Shown& shown, const render::PixelRect& viewport)
{
    const Frame& frame = *shown.frame;
    Sheet rest = draw_change(scene, {shown.look, caption_of(shown), viewport, shown.text_px},
                             {frame.a, *frame.b}, times_of(frame));
    rest.caption = caption_of_side(shown, true);
    draw_subject({scene, *frame.b, rest, &frame.a});
}

bool is_side_by_side(const Shown& shown)
{
    return shown.compares() && !covers_picture(shown.look.step) && !shown.look.difference &&
           !shows_whole_sides(shown);
}

render::Pixels beside(const render::Pixels& a, const render::Pixels& b, float divider)
{
    render::Pixels both = a;
    const int middle = std::clamp(
        static_cast<int>(std::lround(divider * static_cast<float>(a.width))), 0, a.width);
    const int line = std::max(1, a.width / 640);
    for (int y = 0; y < a.height; ++y) {
        const auto row = static_cast<std::ptrdiff_t>(y) * a.width * 3;
        std::copy(b.rgb.begin() + row + std::ptrdiff_t{3} * middle,
                  b.rgb.begin() + row + std::ptrdiff_t{3} * a.width,
                  both.rgb.begin() + row + std::ptrdiff_t{3} * middle);
        for (int x = std::max(0, middle - line); x < std::min(a.width, middle + line); ++x)
            std::fill_n(both.rgb.begin() + row + std::ptrdiff_t{3} * x, 3, std::uint8_t{255});
    }
    return both;
}

Strips::Strip strip_of(Scene& scene, const Shown& shown)
{
    Strips::Strip strip{{[&scene, shown](const render::PixelRect& viewport) {
        draw_leader(scene, shown, viewport);
    }}};
    if (!is_side_by_side(shown)) return strip;
    strip.drawings.emplace_back([&scene, shown](const render::PixelRect& viewport) {
        draw_comparison(scene, shown, viewport);
    });
    strip.join = [divider = shown.look.swipe](const std::vector<render::Pixels>& sides) {
        return beside(sides[0], sides[1], divider);
    };
    return strip;
}

} // namespace lanescope::app
