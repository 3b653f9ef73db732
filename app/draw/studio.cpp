// An offscreen context and a synchronous worker: each call returns when its steps are done.
#include "app/draw/studio.h"

#include "app/draw/picture_figure.h"
#include "app/draw/scene/maps.h"
#include "app/draw/subjects/subject_kind.h"
#include "app/run/debug/debugger.h"
#include "app/run/engine/engine.h"

namespace lanescope::app {
Studio::Studio(const Session& session, const PictureFormat& format, double launch_limit_s)
    : start_(session), format_(format),
      context_(render::OffscreenOptions{.cuda_ordinal = drawing_gpu(session.device)}),
      worker_({.waits = true, .launch_limit_s = launch_limit_s})
{
    Counting counting = counting_for(session.look, labs::find(session.journal.start.lab));
    counting.sites |= shows_cost_header(session.look);
    const auto find = [session] { return Found{Arrival::session, session}; };
    const std::uint64_t opened = worker_.open({"the session", find, session.device});
    worker_.tell({.opened = opened,
                  .running = false,
                  .view = session.look.view,
                  .counting = std::move(counting),
                  .compare = session.look.compare,
                  .difference = true,
                  .sweep = {}});
    frame_ = worker_.settle();
}

Studio::~Studio() = default;

void Studio::advance(std::int64_t steps)
{
    worker_.step(steps);
    frame_ = worker_.settle();
    stepped_ = {};
    debugger_.reset();
}

// Steps to the session's position in the launch.
void Studio::step_to()
{
    const StepChoice& step = start_.look.step;
    if (!step.on || stepped_.frame) return;
    debugger_ = std::make_unique<Debugger>(debug_start(frame_->a, step));
    if (step.launch > 0) debugger_->move({.kind = StepMove::Kind::launch, .count = step.launch});
    while (debugger_->explore(std::uint64_t{1} << 20))
        continue; // to the end, so that the timeline covers the whole launch
    std::vector<Breakpoint> breakpoints;
    for (const int line : step.breakpoints) breakpoints.push_back({line, {}, {}, {}});
    debugger_->set_breakpoints(std::move(breakpoints));
    if (step.warp >= 0) debugger_->show_warp(step.warp);
    if (step.position == 0 && step.to_line > 0) debugger_->move(first_of_line(step));
    if (step.position > 1) {
        debugger_->move({.kind = StepMove::Kind::position, .count = step.position - 1});
        debugger_->frame(); // to mark the last instruction's changes
    }
    if (step.position > 0)
        debugger_->move({.kind = StepMove::Kind::position, .count = step.position});
    stepped_.frame = debugger_->frame();
}

bool Studio::step(const StepMove& move)
{
    step_to();
    debugger_->move(move_of_warp(move, *stepped_.frame, start_.look.step.warp));
    stepped_.frame = debugger_->frame();
    return !stepped_.frame->at_end;
}

Shown Studio::shown() const
{
    return {.frame = frame_,
            .look = start_.look,
            .text_px = format_.text_px,
            .words = {},
            .before = {},
            .moved = 1,
            .stepped = stepped_};
}

render::Pixels Studio::draw_strips(const Strips::Strip& strip)
{
    strips_.begin(format_.size, samples_for(start_.look, labs::find(start_.journal.start.lab)),
                  strip);
    return strips_.rest();
}

render::Pixels Studio::draw()
{
    step_to();
    return draw_strips(strip_of(scene_, shown()));
}

void Studio::save_figure(const std::filesystem::path& path)
{
    step_to();
    const Shown all = shown();
    const render::Pixels wordless = draw_strips(wordless_strip_of(scene_, all));
    app::save_figure(path, wordless, *words_of(scene_, all, format_.size),
                     view_theme(start_.look.theme));
}

Session Studio::session() const
{
    Session session{start_.device, frame_->a.journal(), start_.look};
    session.picture = format_;
    return session;
}

} // namespace lanescope::app
