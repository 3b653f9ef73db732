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
#include "app/document/script.h"
#include "app/document/session/last_session.h"
#include "app/lessons/answers.h"
#include "app/run/editing/compiling.h"
#include "app/run/file_watch.h"
#include "app/run/kernel/kernel_output.h"
#include "app/run/program/program_actor.h"
#include "app/run/worker.h"
#include "app/window/captures.h"
#include "app/window/gui.h"
#include "app/window/input/input_events.h"
#include "app/window/interaction.h"
#include "app/window/layout.h"
#include "app/window/pace.h"
#include "app/window/picture.h"
#include "app/window/report.h"
#include "app/window/stepping.h"
#include "app/window/window.h"
#include "render/context/window.h"

namespace lanescope::app {

// Over 25 methods: what a frame does with panels, picture, captures, files and worker, which are
// classes of their own, one after the other.
class MainWindow {
public:
    // Throws Error when there is no display, or the session cannot be opened.
    MainWindow(const WindowOptions& options, const Found& found);
    MainWindow(const MainWindow&) = delete;
    MainWindow& operator=(const MainWindow&) = delete;

    // Until the user closes the window.
    void run();
    bool turn(); // of its loop; false: the window is to close

private:
    void open_first(const Found& found);
    void frame();
    void renew_interaction(); // with what does not come from the panels
    void follow_mouse(const Area& picture, const Frame& now, Commands& out);
    void draw_picture(const Area& area, float em, const std::shared_ptr<const Frame>& now);
    void take_input(Commands& out);
    void take_frame();
    void follow_texts();
    void follow_file(Commands& out);
    void poll_saving();
    void recover_unsaved();
    void follow_kernel_file(const std::optional<labs::Texts>& read);
    void save_text(const std::string& name);
    void save_lab(const std::string& name);
    void save_session_as(const std::string& name);
    void tell(Outcome outcome);
    void follow_program();
    // Without a file the one that is offered; the edits are those of the document.
    void run_program(ProgramJob job);
    void open_launch(int index);
    bool shows_launch() const;
    void keep();
    Kept recovery_state() const;
    void perform(const Command& command);
    void close();
    Plan plan() const; // what holds from now on
    void open_wanted();
    bool opens_something() const { return edits_.document().wanted || !asked_.empty(); }
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
    // What they were asked for last: of a beat, a card, a lab's lesson.
    std::tuple<const Beat*, std::optional<std::size_t>, std::string> answered_{};
    ScriptPlayer player_;
    ScriptWriter writer_;
    Compiling compiling_;
    std::string include_folders_;              // that the compiler searches
    FileWatch watch_;                          // the kernel's file that is shown
    std::vector<std::future<Outcome>> saving_; // folders that are being written
    struct Writing {                           // a kernel's text
        std::string file;
        std::string text;
        std::future<Outcome> done;
    };
    std::optional<Writing> writing_;
    std::filesystem::path followed_; // by watch_
    SessionKeeper keeper_;
    // What outlives a crash, as it was kept last.
    std::optional<Shared<labs::Texts>> stored_texts_;
    std::uint64_t stored_painted_ = 0;
    std::uint64_t stored_saved_ = 0;
    std::chrono::steady_clock::time_point stored_at_{};
    KernelOutput printed_; // before the kernels run
    Worker worker_;
    std::map<std::uint64_t, Wanted::Kind> asked_; // of the worker, by its number; the newest counts
    Stepping stepping_;
    ProgramActor program_;
    std::filesystem::path built_program_; // that was opened last; empty: none
    std::uint64_t reported_run_ = 0;      // its run
    std::optional<int> launch_to_open_;   // when the program has run
    std::uint64_t problem_ = 0;           // of the worker, that was told last
    std::optional<std::chrono::steady_clock::time_point> closing_; // since when it wants to
};

} // namespace lanescope::app
