// Pictures into a video by ffmpeg, or into numbered PNG files. Same frames in, same video out.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "render/capture/pixels.h"
#include "render/capture/png.h"

namespace lanescope::render {

struct VideoOptions {
    int width = 0; // of every frame; an odd side of an MP4 grows by repeating its last pixel
    int height = 0;
    int frames_per_second = 60;
};

// The path's ending picks the kind: .mp4 (H.264), .gif, or a PNG sequence for a name with a number
// in it (frames/%05d.png). Frames are encoded on a thread of their own; add() waits when it falls
// behind, so none is lost.
class VideoWriter {
public:
    // Throws Error when ffmpeg is missing, the path's ending is unknown or nothing can be written
    // there.
    VideoWriter(const std::filesystem::path& path, const VideoOptions& options);
    // Before done(), stops and removes what was written.
    ~VideoWriter();
    VideoWriter(const VideoWriter&) = delete;
    VideoWriter& operator=(const VideoWriter&) = delete;

    // Throws Error with ffmpeg's text when encoding failed or the disk is full.
    void add(Pixels frame);
    // Whether add() would wait.
    bool full() const;
    // No more frames: the rest is encoded while the caller goes on, until done().
    void end();
    // True once the file is whole and has its name. Throws Error when it could not be made.
    bool done();
    // end(), and waits until done().
    void finish();
    int frames() const { return frames_; }
    int written() const; // of these, how many are encoded
    // What the file plays at: as asked, except GIF, whose delays are whole hundredths of a second.
    double frames_per_second() const;

    class Sink; // takes frames one by one
private:
    class Queue;
    std::unique_ptr<Queue> queue_;
    double frames_per_second_;
    int width_;
    int height_;
    int frames_ = 0;
};

// Where a video is written until it is whole; empty for numbered pictures, each of which is.
std::filesystem::path partial_of(const std::filesystem::path& video);

// The command that installs ffmpeg on this system: "apt install ffmpeg".
std::string ffmpeg_installation();

} // namespace lanescope::render
