// Draws into render targets, which are reallocated only when their size changes.
#include "app/window/picture.h"

#include <glad/gl.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <variant>

#include "app/document/look/maps.h"
#include "app/draw/subjects/cost.h"
#include "app/draw/subjects/subject_kind.h"
#include "app/lessons/talk.h"
#include "app/window/panels/panels.h"
#include "app/window/plots/plots.h"
#include "render/gl/labels.h"

namespace lanescope::app {
namespace {

void fit(std::optional<render::gl::Target>& target, const Size& size, int samples)
{
    if (target && target->width() == size.width && target->height() == size.height) return;
    if (samples > 1)
        target.emplace(size.width, size.height, samples);
    else
        target.emplace(render::gl::Target::for_window(size.width, size.height));
}

} // namespace

namespace {

// True for a beat without a question if the next one asks about the same variant: the count that it
// asks for, or one that hints at it, must not be on screen.
bool precedes_question(const Presentation& presentation)
{
    const Beat* const now = presentation.now();
    if (!now || !now->question.empty()) return false;
    const auto& beats = presentation.talk->beats;
    if (presentation.beat + 1 >= beats.size()) return false;
    const Beat& next = beats[presentation.beat + 1];
    return !next.question.empty() && next.scene.lab == now->scene.lab &&
           next.scene.variant == now->scene.variant;
}

} // namespace

PictureWords picture_words(const Document& document, const Frame& frame, const Interaction& ui)
{
    const Look& look = document.look;
    const float mark_em = ui.captures.recording   ? recording_mark_em
                          : shows_pause(document) ? pause_mark_em
                                                  : 0;
    // A talk asks its own questions.
    const bool presents_talk = look.lecture && document.presentation.talk;
    PictureWords words{look.step.on    ? "Click an element to see where its value came from."
                       : presents_talk ? ""
                                       : document.lab().question,
                       presents_talk ? CaptionLines::one : CaptionLines::two, mark_em,
                       document.presentation.asks() || precedes_question(document.presentation)};
    // A timeline says where it was recorded.
    const bool shows_times =
        frame.a.picture && std::holds_alternative<labs::TimelinePicture>(frame.a.picture->shape) &&
        shown_subject(look, document.lab()).is_picture;
    if (!look.step.on && look.compare.empty() && !shows_times) {
        if (const auto recorded = recorded_time(document, frame, document.variant)) {
            words.recorded = recorded->time + " on " + recorded->device;
            words.recorded_size = recorded->size;
            // Without an ideal only the times say whether a cost is good; and a share of hits in a
            // cache is no cost. A heatmap does not change that, so that it does not move the
            // picture.
            const auto cost = cost_of(frame.a, look);
            if (cost && (!cost->ideal || caches_of_map(look.map)))
                words.fastest = fastest_words(document, frame);
        }
        if (const auto predicted = prediction_words(document, frame, document.variant);
            !predicted.empty()) {
            words.recorded += (words.recorded.empty() ? "" : " · ") + predicted;
            words.recorded_size.clear(); // the prediction is for the same values
        }
    }
    if (look.lecture) return words;
    words.in_frame = true;
    if (look.step.on || words.hides_counts) return words;
    Headline headline = headline_of(document, frame);
    words.number = std::move(headline.number);
    words.meaning = std::move(headline.meaning);
    words.neutral = headline.ideal.empty();
    words.ideal = std::move(headline.ideal);
    words.good = headline.good;
    return words;
}

Size Picture::size() const
{
    return target_ ? Size{target_->width(), target_->height()} : Size{};
}

namespace {

// True if the lanes of another variant or request of the same experiment are shown. The same
// request may access other bytes in the next step, because buffers are swapped; this is not
// considered a change.
bool shows_other_request(const SideFrame& then, const SideFrame& now)
{
    const trace::WatchedRequest& before = then.trace->request;
    const trace::WatchedRequest& after = now.trace->request;
    const auto place = [](const trace::WatchedRequest& one) {
        return std::tuple(one.site, one.warp, one.occurrence);
    };
    return then.lab == now.lab && before.active != 0 && after.active != 0 &&
           (then.variant != now.variant || place(before) != place(after));
}

} // namespace

// Starts animating the lanes when the request changes, and ends the animation after `way`.
void Picture::move(Shown& shown)
{
    using namespace std::chrono_literals;
    constexpr std::chrono::duration<float> way = 400ms;
    const auto now = std::chrono::steady_clock::now();
    if (shown.look.subject != Subject::request) {
        before_ = last_ = nullptr;
        return;
    }
    if (last_ && last_ != shown.frame && shows_other_request(last_->a, shown.frame->a)) {
        before_ = last_;
        moving_since_ = now;
    }
    last_ = shown.frame;
    if (!before_) return;
    const float moved = std::chrono::duration<float>(now - moving_since_) / way;
    shown.before = before_;
    shown.moved = std::min(moved, 1.0F);
    frame_ = 0; // forces a redraw
    if (moved >= 1) before_ = nullptr;
}

void Picture::draw(Shown shown, const Size& size, Interaction& ui)
{
    const auto& frame = shown.frame;
    const bool covers = covers_picture(shown.look.step);
    if (size.width <= 0 || size.height <= 0 || (!frame->a.picture && !covers)) return;
    // A comparison is redrawn only when both sides are at the same step.
    if (frame->b && !frame->together && target_ && !covers) return;
    move(shown);
    const bool known = stepped_ == shown.stepped && frame_ == frame->number &&
                       look_ == shown.look && text_px_ == shown.text_px && words_ == shown.words &&
                       target_ && target_->width() == size.width &&
                       target_->height() == size.height;
    if (known) return;
    const render::gl::DebugGroup group("picture");
    fit(target_, size, samples_);
    const render::PixelRect all{0, 0, size.width, size.height};
    both_ = is_side_by_side(shown);
    if (both_) {
        fit(beside_, size, samples_);
        beside_->bind();
        draw_comparison(scene_, shown, all);
    }
    target_->bind();
    if (covers) {
        ui.step_hits = draw_stepped(scene_, shown, all);
        ui.placement.reset();
    } else {
        ui.placement = draw_leader(scene_, shown, all);
    }
    stepped_ = shown.stepped;
    ui.beside = !covers && shown.compares() && (both_ || shown.look.difference);
    frame_ = frame->number;
    look_ = shown.look;
    text_px_ = shown.text_px;
    words_ = shown.words;
}

render::PixelRect Picture::show(int left, int top, int window_height, const Look& look) const
{
    if (!target_) return {};
    const int width = target_->width();
    const int height = target_->height();
    const int above = window_height - top; // OpenGL counts rows from the bottom
    const auto blit = [&](const render::gl::Target& target, int from) {
        glBlitNamedFramebuffer(target.resolve(), 0, from, 0, width, height, left + from,
                               above - height, left + width, above, GL_COLOR_BUFFER_BIT,
                               GL_NEAREST);
    };
    const render::PixelRect shown{left, above - height, width, height};
    blit(*target_, 0);
    if (!both_ || !beside_ || beside_->width() != width || beside_->height() != height)
        return shown;
    const auto middle = std::lround(look.swipe * static_cast<float>(width));
    blit(*beside_, std::clamp(static_cast<int>(middle), 0, width));
    return shown;
}

} // namespace lanescope::app
