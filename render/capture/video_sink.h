// Where a video's frames go, one by one. A sink that is destroyed before finish() removes what it
// wrote.
#pragma once

#include "render/capture/video.h"

namespace lanescope::render {

class VideoWriter::Sink {
public:
    virtual ~Sink() = default;
    virtual void add(const Pixels& frame) = 0;
    virtual void finish() = 0;
    // From another thread: makes the calls above return soon, with an Error or without.
    virtual void cancel() {}
};

enum class VideoKind { mp4, gif };

// Throws Error when ffmpeg is missing or the place cannot be written.
std::unique_ptr<VideoWriter::Sink> make_ffmpeg(const std::filesystem::path& path, VideoKind kind,
                                               const VideoOptions& options,
                                               double frames_per_second);
// `pattern` holds one printf number, %d or %05d, which counts from 1. Throws Error for any other.
std::unique_ptr<VideoWriter::Sink> make_png_sequence(const std::filesystem::path& pattern);

} // namespace lanescope::render
