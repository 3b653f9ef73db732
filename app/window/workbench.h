// The program's window: one lab running in the middle, panels around it. Holds what they share and
// turns keys, mouse and widgets into changes of it. One thread; only simt's steps run beside it.
#pragma once

#include <chrono>
#include <future>
#include <optional>
#include <string>

#include "app/engine.h"
#include "app/keys.h"
#include "app/panels/readings.h"
#include "app/panels/style.h"
#include "app/scene.h"
#include "app/session.h"
#include "app/stage.h"
#include "app/window/gui.h"
#include "app/window/layout.h"
#include "app/window/pace.h"
#include "render/context/window.h"
#include "render/gl/objects.h"

namespace lanescope::app {

struct WorkbenchOptions {
    std::string size = "1280x720";
    std::string report;               // where to write what happens, for tests and measurements
    std::optional<double> exit_after; // seconds
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
};

class Workbench {
public:
    // Throws Error when there is no display, or the session's engine is not there.
    Workbench(const WorkbenchOptions& options, const Session& session);
    ~Workbench();
    Workbench(const Workbench&) = delete;
    Workbench& operator=(const Workbench&) = delete;

    // Until the user closes the window.
    void run();

private:
    // workbench.cpp: the frame
    void frame();
    void collect();
    void draw_picture(const Area& area, float em);
    void begin_work();
    void wait();
    void note_readings();
    void write_report();

    // workbench_actions.cpp: changes
    void handle_keys();
    void act(const Pressed& pressed);
    void open(const Session& session);
    void restart();
    void open_engine_of(const std::string& choice);
    void choose_lab(const std::string& lab, const std::string& variant);
    void choose_variant(const std::string& variant);
    void change_values(const labs::Values& values);
    void choose_preset(std::size_t index);
    void next_view();
    void fail(const std::string& what);
    // Runs something that may throw Error; what went wrong is then told in the strip.
    template <class Work>
    void guarded(Work&& work)
    {
        try {
            work();
        } catch (const Error& error) {
            fail(error.what());
        }
    }

    // workbench_panels.cpp: widgets
    void draw_panels(const Layout& layout, float em);
    void draw_left(const PanelStyle& style, const Area& area);
    void draw_right(const PanelStyle& style, const Area& area);
    void draw_overlays(const PanelStyle& style, const Area& area);

    const labs::Lab& lab() const { return labs::find(start_.lab); }
    Session session() const;

    WorkbenchOptions options_;
    render::Window window_;
    Gui gui_;
    Pace pace_;

    std::string engine_choice_ = "auto";
    OpenedEngine engine_;
    std::future<double> copy_gb_per_s_; // measured beside the first frames
    Start start_;                       // what a restart starts from
    std::unique_ptr<Stage> stage_;      // none while its device is lost
    std::string variant_;               // as chosen; the stage follows at its next frame
    std::optional<labs::Values> values_;
    Look look_;
    std::size_t preset_ = SIZE_MAX;

    Scene scene_;
    std::optional<render::gl::Target> target_;
    Scene::Placement placement_;
    std::optional<Look> drawn_look_; // with which the target was drawn

    bool paused_ = false;
    bool help_ = false;
    bool restart_wanted_ = false; // as soon as no slider is held
    bool new_picture_ = false;
    std::int64_t steps_wanted_ = 0; // by the step key
    std::string error_;
    Readings readings_;
    std::int64_t rate_steps_ = 0;
    std::chrono::steady_clock::time_point rate_begin_;
    std::chrono::steady_clock::time_point report_written_;
    int reports_ = 0;
};

} // namespace lanescope::app
