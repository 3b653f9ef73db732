// Videos being recorded and finished. Never blocks: the caller checks full() before it makes the
// next picture.
#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document/last_session.h"
#include "app/document/look/look.h"
#include "app/document/session/session.h"
#include "app/export/saver.h"
#include "render/capture/video.h"

namespace lanescope::app {

// Completes a video that was being recorded when the program ended: waits for the encoder, which
// finishes by itself once its input is closed, and gives the file its name.
Outcome complete_unfinished_video(const UnfinishedVideo& left);

class Recorder {
public:
    // Starts a video in the folder; numbered pictures if ffmpeg is missing. Throws Error if nothing
    // can be written there.
    void start(const std::filesystem::path& folder, Saver& names, const PictureFormat& format,
               const CaptureChoice& choice);
    bool recording() const { return recording_.has_value(); }
    bool full() const { return recording_ && recording_->video->full(); }
    // Adds a frame. Throws Error if the video cannot be written; it is then deleted. Stops at the
    // chosen length.
    void add(render::Pixels frame);
    // No more frames: the rest is written in the background. A recording without frames is dropped.
    void stop();
    // Cancels and deletes what is being recorded or finished.
    void cancel();
    // Result of a recording that has ended.
    std::optional<Outcome> poll();
    // Waits for stopped recordings while they make progress: an encoder that accepts no frame for
    // ten seconds is cancelled. Returns the results.
    std::vector<Outcome> finish();

    bool finishing() const { return !finishing_.empty(); }
    // Progress of the current recording or, without one, of the oldest being finished.
    struct Progress {
        std::filesystem::path path;
        int frames = 0;
        int written = 0;
        double frames_per_second = 0;
        std::optional<int> frames_wanted;
    };
    Progress progress() const;
    const PictureFormat& format() const { return recording_->format; } // the same for all frames

private:
    struct Video {
        std::unique_ptr<render::VideoWriter> video;
        std::filesystem::path path; // the file, or the folder of numbered pictures
        PictureFormat format;
        std::optional<int> frames_wanted;
        std::unique_ptr<VideoMarker> mark{}; // lets the next start recover the video after a crash
    };
    void discard(Video video);

    std::optional<Video> recording_;
    std::vector<Video> finishing_;             // oldest first
    std::vector<std::future<void>> abandoned_; // cancelling takes as long as encoding a frame
};

} // namespace lanescope::app
