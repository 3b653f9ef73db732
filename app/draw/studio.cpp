// An offscreen context and a worker that waits: each call returns when its steps are done.
#include "app/draw/studio.h"

#include "app/draw/maps.h"
#include "app/draw/picture_figure.h"
#include "app/draw/subjects/subject_kind.h"
#include "app/run/engine.h"

namespace lanescope::app {
Studio::Studio(const Session& session, const PictureFormat& format, double launch_limit_s)
    : start_(session), format_(format),
      context_(render::OffscreenOptions{.cuda_ordinal = drawing_gpu(session.device)}),
      worker_({.waits = true, .launch_limit_s = launch_limit_s})
{
    Counting counting = counting_for(session.look, labs::find(session.journal.start.lab));
    // What a result costs stands over it in the lecture mode, and as a change over both of A/B.
    counting.sites |= session.look.lecture || !session.look.compare.empty();
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

void Studio::advance(std::int64_t steps)
{
    worker_.step(steps);
    frame_ = worker_.settle();
}

render::Pixels Studio::draw_strips(const Strips::Strip& strip)
{
    strips_.begin(format_.size, samples_for(start_.look, labs::find(start_.journal.start.lab)),
                  strip);
    return strips_.rest();
}

render::Pixels Studio::draw()
{
    return draw_strips(strip_of(scene_, shown()));
}

void Studio::save_figure(const std::filesystem::path& path)
{
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
