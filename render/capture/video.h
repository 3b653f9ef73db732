// Writes videos with ffmpeg, or numbered PNG files. The same frames give the same video.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "render/capture/png.h"
#include "render/views/paint/pixels.h"

namespace lanescope::render {

struct VideoOptions {
    int width = 0; // size of every frame; an MP4 with an odd side repeats its last pixel
    int height = 0;
    int frames_per_second = 60;
};

// The path selects the format: .mp4 (H.264), .gif, or a PNG sequence if the name contains a number
// format (frames/%05d.png). Frames are encoded on a separate thread; add() blocks when it falls
// behind, so none is lost.
class VideoWriter {
public:
    // Throws Error if ffmpeg is missing, the extension is unknown or nothing can be written there.
    VideoWriter(const std::filesystem::path& path, const VideoOptions& options);
    // If done() has not returned true yet: stops the encoder and deletes the unfinished file.
    ~VideoWriter();
    VideoWriter(const VideoWriter&) = delete;
    VideoWriter& operator=(const VideoWriter&) = delete;

    // Throws Error with ffmpeg's message if encoding failed or the disk is full.
    void add(Pixels frame);
    // True if add() would block.
    bool full() const;
    // Marks the end of the input: the remaining frames are encoded in the background until done().
    void end();
    // True once the file is complete and has its name. Throws Error if it could not be made.
    bool done();
    // Calls end() and waits until done().
    void finish();
    int frames() const { return frames_; }
    int written() const; // number of frames encoded so far
    // Playback rate: as requested, except for GIF, whose delays are whole hundredths of a second.
    double frames_per_second() const;

    class Sink; // receives frames one by one
private:
    class Queue;
    std::unique_ptr<Queue> queue_;
    double frames_per_second_;
    int width_;
    int height_;
    int frames_ = 0;
};

// Path of a video while it is incomplete; empty for numbered pictures, each of which is complete.
std::filesystem::path partial_of(const std::filesystem::path& video);

// The command that installs ffmpeg on this system: "apt install ffmpeg".
std::string ffmpeg_installation();

} // namespace lanescope::render
