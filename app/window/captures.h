// Pictures, videos, figures and exports from the window: what has been asked for is taken as soon
// as it can be, strip by strip, and written beside the window. One thing is drawn at a time.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/document/commands.h"
#include "app/draw/shown.h"
#include "app/draw/strips.h"
#include "app/export/exhibit.h"
#include "app/export/recorder.h"
#include "app/export/saver.h"
#include "app/window/interaction.h"
#include "render/capture/pixel_reader.h"
#include "render/views/paint/theme.h"

namespace lanescope::app {

// What there is to be taken in this frame of the window.
struct CaptureScene {
    const Document& document;
    std::shared_ptr<const Frame> frame; // Worker::held_newest(): a copy keeps its memory as it is
    bool drawable = false;              // OpenGL has the frame's memory
    bool whole = false;                 // nothing is under way, and both sides of A/B are there
    Scene& scene;
    Size picture; // as it is shown
    float picture_text_px = 0;
    Size window;
    float window_text_px = 0;
    std::function<std::optional<Exhibit>()> exhibit; // that the strip below shows
    SteppedShown stepped{};                          // while a launch is stepped through
    bool takes_lab = false; // a session has its lab beside it: the lab's folder does not stay
};

class Captures {
public:
    // A recording that runs is ended by either of its kinds. Throws Error when none can be begun.
    void ask(Taken what, const CaptureScene& now);
    // Before the window is drawn, with its context. Throws what drawing or writing throws; then
    // that capture is given up.
    void draw(const CaptureScene& now);
    // After it was drawn, before it is shown: takes it as a picture, or as a frame of a video.
    void read_window(const CaptureScene& now);
    // The video takes no more for now: a step that began would be missing in it.
    bool full() const { return recorder_.full(); }
    bool drawing() const { return strips_.in_progress(); }
    // Something has been asked for that is not taken yet.
    bool pending() const { return drawing() || !asked_.empty() || ending_; }

    // What became of files, as sentences.
    std::vector<Outcome> poll();
    CaptureStatus status() const;
    void cancel();
    // Ends a recording and waits for what is being written; what became of it.
    std::vector<Outcome> finish();

private:
    struct Drawn {
        enum class Kind : std::uint8_t { picture, frame, figure, exhibit };
        Kind kind = Kind::picture;
        PictureFormat format;
        Session session;                        // that it shows
        std::uint64_t painted = 0;              // Document::painted that it has
        Shown shown;                            // of a picture
        std::shared_ptr<const Exhibit> exhibit; // of one
        render::Theme theme;
    };
    void begin(Drawn::Kind kind, const CaptureScene& now);
    void begin_exhibit(const CaptureScene& now);
    void end(render::Pixels pixels, Scene& scene);
    void write_picture(render::Pixels pixels, const std::string& name_end, const Session& session,
                       std::uint64_t painted);
    void take_frames(const CaptureScene& now);
    void end_window_recording();

    std::deque<Taken> asked_;
    std::optional<Drawn> drawn_; // that the strips are of
    Strips strips_;
    Saver saver_;
    Recorder recorder_;
    bool of_window_ = false;       // what is recorded
    std::uint64_t last_frame_ = 0; // that it has taken
    std::optional<render::PixelReader> reader_;
    std::deque<render::Pixels> late_; // frames of the window that the video has not taken yet
    bool ending_ = false;             // its recording ends with these
    std::filesystem::path folder_;    // of what is being drawn
    std::vector<Outcome> told_;
};

} // namespace lanescope::app
