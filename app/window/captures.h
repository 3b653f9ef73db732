// Pictures, videos, figures and exports from the window: each request is drawn as soon as possible,
// strip by strip, and written in the background. One thing is drawn at a time.
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
#include "app/window/interaction/interaction.h"
#include "render/capture/pixel_reader.h"
#include "render/views/paint/theme.h"

namespace lanescope::app {

// The state of the window in this frame, for captures.
struct CaptureScene {
    const Document& document;
    std::shared_ptr<const Frame> frame; // Worker::newest_held(): a copy keeps its memory unchanged
    bool drawable = false;              // OpenGL has the frame's memory
    bool whole = false;                 // nothing is in progress; in A/B, both sides exist
    Scene& scene;
    Size picture; // size on screen
    float picture_text_px = 0;
    Size window;
    float window_text_px = 0;
    std::function<std::optional<Exhibit>()> exhibit; // exhibit in the open tab of the strip below
    SteppedShown stepped{};                          // set while a launch is stepped through
    bool takes_lab = false; // sessions are saved together with the lab, whose folder is temporary
};

class Captures {
public:
    // Either kind of recording also ends one that is running. Throws Error if a recording cannot
    // start.
    void ask(Taken what, const CaptureScene& now);
    // Call before the window is drawn, with its context current. If drawing or writing throws,
    // drops that capture and rethrows.
    void draw(const CaptureScene& now);
    // Call after the window was drawn, before the swap: takes it as a picture, or as a frame of a
    // video.
    void read_window(const CaptureScene& now);
    // True if the recorder takes no more frames for now: a step started now would be missing from
    // the video.
    bool full() const { return recorder_.full(); }
    bool drawing() const { return strips_.in_progress(); }
    // True if a request has not been taken yet.
    bool pending() const { return drawing() || !requested_.empty() || ending_; }

    // Results of finished files, as sentences.
    std::vector<Outcome> poll();
    CaptureStatus status() const;
    void cancel();
    // Ends a recording, waits for pending writes, and returns their results.
    std::vector<Outcome> finish();

private:
    struct Drawn {
        enum class Kind : std::uint8_t { picture, frame, figure, exhibit };
        Kind kind = Kind::picture;
        PictureFormat format;
        Session session;                        // session shown in it
        std::uint64_t painted = 0;              // Document::painted when it was taken
        Shown shown;                            // set only for a picture
        std::shared_ptr<const Exhibit> exhibit; // set only for an exhibit
        render::Theme theme;
    };
    void begin(Drawn::Kind kind, const CaptureScene& now);
    void begin_exhibit(const CaptureScene& now);
    void end(render::Pixels pixels, Scene& scene);
    void write_picture(render::Pixels pixels, const std::string& name_end, const Session& session,
                       std::uint64_t painted);
    void take_frames(const CaptureScene& now);
    void end_window_recording();

    std::deque<Taken> requested_;
    std::optional<Drawn> drawn_; // being drawn in strips
    Strips strips_;
    Saver saver_;
    Recorder recorder_;
    bool records_window_ = false;  // the recording shows the window, not the picture
    std::uint64_t last_frame_ = 0; // last picture that was recorded
    std::optional<render::PixelReader> reader_;
    std::deque<render::Pixels> late_; // frames of the window not yet added to the video
    bool ending_ = false;             // the recording ends after these
    std::filesystem::path folder_;    // destination of the capture being drawn
    std::string about_;               // its lab and variant: "heat-naive"
    std::vector<Outcome> reported_;
};

} // namespace lanescope::app
