// The encoder thread's queue, the choice of the sink, and frame rates.
#include "render/capture/video.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "compute/endings.h"
#include "compute/error.h"
#include "render/capture/video_sink.h"

namespace lanescope::render {
namespace {

constexpr std::size_t max_queued = 8; // frames; 200 MB at 3840 × 2160

bool is_sequence(const std::filesystem::path& path)
{
    return path.extension() == ending::png &&
           path.filename().string().find('%') != std::string::npos;
}

// GIF stores delays in hundredths of a second, and viewers slow down delays below two.
double gif_rate(int wanted)
{
    return 100.0 / std::max(2.0, std::round(100.0 / wanted));
}

} // namespace

// Passes frames to a sink on a separate thread.
class VideoWriter::Queue {
public:
    explicit Queue(std::unique_ptr<Sink> sink) : sink_(std::move(sink)), thread_([this] { work(); })
    {
    }

    ~Queue()
    {
        {
            const std::scoped_lock lock(mutex_);
            waiting_.clear();
            cancelled_ = true;
        }
        changed_.notify_all();
        sink_->cancel();
        thread_.join();
    }

    void add(Pixels frame)
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return waiting_.size() < max_queued || failure_; });
        if (failure_) std::rethrow_exception(failure_);
        waiting_.push_back(std::move(frame));
        changed_.notify_all();
    }

    bool full()
    {
        const std::scoped_lock lock(mutex_);
        return waiting_.size() >= max_queued && !failure_;
    }

    void end()
    {
        const std::scoped_lock lock(mutex_);
        ended_ = true;
        changed_.notify_all();
    }

    bool done(bool wait)
    {
        std::unique_lock lock(mutex_);
        if (wait) changed_.wait(lock, [this] { return done_ || failure_; });
        if (failure_) std::rethrow_exception(failure_);
        return done_;
    }

    int written()
    {
        const std::scoped_lock lock(mutex_);
        return written_;
    }

private:
    // Returns the next frame; empty after the last.
    std::optional<Pixels> next()
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !waiting_.empty() || ended_ || cancelled_; });
        if (waiting_.empty()) return std::nullopt;
        Pixels frame = std::move(waiting_.front());
        waiting_.pop_front();
        changed_.notify_all();
        return frame;
    }

    void work()
    {
        try {
            while (const auto frame = next()) {
                sink_->add(*frame);
                const std::scoped_lock lock(mutex_);
                ++written_;
            }
            {
                const std::scoped_lock lock(mutex_);
                if (cancelled_) return;
            }
            sink_->finish();
            const std::scoped_lock lock(mutex_);
            done_ = true;
        } catch (...) {
            const std::scoped_lock lock(mutex_);
            failure_ = std::current_exception();
            waiting_.clear();
        }
        changed_.notify_all();
    }

    std::unique_ptr<Sink> sink_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Pixels> waiting_;
    std::exception_ptr failure_;
    int written_ = 0;
    bool ended_ = false;
    bool cancelled_ = false;
    bool done_ = false;
    std::thread thread_;
};

VideoWriter::VideoWriter(const std::filesystem::path& path, const VideoOptions& options)
    : frames_per_second_(options.frames_per_second), width_(options.width), height_(options.height)
{
    if (width_ < 2 || height_ < 2 || options.frames_per_second < 1)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("A video of {}×{} pixels at {} frames/s cannot be written.", width_,
                                height_, options.frames_per_second),
                    "Choose at least 2×2 pixels and 1 frame/s.");
    std::unique_ptr<Sink> sink;
    if (is_sequence(path))
        sink = make_png_sequence(path);
    else if (path.extension() == ending::mp4)
        sink = make_ffmpeg(path, VideoKind::mp4, options, frames_per_second_);
    else if (path.extension() == ending::gif) {
        frames_per_second_ = gif_rate(options.frames_per_second);
        sink = make_ffmpeg(path, VideoKind::gif, options, frames_per_second_);
    } else
        throw Error(ExitStatus::bad_usage, fmt::format("{} has no video extension.", path.string()),
                    fmt::format("End the name with {} or {}, or give numbered pictures as in "
                                "frames/%05d{}.",
                                ending::mp4, ending::gif, ending::png));
    queue_ = std::make_unique<Queue>(std::move(sink));
}

VideoWriter::~VideoWriter() = default;

void VideoWriter::add(Pixels frame)
{
    if (frame.width != width_ || frame.height != height_)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("A frame of {}×{} pixels does not fit the video's {}×{}.",
                                frame.width, frame.height, width_, height_),
                    "Do not change the size while recording.");
    queue_->add(std::move(frame));
    ++frames_;
}

bool VideoWriter::full() const
{
    return queue_->full();
}

void VideoWriter::end()
{
    queue_->end();
}

bool VideoWriter::done()
{
    return queue_->done(false);
}

void VideoWriter::finish()
{
    queue_->end();
    queue_->done(true);
}

int VideoWriter::written() const
{
    return queue_->written();
}

double VideoWriter::frames_per_second() const
{
    return frames_per_second_;
}

} // namespace lanescope::render
