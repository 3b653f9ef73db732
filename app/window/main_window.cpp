// A frame: input → commands → document → worker; the newest frame → picture and panels → screen.
#include "app/window/main_window.h"

#include <GLFW/glfw3.h>
#include <glad/gl.h>
#include <imgui.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <utility>

#include "app/document/last_session.h"
#include "app/window/focus.h"
#include "app/window/follow.h"
#include "app/window/keys.h"
#include "app/window/mouse.h"
#include "app/window/panels/panels.h"
#include "render/gl/labels.h"

namespace lanescope::app {
namespace {

using namespace std::chrono_literals;

render::WindowOptions window_options(const WindowOptions& options)
{
    const Size parsed = parse_size(options.size);
    return {.width = parsed.width, .height = parsed.height, .debug = options.check};
}

// The keyboard's focus in a text is no hold: only the mouse holds.
bool slider_is_held()
{
    return ImGui::IsAnyItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Left);
}

// Runs something that may throw; what went wrong is then told in the strip.
template <class Work>
void guarded(Edits& edits, Work&& work)
{
    try {
        work();
    } catch (const std::bad_alloc&) {
        edits.complain("There is not enough memory for this. Choose a smaller size.");
    } catch (const std::exception& error) {
        edits.complain(error.what());
    }
}

Document first_document(const Session& session)
{
    Document document = document_of(session);
    std::error_code ignored;
    if (!std::filesystem::is_directory(document.folder, ignored))
        document.folder = std::filesystem::current_path();
    document.folder = std::filesystem::absolute(document.folder);
    return document;
}

} // namespace

void run_window(const WindowOptions& options, const Session& session)
{
    MainWindow(options, session).run();
}

MainWindow::MainWindow(const WindowOptions& options, const Session& session)
    : options_(options), window_(window_options(options)), input_(window_.handle(), options.points),
      gui_(window_.handle()), pace_(options.started), report_(options.report, window_.debug_log()),
      edits_(first_document(session)), picture_(!window_.info().software), player_(options.script),
      writer_(options.recorded_script)
{
    // Software drawing has no screen to wait for, and Pace does the waiting.
    if (window_.info().software) glfwSwapInterval(0);
    open_first(session);
    guarded(edits_, [&] { edits_.use_keys(users_keys()); });
}

// For the first picture there is nothing to go on with.
void MainWindow::open_first(const Session& session)
{
    const auto find = [session] { return Found{Arrival::session, session}; };
    const std::uint64_t number = worker_.open({"the session", find, session.device});
    asked_[number] = Wanted::session;
    for (;;) {
        worker_.serve();
        const auto now = worker_.newest();
        if (now->opened == number) break;
        if (now->problem) std::rethrow_exception(now->problem->error);
        worker_.wait(1s);
    }
    take_frame();
}

void MainWindow::run()
{
    const auto time_up = [&] {
        return options_.exit_after && pace_.seconds() > *options_.exit_after;
    };
    for (;;) {
        render::Window::poll_events();
        if (window_.should_close()) close();
        if (window_.should_close() || time_up()) break;
        frame();
        if (report_.due())
            report_.write(edits_.document(), *worker_.newest(), ui_, pace_, opens_something());
        wait();
    }
    end();
}

void MainWindow::frame()
{
    if (window_.width_px() == 0 || window_.height_px() == 0) return; // minimised
    const Look before = edits_.document().look;
    gui_.begin(before.theme, before.text_zoom, options_.points);
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    ui_.pixels_per_point = static_cast<float>(window_.width_px()) / size.x;
    ui_.captures = captures_.status();

    Commands commands;
    take_input(commands);
    share_keyboard(ui_);
    take_frame();
    open_wanted();

    const Document& document = edits_.document();
    const float em = text_height(size.y, document.look.text_zoom);
    const Layout layout = divide(document.look.panels, document.look.lecture, size, em);
    const PanelStyle style{palette(document.look.theme), gui_.fonts(), em};
    const std::shared_ptr<const Frame> now = worker_.newest();
    if (!document.look.lecture) splitters(document.look.panels, layout, size, em, commands);
    if (ui_.beside && !document.look.difference)
        use_divider(style, layout.picture, document, ui_, commands);
    if (!opens_something()) use_mouse(layout.picture, document, ui_, commands);
    const bool pointed = ui_.placement && !ImGui::GetIO().WantCaptureMouse &&
                         layout.picture.contains(ImGui::GetIO().MousePos);
    if (!pointed)
        ui_.hover.clear();
    else if (worker_.drawable()) // else the numbers of before stay
        guarded(edits_,
                [&] { ui_.hover = pointed_words(layout.picture, document, *now, ui_, commands); });
    if (!ui_.hover.empty()) ImGui::SetTooltip("%s", ui_.hover.c_str());
    draw_panels({style, document, *now, ui_, pace_.recent_pictures_per_s(),
                 pace_.recent_steps_per_s(), worker_.busy_s(), window_.info().renderer},
                layout, commands);

    if (worker_.drawable())
        guarded(edits_, [&] {
            const float scale = ui_.pixels_per_point;
            const auto pixels = [&](float points) { return static_cast<int>(points * scale); };
            picture_.draw(now, document.look,
                          {pixels(layout.picture.size.x), pixels(layout.picture.size.y)},
                          em * scale * (document.look.lecture ? 1.5F : 1.0F), ui_);
        });
    guarded(edits_, [&] { captures_.draw(capture_scene()); });
    for (const Command& command : commands) perform(command);
    const bool recording = captures_.status().recording;
    worker_.tell(plan_of(document, *now, recording, slider_is_held()));
    if (!captures_.hold_frame()) worker_.go_on(); // the next step begins beside what follows
    present(layout);
    if (now->picture > 0) picture_.prepare();
}

// Keys in order, and none before what an earlier one opens is there; leaving is always possible.
void MainWindow::take_input(Commands& out)
{
    const auto& keys = edits_.document().keys;
    const auto press = [&](const Pressed& pressed) {
        Commands now;
        if (!widgets_take(ui_, pressed.row->action))
            pressed.row->press({edits_.document(), *worker_.newest(), ui_, pressed.number}, now);
        for (const Command& command : now) perform(command);
    };
    const auto quits = [&](const KeyEvent& key) {
        return std::ranges::any_of(rows_of(key, keys), [](const Pressed& pressed) {
            return pressed.row->action == std::string_view("quit");
        });
    };
    if (opens_something() && input_.take_first(quits)) window_.close();
    while (!opens_something()) {
        const auto key = input_.take_key();
        if (!key) break;
        for (const Pressed& pressed : rows_of(*key, keys)) press(pressed);
    }
    if (opens_something()) return;
    if (const auto file = input_.take_drop()) out.push_back(OpenFile{file->string()});
    for (Command& command : player_.due(pace_.seconds())) out.push_back(std::move(command));
    for (Outcome& outcome : captures_.poll()) {
        if (outcome.failed)
            edits_.complain(std::move(outcome.text));
        else
            edits_.tell(std::move(outcome.text));
    }
}

// What has been opened, what went wrong, and the newest picture.
void MainWindow::take_frame()
{
    const auto before = worker_.newest();
    worker_.serve();
    const auto now = worker_.newest();
    if (const auto asked = asked_.find(now->opened); asked != asked_.end()) {
        const Session& session = now->found->session;
        const Wanted::Kind kind = kind_of(asked->second, now->found->arrival);
        edits_.arrive(session, kind, before->is_open() ? before->a.journal() : Journal{});
        asked_.erase(asked_.begin(), std::next(asked));
        // An undo may bring values that were changed after its journal ended.
        Document reached = document_of(session);
        reached.strokes = edits_.document().strokes;
        for (Change& change : changes_between(reached, edits_.document()))
            worker_.apply(std::move(change));
        window_.set_title("Lanescope: " + edits_.document().lab().title);
    }
    if (now->problem && now->problem->number != problem_) {
        const Problem& problem = *now->problem;
        problem_ = problem.number;
        if (const auto asked = asked_.find(problem.opening); asked != asked_.end()) {
            asked_.erase(asked_.begin(), std::next(asked));
            edits_.refuse(problem.sentence);
        } else {
            edits_.complain(problem.sentence);
            if (problem.comparison)
                edits_.stop_comparing();
            else
                edits_.pause();
        }
    }
    window_.set_fullscreen(edits_.document().look.lecture);
}

void MainWindow::perform(const Command& command)
{
    writer_.note(command, pace_.seconds());
    if (const auto* take = std::get_if<Take>(&command)) {
        const bool recorded = captures_.status().recording;
        guarded(edits_, [&] { captures_.ask(take->what, capture_scene()); });
        ui_.captures = captures_.status(); // for the next key
        if (ui_.captures.recording && !recorded) edits_.apply(Pause{false});
        if (take->what == Taken::session || take->what == Taken::picture) edits_.mark_saved();
        return;
    }
    if (std::holds_alternative<GiveUpFiles>(command)) return captures_.give_up();
    if (std::holds_alternative<Close>(command)) return window_.close();
    if (std::holds_alternative<Paint>(command) && opens_something()) return;
    const Document was = edits_.document();
    edits_.apply(command);
    const Document& is = edits_.document();
    for (Change& change : changes_between(was, is)) worker_.apply(std::move(change));
    if (is.single_steps > was.single_steps) worker_.step(is.single_steps - was.single_steps);
}

// The window is about to close: what would be lost is asked about once.
void MainWindow::close()
{
    const bool loses = captures_.status().recording || !edits_.document().saved;
    if (!loses || ui_.asks_to_close) return;
    ui_.asks_to_close = true;
    window_.stay_open();
}

void MainWindow::open_wanted()
{
    const auto& wanted = edits_.document().wanted;
    if (!wanted || (wanted->kind == Wanted::restart && slider_is_held())) return;
    const auto now = worker_.newest();
    const Edits::Begun begun = edits_.begin_wanted(now->is_open() ? now->a.journal() : Journal{});
    asked_[worker_.open(wish_of(begun))] = begun.wanted.kind;
}

CaptureScene MainWindow::capture_scene()
{
    const Document& document = edits_.document();
    const float em = text_height(ImGui::GetIO().DisplaySize.y, document.look.text_zoom);
    const float text_px = em * ui_.pixels_per_point;
    const auto now = worker_.newest();
    const bool drawable = worker_.drawable();
    const bool together = document.look.compare.empty() || (now->b && now->together);
    return {.document = document,
            .frame = now,
            .drawable = drawable,
            .whole = drawable && now->a.picture && together && !opens_something(),
            .scene = picture_.scene(),
            .picture = picture_.size(),
            .picture_text_px = text_px * (document.look.lecture ? 1.5F : 1.0F),
            .window = {window_.width_px(), window_.height_px()},
            .window_text_px = text_px,
            .exhibit = [&document, now, em] {
                const ImVec2 size = ImGui::GetIO().DisplaySize;
                const Layout layout = divide(document.look.panels, document.look.lecture, size, em);
                return shown_exhibit(document, *now, is_wide(layout.bottom, em));
            }};
}

void MainWindow::present(const Layout& layout)
{
    window_.begin_frame();
    const ImVec4 back = palette(edits_.document().look.theme).background;
    const float rgba[] = {back.x, back.y, back.z, 1};
    glClearNamedFramebufferfv(0, GL_COLOR, 0, rgba);
    const float scale = ui_.pixels_per_point;
    picture_.show(static_cast<int>(layout.picture.at.x * scale),
                  static_cast<int>(layout.picture.at.y * scale), window_.height_px(),
                  edits_.document().look);
    {
        const render::gl::DebugGroup group("panels");
        gui_.draw();
    }
    guarded(edits_, [&] { captures_.read_window(capture_scene()); });
    window_.swap();
    const auto now = worker_.newest();
    pace_.frame(now->picture, now->a.facts.steps);
}

void MainWindow::wait()
{
    constexpr std::chrono::duration<double> longest_frame = 33ms;
    if (captures_.drawing()) return;
    const bool idle = edits_.document().paused && worker_.idle() && !opens_something();
    if (idle)
        render::Window::wait_events(0.05);
    else
        worker_.wait(longest_frame);
    if (window_.info().software)
        std::this_thread::sleep_for(std::chrono::duration<double>(pace_.wait_s()));
}

void MainWindow::end()
{
    window_.hide(); // what is being written must end, but nobody need watch
    captures_.finish();
    const auto now = worker_.newest();
    Session kept = fresh_session(edits_.document());
    kept.folder = edits_.document().folder.string();
    keep_last_session(kept);
    writer_.write();
    report_.write(edits_.document(), *now, ui_, pace_, opens_something());
    if (!worker_.end(150ms)) std::quick_exit(0);
}

} // namespace lanescope::app
