// Another experiment in the workbench, or the same afresh: what is shown stays until the next is
// ready, and the window goes on meanwhile. See workbench.h.
#include <imgui.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/measure/measured_roofs.h"
#include "app/window/workbench.h"

namespace lanescope::app {

// For the first picture there is nothing to go on with.
void Workbench::open_at_once(const Session& session)
{
    Opening opening({"the session",
                     [&] {
                         return Found{Arrival::session, session};
                     },
                     session.device},
                    nullptr);
    while (!opening.poll()) opening.wait_for(std::chrono::seconds(1));
    adopt(opening.take());
}

// The newest wish counts; it waits until what is under way has ended.
void Workbench::wish(Wish wish)
{
    wished_ = std::move(wish);
}

bool Workbench::opens_something() const
{
    return wished_ || opening_ || restart_wanted_;
}

// True while the device belongs to what is being opened.
bool Workbench::poll_opening()
{
    // A text field is active too, for as long as nobody leaves it: only the mouse holds.
    const bool held = ImGui::IsAnyItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Left);
    if (restart_wanted_ && !wished_ && !opening_ && !held) restart();
    if (wished_ && !opening_) {
        const auto idle = [](const std::unique_ptr<Stage>& stage) {
            return !stage || (!stage->busy() && !stage->sharing().mapped());
        };
        if (!idle(stage_) || !idle(rival_)) return true;
        opening_.emplace(*std::exchange(wished_, {}), engine_.device.get());
    }
    if (!opening_) return false;
    if (!opening_->poll()) return true;
    Opening ended = std::move(*opening_);
    opening_.reset();
    restart_wanted_ = false;
    return !guarded([&] { adopt_or_make_room(ended); });
}

// Where memory does not hold both, what is shown goes first.
void Workbench::adopt_or_make_room(Opening& ended)
{
    try {
        adopt(ended.take());
    } catch (const Error& error) {
        if (error.status() != ExitStatus::device_unavailable || !stage_ || ended.wish().engine)
            throw;
        rival_.reset();
        stage_.reset();
        wish(ended.wish());
    }
}

void Workbench::adopt(Opening::Ready ready)
{
    const Session& session = ready.found.session;
    const labs::Lab& lab = labs::find(session.journal.start.lab);
    start_ = session.journal.start;
    sweep_.keep_to(lab);
    variant_ = start_.variant;
    values_ = start_values(lab, start_);
    for (const Event& event : session.journal.events) {
        if (const auto* change = std::get_if<VariantChange>(&event.what)) variant_ = change->id;
        if (const auto* change = std::get_if<ParameterChange>(&event.what))
            values_->set(change->id, change->text);
    }
    rival_wanted_.reset();
    rival_ = std::move(ready.rival);
    stage_ = std::move(ready.stage);
    if (ready.engine) {
        engine_ = std::move(*ready.engine);
        readings_.roofs = {};
        if (!measured_roofs_.valid()) measured_roofs_ = measure_roofs_beside(*engine_.device);
        engine_choice_ = session.device;
    }
    if (ready.found.arrival == Arrival::session) {
        look_ = session.look;
        window_.set_fullscreen(look_.lecture);
        paused_ = session.journal.steps > 0;
    } else if (ready.found.arrival == Arrival::lab) {
        look_.pan_zoom = {};
        look_.memory.clear();
        look_.request = {};
        look_.compare.clear();
        paused_ = false;
    }
    if (ready.found.arrival != Arrival::restart) {
        if (std::ranges::find(lab.views, look_.view) == lab.views.end() ||
            ready.found.arrival == Arrival::lab)
            look_.view = lab.views.front();
        preset_ = SIZE_MAX;
        lesson_ = read_lesson(lab.lesson());
        window_.set_title("Lanescope: " + lab.title);
    }
    rate_steps_ = 0;
    error_.clear();
    difference_.reset();
    totals_.clear();
    works_.clear();
    counted_.clear();
    source_.clear();
}

// What is shown, from its start.
Session Workbench::fresh_session() const
{
    Session session{engine_choice_, {start_, {}, 0}, look_};
    session.journal.start.variant = variant_;
    session.journal.start.parameters = as_texts(lab(), *values_);
    return session;
}

void Workbench::restart()
{
    wish({lab().title,
          [session = fresh_session()] {
              return Found{Arrival::restart, session};
          },
          {}});
}

void Workbench::choose_engine(const std::string& choice)
{
    Wish wished{fmt::format("the engine {}", choice),
                [session = fresh_session(), choice]() mutable {
                    session.device = choice;
                    return Found{Arrival::restart, session};
                },
                choice};
    wish(std::move(wished));
}

void Workbench::choose_lab(const std::string& lab, const std::string& variant)
{
    Session session{engine_choice_, {{lab, variant, {}, start_.seed, start_.image}, {}, 0}, look_};
    session.look.compare.clear();
    wish({labs::find(lab).title, [session] { return Found{Arrival::lab, session}; }, {}});
}

void Workbench::next_lab(int by)
{
    const auto labs = labs::all();
    const auto now = std::ranges::find(labs, start_.lab, &labs::Lab::id) - labs.begin();
    const auto count = std::ssize(labs);
    const labs::Lab& next = labs[static_cast<std::size_t>((now + by + count) % count)];
    choose_lab(next.id, next.variants.front().id);
}

// A session, a picture that holds one, or else a picture for a lab that takes one.
void Workbench::open_file(const std::filesystem::path& file)
{
    wish({file.filename().string(),
          [file, session = fresh_session()] { return find_in_file(file, session); },
          {}});
}

} // namespace lanescope::app
