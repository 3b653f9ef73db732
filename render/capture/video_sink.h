// Receives a video's frames one by one. A sink destroyed before finish() deletes what it wrote.
#pragma once

#include "render/capture/video.h"

namespace lanescope::render {

class VideoWriter::Sink {
public:
    virtual ~Sink() = default;
    virtual void add(const Pixels& frame) = 0;
    virtual void finish() = 0;
    // Callable from any thread: makes add() and finish() return soon, possibly with an Error.
    virtual void cancel() {}
};

enum class VideoKind { mp4, gif };

// Throws Error if ffmpeg is missing or the location cannot be written.
std::unique_ptr<VideoWriter::Sink> make_ffmpeg(const std::filesystem::path& path, VideoKind kind,
                                               const VideoOptions& options,
                                               double frames_per_second);
// `pattern` contains one printf number, %d or %05d, which counts from 1. Throws Error for any
// other.
std::unique_ptr<VideoWriter::Sink> make_png_sequence(const std::filesystem::path& pattern);

} // namespace lanescope::render
