// See workbench.h. A frame: collect what was computed → draw it into a target of its own → widgets
// → swap → begin the next frame's work. While work is under way the last picture stays.
#include "app/window/workbench.h"

#include <GLFW/glfw3.h>
#include <glad/gl.h>
#include <malloc.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <thread>

#include "app/document/last_session.h"
#include "app/document/subject.h"
#include "app/measure/ratios.h"
#include "app/window/mouse.h"
#include "render/capture/file.h"
#include "render/gl/census.h"

namespace lanescope::app {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::duration<double> simt_budget = 12ms; // of steps between two pictures
constexpr double cuda_budget_ms = 8;

render::WindowOptions window_options(const WorkbenchOptions& options)
{
    const Size parsed = parse_size(options.size);
    return {.width = parsed.width, .height = parsed.height, .debug = options.check};
}

// What the program holds: a leak shows as growth. Of the heap what is in use, because how much of
// the rest the allocator keeps differs from run to run.
nlohmann::ordered_json holdings()
{
    const struct mallinfo2 heap = mallinfo2();
    const auto descriptors =
        std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
    return {{"heap_mb", static_cast<double>(heap.uordblks + heap.hblkhd) / (1 << 20)},
            {"descriptors", descriptors},
            {"gl_objects", render::gl::census()}};
}

} // namespace

Workbench::Workbench(const WorkbenchOptions& options, const Session& session)
    : options_(options), window_(window_options(options)), gui_(window_.handle()),
      pace_(options.started)
{
    // Software drawing has no screen to wait for, and Pace does the waiting.
    if (window_.info().software) glfwSwapInterval(0);
    rate_begin_ = report_written_ = Clock::now();
    open_at_once(session);
    std::error_code ignored;
    if (std::filesystem::is_directory(session.folder, ignored)) choose_folder(session.folder);
}

Workbench::~Workbench() = default;

void Workbench::run()
{
    const auto time_up = [&] {
        return options_.exit_after && pace_.seconds() > *options_.exit_after;
    };
    while (!window_.should_close() && !time_up()) {
        render::Window::poll_events();
        frame();
        if (!options_.report.empty() && Clock::now() - report_written_ > 100ms) write_report();
        wait();
    }
    window_.hide(); // what is under way must end, but nobody need watch
    if (stage_) stage_->settle();
    if (rival_) rival_->settle();
    recorder_.stop();
    recorder_.wait();
    if (stage_) {
        Session kept = session();
        kept.folder = folder_.string();
        keep_last_session(kept);
    }
    if (!options_.report.empty()) write_report();
}

void Workbench::frame()
{
    const int width = window_.width_px();
    const int height = window_.height_px();
    if (width == 0 || height == 0) return; // minimised
    const float em = text_px(height, look_.text_zoom);
    gui_.begin(look_.theme, em);
    const ImVec2 size{static_cast<float>(width), static_cast<float>(height)};
    handle_keys();
    share_keyboard();
    Layout layout = divide(look_.panels, look_.lecture, size, em);
    if (!look_.lecture && splitters(look_.panels, layout, size, em))
        layout = divide(look_.panels, look_.lecture, size, em);
    const PanelStyle style{palette(look_.theme), gui_.fonts(), em};
    if (stage_ && !opens_something() && !drag_divider(style, layout.picture))
        if (const auto stroke = picture_mouse(layout.picture, placement_, look_))
            guarded([&] { apply(*stroke); });
    guarded_frame([&] { collect(); });
    guarded_frame([&] { collect_rival(); });
    note_readings();
    draw_panels(layout, em);
    draw_hover(layout.picture);
    guarded_frame([&] { draw_picture(layout.picture, em); });
    guarded([&] { advance_capture(); });
    poll_files();

    window_.begin_frame();
    const ImVec4 back = palette(look_.theme).background;
    const float rgba[] = {back.x, back.y, back.z, 1};
    glClearNamedFramebufferfv(0, GL_COLOR, 0, rgba);
    if (target_) {
        const int x = static_cast<int>(layout.picture.at.x);
        const int top = height - static_cast<int>(layout.picture.at.y);
        glBlitNamedFramebuffer(target_->resolve(), 0, 0, 0, target_->width(), target_->height(), x,
                               top - target_->height(), x + target_->width(), top,
                               GL_COLOR_BUFFER_BIT, GL_NEAREST);
        show_rival(layout.picture, height);
    }
    gui_.draw();
    guarded([&] { take_window(); });
    guarded([&] { record_window(); });
    window_.swap();
    pace_.frame(std::exchange(new_picture_, false));
    guarded_frame([&] { begin_work(); });
}

void Workbench::collect()
{
    if (!stage_ || !stage_->collect()) return;
    new_picture_ = !rival_;
    drawn_look_.reset();
    difference_.reset();
    note_counts(*stage_);
    const trace::Trace& trace = stage_->trace();
    if (trace.sites.empty()) return;
    source_ = source_heat(lab().source(stage_->variant()), stage_->variant().source, trace);
}

void Workbench::draw_picture(const Area& area, float em)
{
    const int width = static_cast<int>(area.size.x);
    const int height = static_cast<int>(area.size.y);
    if (!stage_ || !stage_->picture() || stage_->sharing().mapped() || width < 1 || height < 1)
        return;
    const bool resized = !target_ || target_->width() != width || target_->height() != height;
    if (!resized && drawn_look_ == look_) return;
    if (rival_ && !side_by_side()) return;
    if (resized) {
        const bool smooth = !window_.info().software;
        target_.emplace(width, height, smooth ? 4 : 1);
    }
    if (rival_ && !difference_) difference_ = difference_of(*stage_, *rival_);
    const render::PixelRect all{0, 0, width, height};
    const Shown now = shown(look_.lecture ? em * 1.5F : em);
    if (beside_each_other(now)) draw_beside(now, all);
    target_->bind();
    placement_ = draw_leader(scene_, now, all);
    drawn_rival_ = now.rival != nullptr;
    drawn_difference_.reset();
    if (now.difference) drawn_difference_ = now.difference->largest;
    drawn_look_ = look_;
}

void Workbench::begin_work()
{
    if (strips_.under_way() || poll_opening()) return;
    if (!stage_ || stage_->busy() || stage_->sharing().mapped() || recorder_.full()) return;
    if (follow_with_rival()) return;
    FramePlan plan{.steps = 0, .budget = {}, .view = look_.view};
    if (sweep_measures() && !stage_->replaying() && !recorder_.recording()) {
        // The picture waits: on the same GPU its steps would be part of the times.
    } else if (!paused_ || stage_->replaying()) {
        plan.steps =
            stage_->replaying() ? stage_->replay_steps_left() : stage_->facts().steps_per_frame;
    } else {
        plan.steps = std::exchange(steps_wanted_, 0);
    }
    plan.counting = counting();
    if (rival_ && !stage_->replaying() && plan.steps > 0)
        plan.steps = launches_together(*stage_, *rival_, plan.steps);
    if (recorder_.recording() || (rival_ && !stage_->replaying())) {
        // A fixed timestep, however long it takes.
    } else if (readings_.has_clock) {
        const Spread known = stage_->step_ms(stage_->variant().id);
        const double step_ms = known.count > 0 ? std::max(known.median, 1e-3) : cuda_budget_ms;
        plan.steps = std::min(plan.steps, 1 + static_cast<std::int64_t>(cuda_budget_ms / step_ms));
    } else {
        plan.budget = simt_budget;
    }
    const bool counts_anew = plan.counting.any() && stage_->counted() != plan.counting;
    const bool shows_something_new = plan.steps > 0 || stage_->has_pending() || counts_anew ||
                                     !stage_->picture() ||
                                     (drawn_look_ && drawn_look_->view != look_.view);
    if (!shows_something_new) return;
    work_since_ = Clock::now();
    stage_->begin_frame(plan);
}

double Workbench::work_seconds() const
{
    if (!stage_ || !(stage_->sharing().mapped() || (rival_ && rival_->sharing().mapped())))
        return 0;
    return std::chrono::duration<double>(Clock::now() - work_since_).count();
}

void Workbench::wait()
{
    constexpr std::chrono::duration<double> longest_frame = 33ms;
    if (strips_.under_way()) return;
    if (opening_)
        opening_->wait_for(longest_frame);
    else if (!stage_ ||
             (!stage_->sharing().mapped() && paused_ && !restart_wanted_ && !stage_->has_pending()))
        render::Window::wait_events(0.05);
    else if (rival_ && rival_->busy())
        rival_->wait_for(longest_frame);
    else
        stage_->wait_for(longest_frame);
    if (window_.info().software)
        std::this_thread::sleep_for(std::chrono::duration<double>(pace_.wait_s()));
}

void Workbench::note_readings()
{
    readings_.engine = device::name(engine_.device->engine());
    readings_.device = engine_.device->properties().name;
    readings_.engine_reason = engine_.reason;
    readings_.renderer = window_.info().renderer;
    readings_.frames_per_s = pace_.recent_pictures_per_s();
    if (measured_roofs_.valid() && measured_roofs_.wait_for(0s) == std::future_status::ready)
        guarded([&] { readings_.roofs = measured_roofs_.get(); });
    if (!stage_) return;
    readings_.has_clock = engine_.device->engine() == device::Engine::cuda;
    readings_.sharing = stage_->sharing().explanation();
    readings_.map_us = stage_->sharing().map_us();
    readings_.unmap_us = stage_->sharing().unmap_us();
    readings_.steps = stage_->facts().steps;
    readings_.warning = stage_->facts().warning;
    readings_.step_ms = stage_->step_ms(variant_);
    readings_.rival_step_ms = rival_ ? rival_->step_ms(look_.compare) : Spread{};
    const double ms = readings_.step_ms.median;
    readings_.gb_per_s = ms > 0 ? stage_->facts().work.bytes / (ms * 1e6) : 0;
    const double passed = std::chrono::duration<double>(Clock::now() - rate_begin_).count();
    if (passed > 0.5) {
        readings_.steps_per_s = static_cast<double>(readings_.steps - rate_steps_) / passed;
        rate_begin_ = Clock::now();
        rate_steps_ = readings_.steps;
    }
}

void Workbench::write_report()
{
    report_written_ = Clock::now();
    nlohmann::ordered_json report{
        {"reports", ++reports_},
        {"first_picture_s", pace_.first_picture_s().value_or(0)},
        {"frames", pace_.frames()},
        {"pictures", pace_.pictures()},
        {"frames_per_s", pace_.frames_per_s()},
        {"pictures_per_s", pace_.pictures_per_s()},
        {"worst_frame_ms", pace_.worst_frame_ms()},
        {"seconds", pace_.seconds()},
        {"engine", readings_.engine},
        {"sharing", readings_.sharing},
        {"median_ms", readings_.step_ms.count ? nlohmann::ordered_json(readings_.step_ms.median)
                                              : nlohmann::ordered_json(nullptr)},
        {"map_us", readings_.map_us},
        {"unmap_us", readings_.unmap_us},
        {"steps", readings_.steps},
        {"variant", variant_},
        {"paused", paused_},
        {"help", help_},
        {"notice", notice_},
        {"recording", recorder_.recording() ? recorder_.progress().frames : 0},
        {"finishing", recorder_.finishing()},
        {"folder", folder_.string()},
        {"opening", opens_something()},
        {"hover", hover_},
        {"subject_drawn", stage_ && has_subject(*stage_, look_)},
        {"map_drawn", stage_ && stage_->warp_map().has_value()},
        {"counted_lines", std::ranges::count_if(source_, &SourceLine::counted)},
        {"side_by_side", drawn_rival_},
        {"largest_difference", drawn_difference_ ? nlohmann::ordered_json(*drawn_difference_)
                                                 : nlohmann::ordered_json(nullptr)},
        {"preset", preset_ == SIZE_MAX ? -1 : static_cast<int>(preset_)},
        {"history", counted_.size() + (stage_ ? stage_->timings().size() : 0)},
        {"sweep",
         {{"parameter", sweep_.chosen() ? sweep_.chosen()->parameter : ""},
          {"points", sweep_.points().size()},
          {"finished", sweep_.run() && sweep_.run()->finished()},
          {"error", sweep_.run() ? sweep_.run()->error() : ""}}},
        {"error", error_},
        {"global_sectors", nlohmann::ordered_json::object()},
    };
    for (const auto& [variant, totals] : totals_)
        report["global_sectors"][variant] = global_sectors(totals);
    if (options_.check) {
        std::ranges::move(window_.debug_log()->take(), std::back_inserter(gl_errors_));
        report["gl_errors"] = gl_errors_;
        report["holdings"] = holdings();
    }
    for (const Pace::SlowFrame& slow : pace_.slow_frames())
        report["slow_frames"].push_back({slow.at_s, slow.took_ms});
    constexpr std::size_t most_events = 1000; // writing more would be a task of its own
    if (stage_ && stage_->journal().events.size() <= most_events)
        report["session"] = nlohmann::ordered_json::parse(to_json(session()));
    render::write_file(options_.report, report.dump(2) + "\n");
}

Session Workbench::session() const
{
    return {engine_choice_, stage_->journal(), look_};
}

} // namespace lanescope::app
