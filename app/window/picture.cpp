// Targets are remade when their size changes only.
#include "app/window/picture.h"

#include <glad/gl.h>

#include <algorithm>
#include <cmath>

#include "app/window/panels/panels.h"
#include "render/gl/labels.h"

namespace lanescope::app {
namespace {

void fit(std::optional<render::gl::Target>& target, const Size& size, int samples)
{
    if (!target || target->width() != size.width || target->height() != size.height)
        target.emplace(size.width, size.height, samples);
}

} // namespace

PictureWords words_over(const Document& document, const Interaction& ui)
{
    const float mark_em = ui.captures.recording ? recording_mark_em
                          : document.paused     ? pause_mark_em
                                                : 0;
    // A talk has questions of its own.
    const bool of_talk = document.look.lecture && document.giving.talk;
    return {of_talk ? "" : document.lab().question, of_talk ? CaptionLines::one : CaptionLines::two,
            mark_em, document.giving.asks()};
}

Size Picture::size() const
{
    return target_ ? Size{target_->width(), target_->height()} : Size{};
}

void Picture::draw(const Shown& shown, const Size& size, Interaction& ui)
{
    const auto& frame = shown.frame;
    if (size.width <= 0 || size.height <= 0 || !frame->a.picture) return;
    // A comparison is shown of one step, or as it was.
    if (frame->b && !frame->together && target_) return;
    const bool known = frame_ == frame->number && look_ == shown.look &&
                       text_px_ == shown.text_px && words_ == shown.words && target_ &&
                       target_->width() == size.width && target_->height() == size.height;
    if (known) return;
    const render::gl::DebugGroup group("picture");
    fit(target_, size, samples_);
    const render::PixelRect all{0, 0, size.width, size.height};
    both_ = beside_each_other(shown);
    if (both_) {
        fit(beside_, size, samples_);
        beside_->bind();
        draw_comparison(scene_, shown, all);
    }
    target_->bind();
    ui.placement = draw_leader(scene_, shown, all);
    ui.beside = shown.compares() && (both_ || shown.look.difference);
    frame_ = frame->number;
    look_ = shown.look;
    text_px_ = shown.text_px;
    words_ = shown.words;
}

void Picture::show(int left, int top, int window_height, const Look& look) const
{
    if (!target_) return;
    const int width = target_->width();
    const int height = target_->height();
    const int above = window_height - top; // OpenGL counts rows from below
    const auto blit = [&](const render::gl::Target& target, int from) {
        glBlitNamedFramebuffer(target.resolve(), 0, from, 0, width, height, left + from,
                               above - height, left + width, above, GL_COLOR_BUFFER_BIT,
                               GL_NEAREST);
    };
    blit(*target_, 0);
    if (!both_ || !beside_ || beside_->width() != width || beside_->height() != height) return;
    const auto middle = std::lround(look.swipe * static_cast<float>(width));
    blit(*beside_, std::clamp(static_cast<int>(middle), 0, width));
}

} // namespace lanescope::app
