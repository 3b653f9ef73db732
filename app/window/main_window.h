// The program's window. Its loop turns keys, mouse and widgets into commands, commands into the
// document, the document into a plan for the worker; and draws the worker's newest frame. It waits
// for nothing but the screen.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "app/document/edits.h"
#include "app/document/last_session.h"
#include "app/document/script.h"
#include "app/lessons/answers.h"
#include "app/run/editing/compiling.h"
#include "app/run/file_watch.h"
#include "app/run/kernel/kernel_output.h"
#include "app/run/program/program_actor.h"
#include "app/run/program/python.h"
#include "app/run/worker.h"
#include "app/window/captures.h"
#include "app/window/gui/gui.h"
#include "app/window/gui/layout.h"
#include "app/window/input/events/input_events.h"
#include "app/window/interaction/interaction.h"
#include "app/window/interaction/stepping.h"
#include "app/window/pace.h"
#include "app/window/picture.h"
#include "app/window/report.h"
#include "app/window/saving.h"
#include "app/window/window.h"
#include "render/context/window.h"

namespace lanescope::app {

class MainWindow {
public:
    // Throws Error if there is no display, or the session cannot be opened.
    MainWindow(const WindowOptions& options, const Found& found);
    MainWindow(const MainWindow&) = delete;
    MainWindow& operator=(const MainWindow&) = delete;

    // Returns when the user closes the window.
    void run();
    bool turn(); // one iteration of the loop; false: the window should close

private:
    void open_first(const Found& found);
    void frame();
    void renew_interaction(); // state that the panels only read: scale, captures, output
    void follow_mouse(const Area& picture, const Frame& now, Commands& out);
    void draw_picture(const Area& area, float em, const std::shared_ptr<const Frame>& now);
    void take_input(Commands& out);
    void take_frame();
    void pause_after_output();
    void follow_texts();
    void follow_file(Commands& out);
    void follow_kernel_file(const std::optional<labs::Texts>& read);
    void follow_program();
    void follow_script(const FileWatch::Saved& saved);
    void take_script_run(const ProgramFrame& frame);
    void report_script_problem(const PythonProblem& problem, const std::filesystem::path& script);
    // An empty file means the offered program. The document has the edits.
    void run_program(ProgramJob job, bool asked = true);
    void open_launch(int index);
    bool shows_launch() const;
    void perform(const Command& command);
    void close();
    Plan plan() const; // for the worker, valid from now on
    void open_request();
    bool is_opening() const { return edits_.document().wanted || !requested_.empty(); }
    CaptureScene capture_scene();
    void present(const Layout& layout);
    void find_answers();
    void wait();
    void end();

    WindowOptions options_;
    render::Window window_;
    InputEvents input_;
    Gui gui_;
    Pace pace_;
    Report report_;
    Edits edits_;
    Interaction ui_;
    Picture picture_;
    Captures captures_;
    Answers answers_;
    // The last request for answers: the beat, the card, and the lab of a lesson.
    std::tuple<const Beat*, std::optional<std::size_t>, std::string> answered_{};
    ScriptPlayer player_;
    ScriptWriter writer_;
    Compiling compiling_;
    std::string include_folders_;    // the compiler's search path
    FileWatch watch_;                // watches the open kernel file
    std::filesystem::path followed_; // file watched by watch_
    Saving saving_{edits_};
    KernelOutput printed_;          // constructed before the kernels run
    bool paused_by_output_ = false; // since the start of the experiment
    Worker worker_;
    std::map<std::uint64_t, Wanted::Kind> requested_; // open requests by the worker's number; the
                                                      // newest wins
    Stepping stepping_;
    ProgramActor program_;
    std::filesystem::path built_program_;  // the program opened last; empty: none
    std::uint64_t reported_run_ = 0;       // number of its last reported run
    std::optional<int> launch_to_open_;    // to be opened after the program has run
    std::filesystem::path running_script_; // the open Python script, which runs again when it is
                                           // saved, because the user has run it; else empty
    std::pair<int, std::string> script_launch_;   // the launch shown last: index and kernel
    std::optional<PythonProblem> script_problem_; // to be reported once its launch is open
    std::uint64_t problem_ = 0;                   // number of the worker's last reported problem
    std::optional<std::chrono::steady_clock::time_point> closing_; // when closing was requested
};

} // namespace lanescope::app
