// A/B in the workbench: a second variant lives through the same, one frame behind the first; both
// are shown when they stand at the same step. See workbench.h.
#include <imgui.h>

#include <glad/gl.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/document/subject.h"
#include "app/window/workbench.h"

namespace lanescope::app {

// The stage follows as soon as neither side is at work.
void Workbench::choose_rival(const std::string& variant)
{
    look_.compare = variant;
    rival_wanted_ = variant;
}

// True while a rival is being exchanged or started: the leader waits.
bool Workbench::exchange_rival()
{
    if (rival_wanted_) {
        if (stage_->busy() || (rival_ && (rival_->busy() || rival_->sharing().mapped())))
            return true;
        const std::string variant = *std::exchange(rival_wanted_, {});
        difference_.reset();
        drawn_look_.reset();
        rival_.reset();
        if (!variant.empty())
            rival_ =
                std::make_unique<Stage>(*engine_.device, rival_journal(stage_->journal(), variant));
    }
    try {
        return rival_ && !rival_->started();
    } catch (...) {
        rival_.reset();
        look_.compare.clear();
        throw;
    }
}

// Off → the next rung → off.
void Workbench::toggle_rival()
{
    if (!look_.compare.empty()) {
        choose_rival("");
        return;
    }
    const auto& variants = lab().variants;
    const auto now = std::ranges::find(variants, variant_, &labs::Variant::id);
    const bool last = now == variants.end() || now + 1 == variants.end();
    if (variants.size() > 1) choose_rival(last ? variants.front().id : (now + 1)->id);
}

// True when there is a rival that has not caught up: the leader waits, and the picture too.
bool Workbench::follow_with_rival()
{
    if (exchange_rival()) return true;
    if (!rival_ || !stage_->picture()) return false;
    if (rival_->sharing().mapped()) return true;
    const std::int64_t behind =
        rival_->replaying() ? rival_->replay_steps_left() : launches_behind(*rival_, *stage_);
    const Counting wanted = counting();
    const bool counts_anew = wanted.any() && rival_->counted() != wanted;
    const bool due = behind > 0 || rival_->has_pending() || !rival_->picture() ||
                     rival_view_ != look_.view || counts_anew;
    if (!due) return false;
    rival_view_ = look_.view;
    FramePlan plan{.steps = behind, .budget = {}, .view = look_.view, .counting = wanted};
    if (rival_->replaying()) plan.budget = std::chrono::milliseconds(12);
    work_since_ = std::chrono::steady_clock::now();
    rival_->begin_frame(plan);
    return true;
}

void Workbench::collect_rival()
{
    if (!rival_ || !rival_->collect()) return;
    note_counts(*rival_);
    drawn_look_.reset();
    difference_.reset();
    new_picture_ = side_by_side();
}

// Both stand still, at the same step.
bool Workbench::side_by_side() const
{
    return rival_ && rival_->picture() && !rival_->sharing().mapped() && !rival_->replaying() &&
           launches_behind(*rival_, *stage_) == 0;
}

Shown Workbench::shown(float text_px)
{
    Stage* rival = side_by_side() ? rival_.get() : nullptr;
    return {stage_.get(), rival, difference_ ? &*difference_ : nullptr, look_, text_px};
}

void Workbench::draw_beside(const Shown& both, const render::PixelRect& all)
{
    if (!rival_target_ || rival_target_->width() != all.width ||
        rival_target_->height() != all.height)
        rival_target_.emplace(all.width, all.height, window_.info().software ? 1 : 4);
    rival_target_->bind();
    draw_rival(scene_, both, all);
}

// The part right of the divider, over what has been shown of the leader.
void Workbench::show_rival(const Area& area, int window_height)
{
    if (!rival_ || !rival_target_ || look_.difference) return;
    const int width = rival_target_->width();
    const int height = rival_target_->height();
    const int middle = std::clamp(
        static_cast<int>(std::lround(look_.swipe * static_cast<float>(width))), 0, width);
    const int x = static_cast<int>(area.at.x);
    const int top = window_height - static_cast<int>(area.at.y);
    glBlitNamedFramebuffer(rival_target_->resolve(), 0, middle, 0, width, height, x + middle,
                           top - height, x + width, top, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

// The divider follows the mouse when it is taken hold of; true while it is.
bool Workbench::drag_divider(const PanelStyle& style, const Area& area)
{
    if (!rival_ || look_.difference) return false;
    const float x = area.at.x + look_.swipe * area.size.x;
    const ImU32 ink = ImGui::GetColorU32(style.palette.text);
    ImDrawList& draw = *ImGui::GetBackgroundDrawList();
    float top = area.at.y; // or below the caption, where the picture's place is known
    if (placement_)
        top +=
            area.size.y - static_cast<float>(placement_->viewport.y + placement_->viewport.height);
    draw.AddLine({x, top}, {x, area.at.y + area.size.y}, ink, style.em * 0.12F);
    draw.AddCircleFilled({x, area.at.y + area.size.y / 2}, style.em * 0.5F, ink);
    const ImGuiIO& io = ImGui::GetIO();
    const bool near = area.contains(io.MousePos) && std::abs(io.MousePos.x - x) < style.em * 0.7F;
    if (near) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    if (near && !io.WantCaptureMouse && ImGui::IsMouseClicked(ImGuiMouseButton_Left))
        divider_held_ = true;
    if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) divider_held_ = false;
    if (divider_held_)
        look_.swipe = std::clamp((io.MousePos.x - area.at.x) / area.size.x, 0.0F, 1.0F);
    return divider_held_;
}

} // namespace lanescope::app
