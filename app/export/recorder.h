// A video while it is recorded and while the rest of it is being written. Nothing here waits: who
// records asks full() before the next picture is made.
#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document/look.h"
#include "app/document/session/last_session.h"
#include "app/document/session/session.h"
#include "app/export/saver.h"
#include "render/capture/video.h"

namespace lanescope::app {

// Gives a video its name that was being recorded when the program ended: the encoder ends it by
// itself when there is nobody left to feed it, and that is waited for.
Outcome complete_unfinished_video(const UnfinishedVideo& left);

class Recorder {
public:
    // Begins a video in the folder; without ffmpeg, numbered pictures whatever was chosen. Throws
    // Error when nothing can be written there.
    void start(const std::filesystem::path& folder, Saver& names, const PictureFormat& format,
               const CaptureChoice& choice);
    bool recording() const { return recording_.has_value(); }
    bool full() const { return recording_ && recording_->video->full(); }
    // One more frame. Throws Error when the video cannot be written; then it is given up and
    // nothing is left of it. Ends the recording when it is as long as was chosen.
    void add(render::Pixels frame);
    // No more frames: the rest is written beside the window. A recording without a frame is gone.
    void stop();
    // Gives up what is being recorded or finished; nothing is left of it.
    void cancel();
    // What became of a recording that has ended.
    std::optional<Outcome> poll();
    // For the end of what has been stopped, as long as it goes on: an encoder that has taken no
    // frame for ten seconds is given up. What became of them.
    std::vector<Outcome> finish();

    bool finishing() const { return !finishing_.empty(); }
    // Of what is recorded or, when nothing is, of what has been finishing longest.
    struct Progress {
        std::filesystem::path path;
        int frames = 0;
        int written = 0;
        double frames_per_second = 0;
        std::optional<int> frames_wanted;
    };
    Progress progress() const;
    const PictureFormat& format() const { return recording_->format; } // of every frame

private:
    struct Video {
        std::unique_ptr<render::VideoWriter> video;
        std::filesystem::path path; // the file, or the folder of numbered pictures
        PictureFormat format;
        std::optional<int> frames_wanted;
        std::unique_ptr<VideoMarker>
            mark{}; // found by the next start, should this one not end well
    };
    void discard(Video video);

    std::optional<Video> recording_;
    std::vector<Video> finishing_;            // oldest first
    std::vector<std::future<void>> given_up_; // ending takes as long as a frame's encoding
};

} // namespace lanescope::app
