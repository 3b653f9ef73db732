// The program's window: one lab running in the middle, panels around it. Holds what they share and
// turns keys, mouse and widgets into changes of it. One thread; whatever takes long runs beside it.
#pragma once

#include <chrono>
#include <exception>
#include <filesystem>
#include <future>
#include <new>
#include <optional>
#include <string>

#include "app/commands/options.h"
#include "app/document/keys.h"
#include "app/document/session.h"
#include "app/draw/scene.h"
#include "app/draw/shown.h"
#include "app/export/recorder.h"
#include "app/export/saver.h"
#include "app/measure/measured_roofs.h"
#include "app/run/engine.h"
#include "app/run/live_sweep.h"
#include "app/run/opening.h"
#include "app/run/rival.h"
#include "app/run/stage.h"
#include "app/window/gui.h"
#include "app/window/input_events.h"
#include "app/window/layout.h"
#include "app/window/pace.h"
#include "app/window/panels/files.h"
#include "app/window/panels/lesson.h"
#include "app/window/panels/readings.h"
#include "app/window/panels/style.h"
#include "app/window/plots/variants.h"
#include "app/window/source_heat.h"
#include "render/context/window.h"
#include "render/gl/objects.h"

namespace lanescope::app {

struct WorkbenchOptions {
    std::string size = "1280x720";
    std::string report;               // where to write what happens, for tests and measurements
    std::optional<double> exit_after; // seconds
    bool check = false;               // the report also tells OpenGL's complaints and what is held
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
    enum class CaptureUse { picture, frame, figure, exhibit, window };

    // workbench.cpp: the frame
    void frame();
    void collect();
    void draw_picture(const Area& area, float em);
    void begin_work();
    double work_seconds() const; // that the step under way has taken
    void wait();
    void note_readings();
    void write_report();

    // workbench_opening.cpp: another experiment
    void open_at_once(const Session& session);
    void wish(Wish wish);
    bool opens_something() const;
    bool poll_opening();
    void adopt(Opening::Ready ready);
    void adopt_or_make_room(Opening& ended);
    Session fresh_session() const;
    void restart();
    void choose_engine(const std::string& choice);
    void choose_lab(const std::string& lab, const std::string& variant);
    void next_lab(int by);
    void open_file(const std::filesystem::path& file);

    // workbench_actions.cpp: changes
    void handle_keys();
    void act(const Pressed& pressed);
    void choose_variant(const std::string& variant);
    void change_values(const labs::Values& values);
    void choose_preset(std::size_t index);
    void next_view();
    void apply(const decltype(Event::what)& what);
    void next_map();
    void toggle_bottom(const std::string& tab);
    void complain(const std::string& what);
    // Runs something that may throw; what went wrong is then told in the strip, and false returned.
    template <class Work>
    bool guarded(Work&& work)
    {
        try {
            work();
            return true;
        } catch (const std::bad_alloc&) {
            complain("There is not enough memory for this. Choose a smaller size.");
        } catch (const std::exception& error) {
            complain(error.what());
        }
        return false;
    }
    // The same for what would go wrong again in every frame: the experiment is paused.
    template <class Work>
    void guarded_frame(Work&& work)
    {
        if (!guarded(std::forward<Work>(work))) paused_ = true;
    }

    // workbench_keyboard.cpp: what the mouse does, by keys
    void share_keyboard();
    bool widgets_take(const Pressed& pressed) const;
    void move_by_arrow(int right, int up);
    void move_picture(int right, int up);
    void zoom_picture(float factor);
    void paint_in_the_middle(bool erase);
    void move_divider(float by);
    static void resize_panel(float& size, float by);
    void leave();
    void go_to_picture();
    void go_to_panel(int by);

    // workbench_compare.cpp: A/B
    void choose_rival(const std::string& variant);
    void toggle_rival();
    bool exchange_rival();
    bool follow_with_rival();
    void collect_rival();
    bool side_by_side() const;
    Shown shown(float text_px);
    void draw_beside(const Shown& both, const render::PixelRect& all);
    void show_rival(const Area& area, int window_height);
    bool drag_divider(const PanelStyle& style, const Area& area);

    // workbench_capture.cpp: pictures, videos and sessions as files
    PictureFormat capture_format() const;
    bool can_capture() const;
    void begin_capture(const PictureFormat& format);
    void advance_capture();
    void take_window();
    void save_pixels(render::Pixels pixels, const std::string& ending,
                     const std::optional<PictureFormat>& format);
    void save_session_file();
    void toggle_recording(CaptureUse what); // the picture's frames or the window's
    void record_window();
    void poll_files();
    void choose_folder(const std::string& text);
    void draw_capture_controls(const PanelStyle& style);
    void draw_file_strips(const PanelStyle& style, const Area& area);
    void tell(const std::string& what);

    // workbench_maps.cpp: what stands in the middle
    void choose_subject(Subject subject);
    void next_subject();
    void move_in_subject(int right, int up, int requests);
    void move_to_site(int by);
    void draw_map_controls(const PanelStyle& style);
    void draw_picture_controls(const PanelStyle& style);
    void draw_memory_controls(const PanelStyle& style);
    void draw_request_controls(const PanelStyle& style);
    void draw_probe_cost(const PanelStyle& style);
    void draw_hover(const Area& area);
    const Stage& side_at(const Area& area, float x) const;
    std::string pointed_words(const Stage& side, const Area& area);

    // workbench_panels.cpp: widgets
    void draw_panels(const Layout& layout, float em);
    void draw_left(const PanelStyle& style, const Area& area);
    void draw_right(const PanelStyle& style, const Area& area);
    void draw_overlays(const PanelStyle& style, const Area& area);

    // workbench_plots.cpp: the strip below
    void draw_bottom(const PanelStyle& style, const Area& area);
    void draw_sweep_controls(const PanelStyle& style);
    bool sweep_measures() const; // times, now
    bool shows_tab(std::string_view tab) const;
    Counting counting() const; // what a frame is to count
    void note_counts(const Stage& stage);
    std::vector<VariantReading> variant_readings() const;
    KernelNeeds kernel_needs() const;
    std::optional<Exhibit> shown_exhibit() const;
    void begin_export();
    void save_export(render::Pixels pixels);
    void save_picture_figure(render::Pixels wordless);

    const labs::Lab& lab() const { return labs::find(start_.lab); }
    Session session() const;

    WorkbenchOptions options_;
    render::Window window_;
    InputEvents input_{window_.handle()};
    Gui gui_;
    Pace pace_;

    std::string engine_choice_ = "auto";
    OpenedEngine engine_;
    std::future<Roofs> measured_roofs_;       // measured beside the first frames
    Start start_;                             // what a restart starts from
    std::unique_ptr<Stage> stage_;            // none while its device is lost
    std::unique_ptr<Stage> rival_;            // the other side of A/B
    std::optional<std::string> rival_wanted_; // that it is to become
    std::optional<Wish> wished_;              // to be opened next
    std::optional<Opening> opening_;
    std::optional<render::gl::Target> rival_target_;
    std::optional<FieldDifference> difference_; // at the step that is shown
    std::string rival_view_;
    bool divider_held_ = false;
    std::string variant_; // as chosen; the stage follows at its next frame
    std::optional<labs::Values> values_;
    Look look_;
    std::size_t preset_ = SIZE_MAX;

    Scene scene_;
    std::optional<render::gl::Target> target_;
    Scene::Placement placement_;
    std::optional<Look> drawn_look_; // with which the target was drawn
    bool drawn_rival_ = false;       // … and with what
    std::optional<float> drawn_difference_;

    bool paused_ = false;
    bool help_ = false;
    FileChooser files_;
    int panel_ = 0;        // where the keyboard stands: 0 is the picture
    int panel_frames_ = 0; // since then
    bool panel_marked_ = false;
    bool restart_wanted_ = false; // as soon as no slider is held
    bool new_picture_ = false;
    std::int64_t steps_wanted_ = 0; // by the step key
    std::string hover_;             // what the mouse points at
    std::string error_;
    std::string notice_; // what was done, such as a file written
    std::chrono::steady_clock::time_point notice_since_;
    Strips strips_; // of the picture that is being taken
    CaptureUse capture_use_ = CaptureUse::picture;
    CaptureUse recorded_ = CaptureUse::frame; // or the whole window
    PictureFormat capture_format_;
    bool picture_wanted_ = false;
    bool export_wanted_ = false;
    std::shared_ptr<const Exhibit> exported_; // whose picture is being drawn
    render::Theme export_theme_;
    bool figure_wanted_ = false;
    bool window_shot_wanted_ = false;
    std::filesystem::path folder_ = std::filesystem::current_path(); // where files go
    std::string folder_text_ = folder_.string();                     // as it is being typed
    Saver saver_;
    Recorder recorder_;

    // By variant:
    std::map<std::string, labs::Work> works_;     // of one step
    std::map<std::string, trace::Totals> totals_; // of the last counted step
    struct CountHistory {
        History warp_instructions;
        History sectors; // global
    };
    std::map<std::string, CountHistory> counted_;
    LiveSweep sweep_;
    bool strip_is_wide_ = false;     // so that the history stands beside the bars
    std::vector<SourceLine> source_; // of the shown variant, with its counts
    std::vector<LessonBlock> lesson_;
    int opened_line_ = 0;
    Readings readings_;
    std::int64_t rate_steps_ = 0;
    std::chrono::steady_clock::time_point rate_begin_;
    std::chrono::steady_clock::time_point report_written_;
    int reports_ = 0;
    std::vector<std::string> gl_errors_;
    std::chrono::steady_clock::time_point work_since_;
};

} // namespace lanescope::app
