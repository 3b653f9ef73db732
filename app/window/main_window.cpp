// A frame: input → commands → document → worker; the newest frame → picture and panels → screen.
#include "app/window/main_window.h"

#include "app/run/editing/own_text.h"
#include "app/run/program/program_file.h"

#include <GLFW/glfw3.h>
#ifdef __EMSCRIPTEN__
#include <emscripten.h>
#endif
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glad/gl.h>
#include <imgui.h>
#include <sstream>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <utility>

#include "app/document/editing.h"
#include "app/lessons/cards.h"
#include "app/lessons/talk.h"
#include "app/window/editor/cross_highlight.h"
#include "app/window/editor/text/editing.h"
#include "app/window/gui/guard.h"
#include "app/window/input/focus.h"
#include "app/window/input/keys.h"
#include "app/window/interaction/follow.h"
#include "app/window/manual.h"
#include "app/window/mouse.h"
#include "app/window/panels/panels.h"
#include "compute/endings.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/process/end_request.h"
#include "compute/python_source.h"
#include "compute/threads.h"
#include "render/gl/labels.h"

namespace lanescope::app {
namespace {

using namespace std::chrono_literals;

render::WindowOptions window_options(const WindowOptions& options)
{
    const Size parsed = parse_size(options.size);
    return {.width = parsed.width, .height = parsed.height, .debug = options.check};
}

// Keyboard focus doesn't count as holding a slider; only a pressed mouse button does.
bool slider_is_held()
{
    return ImGui::IsAnyItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Left);
}

std::vector<std::string> key_actions()
{
    std::vector<std::string> actions;
    for (const KeyRow& row : key_table()) actions.emplace_back(row.action);
    return actions;
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

// The texts of a kernel file that has just been read.
std::optional<labs::Texts> texts_read(const Found& found)
{
    if (found.kernel_file.empty()) return std::nullopt;
    return labs::texts_of(labs::find(found.session.journal.start.lab));
}

// The stepping mode's picture page always shows the plain result.
Look drawn_look(Look look)
{
    if (!look.step.on || look.step.page != StepChoice::Page::picture) return look;
    look.subject = Subject::picture;
    look.map = "off";
    return look;
}

} // namespace

void run_window(const WindowOptions& options, const Found& found)
{
#ifdef __EMSCRIPTEN__
    // The browser calls this at its screen's refresh rate; closing the page ends the window.
    const auto turn = [](void* window) { static_cast<MainWindow*>(window)->turn(); };
    emscripten_set_main_loop_arg(turn, new MainWindow(options, found), 0, false);
#else
    MainWindow(options, found).run();
#endif
}

MainWindow::MainWindow(const WindowOptions& options, const Found& found)
    : options_(options), window_(window_options(options)), input_(window_), gui_(window_),
      pace_(options.started), report_(options.report, window_.debug_log()),
      edits_(first_document(found.session)), picture_(!window_.info().software),
      player_(options.script), writer_(options.recorded_script),
      program_([] { render::Window::wake_up(); })
{
    // With software rendering there is no vertical sync; Pace does the waiting.
    if (window_.info().software) glfwSwapInterval(0);
    ui_.manual = manual_page();
    ui_.first_run = options.first_run;
    open_first(found);
    guarded(edits_, [&] { edits_.set_user_keys(user_keys(key_actions())); });
    if (options.compile_on_request) edits_.turn_off_automatic_compiling();
    if (!options.notice.empty()) {
        if (options.has_unsaved_strokes)
            edits_.tell(options.notice);
        else
            edits_.complain(options.notice);
    }
    saving_.recover_unsaved(options.has_unsaved_strokes);
}

// Nothing is on screen yet, so waits for the first picture.
void MainWindow::open_first(const Found& found)
{
    const auto find = [found] { return found; };
    saving_.begin();
    std::optional<FirstRunMarker> mark; // the user's own kernels may crash the program
    if (edits_.document().lab().texts) mark.emplace();
    const std::uint64_t number = worker_.open({"the session", find, found.session.device});
    requested_[number] = Wanted::session;
    bool asked = false; // the worker has asked for OpenGL memory and will soon ask again, so don't
                        // start to compile a shader
    for (;;) {
        asked = worker_.process_gl_tasks() || asked;
        const auto now = worker_.newest();
        if (now->opened == number) break;
        if (const auto problem = now->problem()) std::rethrow_exception(problem->error);
        if (!asked && picture_.prepare()) continue; // useful work while waiting
        worker_.wait(1s);
    }
    take_frame();
    // Runs the first step in parallel with the first frame, whose panels take as long.
    worker_.tell(plan());
    worker_.lend(5ms);
}

void MainWindow::run()
{
    note_end_requests();
    while (turn()) {
    }
    end();
}

bool MainWindow::turn()
{
    // Pending captures get this much time to finish before the window closes.
    constexpr auto longest = 3s;
    pace_.begin_work();
    render::Window::poll_events();
    if (window_.should_close()) close();
    const auto now = std::chrono::steady_clock::now();
    const bool time_up = options_.exit_after && pace_.seconds() > *options_.exit_after;
    if (window_.should_close() || time_up || end_request() != 0) {
        // One more frame handles keys that were pressed before the request to close.
        if (closing_ && (!captures_.pending() || now - *closing_ > longest)) return false;
        if (!closing_) closing_ = now;
    }
    frame();
    if (report_.due())
        report_.write({edits_.document(), *worker_.newest(), ui_, pace_, is_opening(), answers_});
    wait();
    return true;
}

namespace {

// Placed towards the picture's centre, so that it doesn't cover the scale.
void show_tooltip(const std::string& words, const Area& picture, float em)
{
    const ImVec2 mouse = ImGui::GetMousePos();
    const bool right = mouse.x > picture.at.x + picture.size.x / 2;
    const bool low = mouse.y > picture.at.y + picture.size.y / 2;
    ImGui::SetNextWindowPos({mouse.x + (right ? -em : em), mouse.y + (low ? -em : em)},
                            ImGuiCond_Always, {right ? 1.0F : 0.0F, low ? 1.0F : 0.0F});
    ImGui::SetTooltip("%s", words.c_str());
}

} // namespace

void MainWindow::renew_interaction()
{
    ui_.pixels_per_point = static_cast<float>(window_.width_px()) / ImGui::GetIO().DisplaySize.x;
    ui_.captures = captures_.status();
    ui_.printed = printed_.text();
    ui_.places.clear();
}

void MainWindow::frame()
{
    if (window_.width_px() == 0 || window_.height_px() == 0) return; // minimised
    const Look before = edits_.document().look;
    const Shared<labs::Texts> texts = edits_.document().texts;
    const std::uint64_t opened = worker_.newest()->opened;
    gui_.begin(before);
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    renew_interaction();
    Commands commands;
    take_input(commands);
    share_keyboard(ui_);
    take_frame();
    pause_after_output();
    follow_texts();
    open_request();
    stepping_.follow(edits_, *worker_.newest(), is_opening());
    ui_.stepped = stepping_.shown();
    follow_program();
    pace_.busy_with(is_opening() || worker_.newest()->opened != opened ? "opening"
                    // Parses and highlights a text again after it has changed.
                    : edits_.document().texts != texts ? "parsing"
                    : compiling_.busy()                ? "compiling"
                                                       : "other");

    const Document& document = edits_.document();
    const float em = text_height(size, document.look);
    Layout layout = layout_of(document.look, size);
    leave_room_for_picture(document, *worker_.newest(), em, layout);
    leave_room_for_beat(document, ui_, em, layout);
    find_answers();
    ui_.has_variants_panel = !layout.left.empty();
    if (!layout.folded() || document.look.lecture) ui_.drawer = false;
    const PanelStyle style{palette(document.look.theme), gui_.fonts(), em};
    const std::shared_ptr<const Frame> now = worker_.newest();
    if (!document.look.lecture) splitters(document.look, layout, size, em, commands);
    if (ui_.beside && !document.look.difference)
        handle_divider(style, layout.picture, document, ui_, commands);
    if (!is_opening()) handle_mouse(layout.picture, document, ui_, commands);
    follow_mouse(layout.picture, *now, commands);
    if (!is_opening()) handle_mouse_in_stepping(layout.picture, document, ui_, commands);
    if (!ui_.hover.empty()) show_tooltip(ui_.hover, layout.picture, em);
    guarded_panels(edits_, [&] {
        draw_panels({style, document, *now, ui_, pace_.recent_pictures_per_s(),
                     pace_.recent_steps_per_s(), worker_.busy_s(), window_.info().renderer,
                     &answers_},
                    layout, commands);
        darken_unwritten(style, layout.picture, document, *now, ui_);
    });

    if (worker_.drawable() || covers_picture(document.look.step))
        guarded(edits_, [&] { draw_picture(layout.picture, em, now); });
    guarded(edits_, [&] { captures_.draw(capture_scene()); });
    for (const Command& command : commands) perform(command);
    worker_.tell(plan());
    if (!captures_.full()) worker_.release_frame(); // the next step runs in parallel with the rest
    present(layout);
    // Opening something may need all memory, and OpenGL's compilers crash when it runs out.
    if (now->picture > 0 && !is_opening()) picture_.prepare();
}

Plan MainWindow::plan() const
{
    const bool recording = captures_.status().recording;
    const bool held = slider_is_held();
    Plan plan = plan_of(edits_.document(), *worker_.newest(), recording, held);
    plan.beside = !held;
    return plan;
}

void MainWindow::draw_picture(const Area& area, float em, const std::shared_ptr<const Frame>& now)
{
    const Document& document = edits_.document();
    const float scale = ui_.pixels_per_point;
    const auto pixels = [&](float points) { return static_cast<int>(points * scale); };
    picture_.draw({.frame = now,
                   .look = drawn_look(document.look),
                   .text_px = picture_text(document.look, em) * scale,
                   .words = picture_words(document, *now, ui_),
                   .before = {},
                   .moved = 1,
                   .stepped = ui_.stepped},
                  {pixels(area.size.x), pixels(area.size.y)}, ui_);
}

// Describes what the mouse points at, and marks it in the code.
void MainWindow::follow_mouse(const Area& picture, const Frame& now, Commands& out)
{
    const Document& document = edits_.document();
    const bool rests = mouse_is_idle(ui_) && document.look.lecture;
    if (rests) ImGui::SetMouseCursor(ImGuiMouseCursor_None);
    const bool pointed = ui_.placement && !rests && !ImGui::GetIO().WantCaptureMouse &&
                         picture.contains(ImGui::GetIO().MousePos);
    if (!pointed)
        ui_.hover.clear();
    else if (document.look.step.on)
        ui_.hover = "Click to see why this element has its value.";
    else if (worker_.drawable()) // otherwise the tooltip keeps its numbers
        guarded(edits_, [&] { ui_.hover = hover_text(picture, document, now, ui_, out); });
    ui_.code.warp.reset();
    ui_.code.line = 0; // set again if the mouse is on the code
    ui_.code.highlighted.clear();
    if (pointed && document.look.code_is_beside())
        ui_.code.warp = pointed_warp(picture, document, now, ui_);
}

// Processes keys in order; a key waits until whatever an earlier key opened is ready. Quit always
// works.
void MainWindow::take_input(Commands& out)
{
    const auto& keys = edits_.document().keys;
    const auto press = [&](const KeyEvent& key, const Pressed& pressed) {
        Commands now;
        if (!widgets_capture(ui_, pressed.row->action, key))
            guarded(edits_, [&] {
                pressed.row->press({edits_.document(), *worker_.newest(), ui_, pressed.number},
                                   now);
            });
        for (const Command& command : now) perform(command);
    };
    const auto quits = [&](const KeyEvent& key) {
        return std::ranges::any_of(rows_of(key, keys), [](const Pressed& pressed) {
            return pressed.row->action == std::string_view("quit");
        });
    };
    if (is_opening() && input_.take_first(quits)) window_.close();
    // Typing into a text never waits.
    const auto type = [&](const KeyEvent& key) {
        Commands now;
        const Document& document = edits_.document();
        const bool shown =
            !document.presentation.asks() &&
            (document.look.code_is_beside() || shows_tab(document.look, tabs::source));
        if (!shown) ui_.code.editing = ui_.code.finding = false;
        if (ImGui::GetIO().WantTextInput || ui_.dialogue_open() || ui_.palette.open ||
            ui_.close_question_open || !press_in_code(key, edits_.document(), ui_.code, now))
            return false;
        for (const Command& command : now) perform(command);
        return true;
    };
    while (is_opening() && input_.oldest() && type(*input_.oldest())) input_.take_key();
    while (!is_opening()) {
        const auto key = input_.take_key();
        if (!key) break;
        if (type(*key)) continue;
        const Moment moment{edits_.document().look.lecture,
                            edits_.document().presentation.can_vote(),
                            edits_.document().look.step.on, started_by_beat(edits_.document()),
                            edits_.document().presentation.talk != nullptr};
        const auto types = [&] { return ui_.dialogue_open() || edits_.document().help; };
        const bool typed = types();
        for (const Pressed& pressed : rows_of(*key, keys, moment)) press(*key, pressed);
        if (!typed && types()) forget_typed_before(*key);
    }
    if (is_opening()) return;
    if (const auto file = input_.take_drop()) out.push_back(OpenFile{file->string()});
    follow_file(out);
    if (const auto edit = saving_.poll()) perform(*edit);
    for (Command& command : player_.due(pace_.seconds())) out.push_back(std::move(command));
    for (Outcome& outcome : captures_.poll()) saving_.tell(std::move(outcome));
}

// Loads the text that an external editor saved to the kernel's file, if its lab is still open.
void MainWindow::follow_file(Commands& out)
{
    const auto saved = watch_.poll();
    const labs::Texts& shown = *edits_.document().texts;
    const bool is_script = is_python_source(edits_.document().kernel_file);
    if (!saved || (!is_script && (shown.id != saved->was.id || !shown.base.empty()))) return;
    const auto had = [](const labs::Texts& texts, const std::string& name) {
        const auto found = texts.files.find(name);
        return found == texts.files.end() ? std::string() : found->second;
    };
    const std::filesystem::path file = edits_.document().kernel_file;
    if (saved->gone) {
        edits_.note_on_disk(file.string(), {});
        return edits_.tell(fmt::format(
            "{} is gone from its folder. The window keeps its text; Ctrl S writes it again.",
            text_name(file)));
    }
    if (is_script) return follow_script(*saved);
    for (const auto& [name, text] : saved->is.files) {
        if (name != labs::record_file) edits_.note_on_disk(file_of_text(file, name).string(), text);
        const bool guessed = had(shown, name) == had(saved->was, name);
        if (name != labs::record_file || guessed) out.push_back(EditFile{name, text});
    }
    for (const std::string& note : saved->notes) edits_.tell(note);
}

// The same for a Python script, which also runs again if the user has run it before.
void MainWindow::follow_script(const FileWatch::Saved& saved)
{
    const std::filesystem::path script = edits_.document().kernel_file;
    const std::string name = text_name(script);
    const auto text = saved.is.files.find(name);
    if (text == saved.is.files.end()) return;
    edits_.note_on_disk(script.string(), text->second);
    if (edits_.document().texts->files.contains(name)) perform(EditFile{name, text->second});
    if (running_script_ == script) run_program({.file = script, .edits = {}}, false);
}

// Pauses once per start after a step that printed: each further step would print the same again.
void MainWindow::pause_after_output()
{
    const Document& document = edits_.document();
    if (paused_by_output_ || ui_.printed->bytes == 0 || is_opening() || document.paused ||
        document.look.step.on || ui_.captures.recording)
        return;
    paused_by_output_ = true;
    perform(Pause{true});
    edits_.tell("Paused, because the kernel prints in every step. Space continues, Home runs one "
                "step again.");
}

// Applies the worker's results: an opened experiment, errors, and the newest picture.
void MainWindow::take_frame()
{
    const auto before = worker_.newest();
    worker_.process_gl_tasks();
    const auto now = worker_.newest();
    if (const auto asked = requested_.find(now->opened); asked != requested_.end()) {
        if (before->is_open() && before->engine.has_clock) // remember the times of the experiment
                                                           // being left
            edits_.note_time(before->a.lab->place, before->a.variant->id,
                             before->step_ms(before->a.variant->id));
        const Session& session = now->found->session;
        const Wanted::Kind kind = kind_of(asked->second, now->found->arrival);
        printed_.clear();
        // Keep the last typed text before another file replaces it.
        if (kind != Wanted::edit && saving_.has_new_texts()) saving_.keep(*now, is_opening());
        edits_.arrive(session, kind, before->is_open() ? before->a.journal() : Journal{});
        if (std::exchange(paused_by_output_, false) && kind == Wanted::restart)
            perform(Pause{false});
        requested_.erase(requested_.begin(), std::next(asked));
        if (now->found->talk) edits_.give(now->found->talk);
        for (const std::string& note : now->found->notes) edits_.tell(note);
        if (!now->found->program.empty()) {
            built_program_ = now->found->program;
            perform(ShowTab{tabs::program});
        } else if (!now->found->kernel_file.empty()) {
            built_program_.clear();
        }
        follow_kernel_file(texts_read(*now->found));
        if (const auto problem = std::exchange(script_problem_, {}); problem && shows_launch())
            report_script_problem(*problem, edits_.document().kernel_file);
        // Undoing may reopen a session with values that changed after the end of its journal.
        Document reached = document_of(session);
        reached.strokes = edits_.document().strokes;
        for (Change& change : changes_between(reached, edits_.document()))
            worker_.apply(std::move(change));
        window_.set_title("Lanescope: " + edits_.document().lab().title);
    }
    // Clear the fault message once something else runs, and announce an engine change.
    if (before->fault && !now->fault) {
        const Message* const error = edits_.document().log.error();
        if (error && error->text == before->fault->message) edits_.apply(Dismiss{});
    }
    if (before->opened == now->opened && before->engine.engine != now->engine.engine)
        edits_.tell(now->engine.reason);
    for (const auto& reported : now->problems) {
        const Problem& problem = *reported;
        if (problem.number <= problem_) continue;
        problem_ = problem.number;
        // A failure of an experiment that has been left is not shown over the next one.
        if (problem.opening == 0 && problem.opened < now->opened) continue;
        if (const auto asked = requested_.find(problem.opening); asked != requested_.end()) {
            const bool edit = asked->second == Wanted::edit;
            requested_.erase(requested_.begin(), std::next(asked));
            edit ? edits_.refuse_edit(problem.sentence) : edits_.refuse(problem.sentence);
        } else {
            edits_.complain(problem.sentence);
            // A fault that a lesson expects does not pause the experiment, because the variant
            // chosen next should run.
            if (problem.comparison)
                edits_.stop_comparing();
            else if (!problem.expected)
                edits_.pause();
        }
    }
    window_.set_fullscreen(edits_.document().look.lecture);
}

// Watches the file of the current texts, if they come from one. `read` holds its contents if the
// file has just been read.
void MainWindow::follow_kernel_file(const std::optional<labs::Texts>& read)
{
    const std::filesystem::path file = edits_.document().kernel_file;
    if (read && !file.empty()) {
        for (const auto& [name, text] : read->files)
            if (name != "lab.json") edits_.note_on_disk(file_of_text(file, name).string(), text);
        followed_ = file;
        return watch_.follow(file, *read);
    }
    if (file == followed_) return;
    followed_ = file;
    if (!file.empty() && !edits_.document().on_disk.contains(file.string())) {
        // Restored from an earlier session: the file's current contents replace the stored text.
        std::string text;
        try {
            text = read_own_text(file).text;
            perform(EditFile{text_name(file), text});
        } catch (const Error&) {
            text.clear(); // the file is gone: nothing is saved
        }
        edits_.note_on_disk(file.string(), std::move(text));
    }
    watch_.follow(file, *edits_.document().texts);
}

// Starts background compiles and takes their results; keeps the newest texts for recovery after a
// crash.
void MainWindow::follow_texts()
{
    const Document& document = edits_.document();
    if (document.include_folders != include_folders_) {
        include_folders_ = document.include_folders;
        std::vector<std::filesystem::path> folders;
        std::istringstream all(include_folders_);
        for (std::string one; std::getline(all, one, ':');)
            if (!one.empty()) folders.push_back(std::filesystem::absolute(one));
        search_for_headers_in(std::move(folders));
    }
    if (auto result = compiling_.take()) {
        edits_.take(result->outcome, result->original);
        for (const auto& [version, cost] : result->costs)
            edits_.note_cost(version.first, version.second, cost);
        if (requested_.empty()) labs::forget_texts(edits_.places());
    }
    guarded(edits_, [&] {
        if (const auto job = texts_to_validate(document))
            compiling_.want(*job);
        else
            compiling_.drop();
    });
    edits_.note_compiling(compiling_.in_progress());
    if (requested_.empty()) edits_.follow_texts(); // otherwise the texts may be those being opened
    saving_.keep_changes(*worker_.newest(), is_opening());
}

void MainWindow::perform(const Command& command)
{
    writer_.note(command, pace_.seconds());
    if (const auto* take = command.get_if<Take>()) {
        const bool recorded = captures_.status().recording;
        guarded(edits_, [&] { captures_.ask(take->what, capture_scene()); });
        ui_.captures = captures_.status(); // for the next key
        if (ui_.captures.recording && !recorded && !edits_.document().look.step.on)
            edits_.apply(Pause{false});
        return;
    }
    if (command.is<CancelFiles>()) return captures_.cancel();
    if (const auto* step = command.get_if<StepLaunch>()) return stepping_.move(step->move);
    if (const auto* asked = command.get_if<ExplainElement>())
        return stepping_.explain(asked->u, asked->v);
    if (const auto* save = command.get_if<SaveLab>()) return saving_.save_lab(save->folder);
    if (const auto* save = command.get_if<SaveText>()) return saving_.save_text(save->file);
    if (const auto* save = command.get_if<SaveSession>())
        return saving_.save_session_as(save->file, *worker_.newest(), shows_launch());
    if (const auto* run = command.get_if<RunProgram>())
        return run_program({.file = run->file, .edits = {}});
    if (const auto* run = command.get_if<RunProgramOnGpu>())
        return run_program({.file = run->file, .edits = {}, .on_gpu = true});
    if (command.is<StopProgram>()) return program_.stop();
    if (const auto* launch = command.get_if<OpenLaunch>()) return open_launch(launch->index);
    if (command.is<Close>()) return window_.close();
    if (command.is<Paint>() && is_opening()) return;
    ui_.tried |= hint_of(command);
    const Document was = edits_.document();
    edits_.apply(command);
    const Document& is = edits_.document();
    for (Change& change : changes_between(was, is)) worker_.apply(std::move(change));
    if (is.single_steps > was.single_steps) worker_.step(is.single_steps - was.single_steps);
}

// Updates the program on offer, and the result of the last run.
void MainWindow::follow_program()
{
    const Document& document = edits_.document();
    ui_.program.frame = program_.newest();
    const ProgramFrame* const frame = ui_.program.frame.get();
    const std::string& file = document.kernel_file;
    if (!running_script_.empty() && document.kernel_file != running_script_.string()) {
        // Closing a script ends it.
        if (frame && frame->job.file == running_script_) program_.stop();
        running_script_.clear();
    }
    if (frame && frame->launch_of(document.lab().origin())) {
        ui_.program.offered = frame->job.file;
    } else if (is_python_source(file)) {
        ui_.program.offered = file;
    } else if (!built_program_.empty()) {
        ui_.program.offered = built_program_;
    } else {
        const auto source = document.texts->files.find(file.empty() ? "" : text_name(file));
        const bool whole =
            source != document.texts->files.end() && is_whole_program(source->second);
        ui_.program.offered = whole ? std::filesystem::path(file) : std::filesystem::path();
    }
    if (!frame || frame->state == ProgramFrame::State::running || frame->number == reported_run_)
        return;
    reported_run_ = frame->number;
    if (const auto launch = std::exchange(launch_to_open_, {})) {
        if (frame->state == ProgramFrame::State::done) open_launch(*launch);
    } else if (!running_script_.empty() && frame->job.file == running_script_) {
        take_script_run(*frame);
    }
}

// Opens a launch of the script that has run, or reports why there is none.
void MainWindow::take_script_run(const ProgramFrame& frame)
{
    using State = ProgramFrame::State;
    const std::filesystem::path& script = frame.job.file;
    if (frame.state == State::stopped) return;
    std::optional<PythonProblem> problem =
        frame.state == State::failed
            ? PythonProblem{0, frame.problem, {}}
            : python_problem(script, frame.result.end, frame.result.report);
    const auto [index, kernel] = script_launch_;
    const ProgramLaunch* const launch = launch_to_show(frame.result.report, index, kernel);
    if (launch) {
        script_problem_ = std::move(problem);
        return open_launch(launch->index);
    }
    if (!problem && !frame.result.report.findings.empty())
        problem = PythonProblem{0, frame.result.report.findings.front().message, {}};
    if (problem) report_script_problem(*problem, script);
}

// Shows the problem at its line in the editor, and as an error.
void MainWindow::report_script_problem(const PythonProblem& problem,
                                       const std::filesystem::path& script)
{
    const Document& document = edits_.document();
    TextOutcome outcome{.kind = TextOutcome::Kind::refused, .texts = document.texts};
    outcome.variant = document.variant;
    outcome.values = document.values;
    outcome.compile_now = document.bench.compile_now;
    outcome.sentence = problem.text(script);
    outcome.complaints = {{.file = text_name(script),
                           .line = problem.line,
                           .sentence = problem.sentence,
                           .detail = problem.detail}};
    edits_.take(std::make_shared<const TextOutcome>(std::move(outcome)), nullptr);
    edits_.complain(problem.text(script));
}

// Runs a program with its edits: the current texts if its file is open, or the variant's text if
// one of its launches is open.
void MainWindow::run_program(ProgramJob job, bool asked)
{
    const Document& document = edits_.document();
    if (job.file.empty()) job.file = ui_.program.offered;
    if (job.file.empty() && ui_.program.frame) job.file = ui_.program.frame->job.file;
    if (job.file.empty())
        return edits_.complain("There is no program to run: open a .cu file with a main() that "
                               "launches kernels, a Python script, or a program that nvcc has "
                               "built.");
    job.file = std::filesystem::absolute(job.file);
    const ProgramFrame* const frame = ui_.program.frame.get();
    if (frame && frame->job.file == job.file) job.edits = frame->job.edits;
    if (document.kernel_file == job.file.string()) {
        job.edits.clear();
        for (const auto& [name, text] : document.texts->files) {
            const std::string path = file_of_text(document.kernel_file, name).string();
            const auto known = document.on_disk.find(path);
            if (known != document.on_disk.end() && *known->second != text) job.edits[path] = text;
        }
    } else if (frame) {
        const ProgramLaunch* const launch = frame->launch_of(document.lab().origin());
        const EditedText edited = edited_text(document);
        const bool changed = launch && edited.file != document.lab().variants.front().source;
        if (changed && is_built_program(job.file))
            return edits_.complain(
                fmt::format("{} is a compiled program; open its .cu file to run it with your edit.",
                            job.name()));
        if (changed && !launch->source.empty())
            job.edits[launch->source.string()] = std::string(edited.text);
    }
    if (is_python_source(job.file) && document.kernel_file == job.file.string())
        running_script_ = job.file;
    program_.run(std::move(job));
    if (asked && !shows_tab(edits_.document().look, tabs::program)) perform(ShowTab{tabs::program});
}

// True if a launch is open, whose folder is deleted with the window.
bool MainWindow::shows_launch() const
{
    return ui_.program.frame && ui_.program.frame->launch_of(edits_.document().lab().origin());
}

void MainWindow::open_launch(int index)
{
    const auto frame = program_.newest();
    const ProgramLaunch* const launch = frame ? frame->launch(index) : nullptr;
    if (launch == nullptr)
        return edits_.complain(fmt::format("The program has no launch {}.", index));
    if (!launch->lab.empty()) {
        script_launch_ = {launch->index, launch->kernel};
        return edits_.apply(OpenFile{launch->lab.string()});
    }
    if (frame->job.keep_launch == index)
        return edits_.complain(fmt::format("Launch {} of {} cannot be opened: {}", index,
                                           launch->kernel, launch->not_kept));
    // The launch's memory was not kept: runs the program again and keeps it.
    launch_to_open_ = index;
    run_program(
        {.file = frame->job.file, .edits = {}, .keep_launch = index, .on_gpu = frame->job.on_gpu});
}

// About to close: if there is unsaved work, asks once (no modal dialogue).
void MainWindow::close()
{
    const bool loses = captures_.status().recording || !unsaved_words(edits_.document()).empty();
    if (!loses || ui_.close_question_open) return;
    ui_.close_question_open = true;
    go_to_picture(ui_); // Enter and Esc then answer the question
    ui_.save_as.close();
    ui_.files.close();
    ui_.go_to.close();
    ui_.settings = false;
    window_.stay_open();
}

// Computes answers ahead of time: for this beat and the next, or for the card.
void MainWindow::find_answers()
{
    const Document& document = edits_.document();
    const Presentation& presentation = document.presentation;
    const std::string read = shows_tab(document.look, tabs::lesson) ? document.start.lab : "";
    // a card's answers come first
    const std::string& checked = presentation.card ? document.start.lab : read;
    if constexpr (!has_threads) start_yielding_work([this] { answers_.turn(); });
    const std::tuple now{presentation.now(), presentation.card, checked};
    if (now == answered_) return;
    answered_ = now;
    std::vector<Formula> formulas;
    const auto add = [&](const std::vector<Formula>& more) {
        formulas.insert(formulas.end(), more.begin(), more.end());
    };
    if (presentation.card) {
        const auto cards = cards_for(document.lab()).all;
        for (std::size_t i = *presentation.card; i < cards.size(); ++i) add(cards[i]->formulas());
    }
    if (presentation.now()) {
        add(presentation.now()->formulas());
        const auto& beats = presentation.talk->beats;
        if (presentation.beat + 1 < beats.size()) add(beats[presentation.beat + 1].formulas());
    }
    if (!read.empty())
        guarded(edits_, [&] {
            for (const Words::Piece& piece : read_words(document.lab().lesson()).pieces)
                if (!piece.formula.empty()) formulas.push_back(piece.formula);
        });
    answers_.want(formulas);
}

void MainWindow::open_request()
{
    const auto& wanted = edits_.document().wanted;
    if (!wanted || (wanted->kind == Wanted::restart && slider_is_held())) return;
    const auto now = worker_.newest();
    const Edits::Begun begun = edits_.begin_request(now->is_open() ? now->a.journal() : Journal{});
    OpenJob job = open_job_of(begun);
    const auto program = program_.newest();
    const bool of_script = program && is_python_source(program->job.file) &&
                           begun.session.kernel_file == program->job.file.string();
    if (of_script)
        if (const ProgramLaunch* const launch = program->launch_of(begun.wanted.file.string()))
            job.find = [lab = launch->lab, source = launch->source, script = program->job.file,
                        session = begun.session] {
                return find_launch_of_script(lab, source, script, session);
            };
    requested_[worker_.open(std::move(job))] = begun.wanted.kind;
}

CaptureScene MainWindow::capture_scene()
{
    const Document& document = edits_.document();
    const float em = text_height(ImGui::GetIO().DisplaySize, document.look);
    const float text_px = em * ui_.pixels_per_point;
    const auto now = worker_.newest_held();
    const bool drawable = worker_.drawable();
    const bool together = document.look.compare.empty() || (now->b && now->together);
    return {.document = document,
            .frame = now,
            .drawable = drawable,
            .whole = covers_picture(document.look.step)
                         ? ui_.stepped.frame != nullptr
                         : drawable && now->a.picture && together && !is_opening(),
            .scene = picture_.scene(),
            .picture = picture_.size(),
            .picture_text_px = picture_text(document.look, text_px),
            .window = {window_.width_px(), window_.height_px()},
            .window_text_px = text_px,
            .exhibit =
                [&document, now, em] {
                    const ImVec2 size = ImGui::GetIO().DisplaySize;
                    const Layout layout = layout_of(document.look, size);
                    return shown_exhibit(document, *now, is_wide(layout.bottom, em));
                },
            .stepped = ui_.stepped,
            .takes_lab = shows_launch()};
}

namespace {

// Clears only around the picture: software rendering would fill its pixels twice.
void clear_around(const render::PixelRect& picture, int width, int height, ImVec4 colour)
{
    const float rgba[] = {colour.x, colour.y, colour.z, 1};
    const int left = std::clamp(picture.x, 0, width);
    const int right = std::clamp(picture.x + picture.width, left, width);
    const int lower = std::clamp(picture.y, 0, height);
    const int upper = std::clamp(picture.y + picture.height, lower, height);
    glEnable(GL_SCISSOR_TEST);
    for (const render::PixelRect& band : {render::PixelRect{0, 0, width, lower},
                                          {0, upper, width, height - upper},
                                          {0, lower, left, upper - lower},
                                          {right, lower, width - right, upper - lower}}) {
        if (band.width == 0 || band.height == 0) continue;
        glScissor(band.x, band.y, band.width, band.height);
        glClearNamedFramebufferfv(0, GL_COLOR, 0, rgba);
    }
    glDisable(GL_SCISSOR_TEST);
}

} // namespace

void MainWindow::present(const Layout& layout)
{
    window_.begin_frame();
    const Look& look = edits_.document().look;
    const float scale = ui_.pixels_per_point;
    render::PixelRect shown{};
    if (!layout.picture.empty())
        shown =
            picture_.show(static_cast<int>(layout.picture.at.x * scale),
                          static_cast<int>(layout.picture.at.y * scale), window_.height_px(), look);
    clear_around(shown, window_.width_px(), window_.height_px(), palette(look.theme).background);
    {
        const render::gl::DebugGroup group("panels");
        gui_.draw();
    }
    guarded(edits_, [&] { captures_.read_window(capture_scene()); });
    window_.swap();
    const auto now = worker_.newest();
    pace_.frame(now->picture, now->a.facts.steps, now->fault != nullptr);
}

void MainWindow::wait()
{
    if (captures_.drawing()) return;
    const bool idle =
        edits_.document().paused && worker_.idle() && !is_opening() && !picture_.moves();
    if (idle && !has_threads) return;
    if (idle)
        render::Window::wait_events(pace_.patience().count());
    else
        worker_.wait(pace_.patience());
    if (window_.info().software && has_threads)
        std::this_thread::sleep_for(std::chrono::duration<double>(pace_.wait_s()));
}

void MainWindow::end()
{
    window_.hide(); // finish pending writes, but hide the window first
    std::vector<Outcome> ended = captures_.finish();
    for (Outcome& outcome : saving_.finish()) ended.push_back(std::move(outcome));
    for (const Outcome& outcome : ended)
        if (outcome.failed || end_request() != 0)
            fmt::print(stderr, "lanescope: {}\n", outcome.text);
    const auto now = worker_.newest();
    saving_.keep_last(*now, is_opening());
    writer_.write();
    report_.write({edits_.document(), *now, ui_, pace_, is_opening(), answers_});
    saving_.finish_keeping();
    const bool left = worker_.end(150ms);
    if (left && !compiling_.busy()) return;
    end_as_requested();
    std::_Exit(0); // compilers cannot be interrupted
}

} // namespace lanescope::app
