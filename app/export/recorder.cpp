// A stopped video is finished in the background while the next one may already be recorded.
#include "app/export/recorder.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>
#include <utility>

#include "compute/endings.h"
#include "compute/process/open_files.h"
#include "compute/threads.h"
#include "render/capture/file.h"

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::string frames_of(int frames, double per_second)
{
    return fmt::format("{} frames, {:.1f} s at {:g} per second", frames, frames / per_second,
                       per_second);
}

// True if the video is playable: an MP4 that was not finished has no index.
bool is_whole(const fs::path& video)
{
    if (video.extension() != ".partial" || video.stem().extension() != ending::mp4) return true;
    std::ifstream file(video, std::ios::binary);
    std::string head(4096, '\0');
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    return head.find("moov") != std::string::npos;
}

fs::path free_name(const fs::path& wanted)
{
    fs::path path = wanted;
    for (int i = 2; fs::exists(path); ++i)
        path = wanted.parent_path() /
               fmt::format("{}-{}{}", wanted.stem().string(), i, wanted.extension().string());
    return path;
}

void make_folder(const fs::path& path)
{
    std::error_code code;
    fs::create_directories(path, code);
    if (code)
        throw Error(
            ExitStatus::bad_usage,
            fmt::format("The folder {} cannot be created: {}.", path.string(), code.message()),
            "Choose another folder for pictures and videos.");
}

} // namespace

Outcome complete_unfinished_video(const UnfinishedVideo& left)
try {
    const VideoMarker mark(left); // lets the next start continue if this program is killed, too
    for (const auto begin = std::chrono::steady_clock::now(); is_open_anywhere(left.partial);) {
        constexpr auto longest = 60s;
        if (std::chrono::steady_clock::now() - begin > longest)
            throw Error(ExitStatus::bad_usage,
                        fmt::format("{} was being recorded when the program ended, and its encoder "
                                    "is still running.",
                                    left.video.string()),
                        fmt::format("What it has written is in {}.", left.partial.string()));
        std::this_thread::sleep_for(100ms);
    }
    if (is_whole(left.partial)) {
        const fs::path name = free_name(left.video);
        render::replace_file(left.partial, name);
        return {fmt::format("Recovered {}: it was being recorded when the program ended.",
                            name.string())};
    }
    std::error_code ignored;
    fs::remove(left.partial, ignored);
    return {fmt::format("{} was being recorded when the program and its encoder "
                        "ended: it cannot be played.",
                        left.video.string()),
            true};
} catch (const std::exception& error) {
    return {error.what(), true};
}

void Recorder::start(const fs::path& folder, Saver& names, const PictureFormat& format,
                     const CaptureChoice& choice)
{
    const render::VideoOptions options{format.size.width, format.size.height, choice.rate};
    Video made{nullptr, {}, format, {}, nullptr};
    bool numbered = choice.format == "png";
    if (!numbered) {
        made.path = names.new_name(folder, "." + choice.format);
        try {
            made.video = std::make_unique<render::VideoWriter>(made.path, options);
            made.mark = std::make_unique<VideoMarker>(UnfinishedVideo{
                fs::absolute(made.path), fs::absolute(render::partial_of(made.path))});
        } catch (const Error& error) {
            if (error.status() != ExitStatus::no_such_thing) throw;
            numbered = true;
        }
    }
    if (numbered) {
        made.path = names.new_name(folder, "");
        make_folder(made.path);
        made.video = std::make_unique<render::VideoWriter>(
            made.path / (std::string("%05d") + ending::png), options);
    }
    if (choice.seconds > 0)
        made.frames_wanted =
            static_cast<int>(std::lround(choice.seconds * made.video->frames_per_second()));
    recording_ = std::move(made);
}

void Recorder::add(render::Pixels frame)
{
    try {
        recording_->video->add(std::move(frame));
    } catch (...) {
        cancel();
        throw;
    }
    const auto& wanted = recording_->frames_wanted;
    if (wanted && recording_->video->frames() >= *wanted) stop();
}

void Recorder::stop()
{
    if (!recording_) return;
    Video ended = std::move(*std::exchange(recording_, {}));
    if (ended.video->frames() == 0) {
        discard(std::move(ended));
        return;
    }
    ended.video->end();
    finishing_.push_back(std::move(ended));
}

void Recorder::discard(Video video)
{
    abandoned_.push_back(start_in_background([abandoned = std::move(video)]() mutable {
        abandoned.video.reset();
        abandoned.mark.reset();
        std::error_code ignored;
        if (fs::is_directory(abandoned.path, ignored)) fs::remove(abandoned.path, ignored);
    }));
}

void Recorder::cancel()
{
    if (recording_) discard(std::move(*std::exchange(recording_, {})));
    for (Video& video : std::exchange(finishing_, {})) discard(std::move(video));
}

std::optional<Outcome> Recorder::poll()
{
    std::erase_if(abandoned_, [](const std::future<void>& ending) {
        return ending.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    });
    for (auto one = finishing_.begin(); one != finishing_.end(); ++one) {
        Outcome outcome;
        try {
            if (!one->video->done()) continue;
            outcome.text =
                fmt::format("Saved {}: {}", one->path.string(),
                            frames_of(one->video->frames(), one->video->frames_per_second()));
        } catch (const std::exception& error) {
            outcome = {error.what(), true};
        }
        discard(std::move(*one)); // a complete video is kept
        finishing_.erase(one);
        return outcome;
    }
    return {};
}

std::vector<Outcome> Recorder::finish()
{
    constexpr auto patience = 10s;
    std::vector<Outcome> ended;
    int written = -1;
    for (auto since = std::chrono::steady_clock::now(); !finishing_.empty();) {
        if (auto outcome = poll()) {
            ended.push_back(std::move(*outcome));
            continue;
        }
        const auto now = std::chrono::steady_clock::now();
        if (const int so_far = progress().written; so_far != written) {
            written = so_far;
            since = now;
        }
        if (now - since > patience) {
            ended.push_back({fmt::format("{} was cancelled: ffmpeg accepted no data for {} s.",
                                         progress().path.string(), patience.count()),
                             true});
            cancel();
        }
        std::this_thread::sleep_for(10ms);
    }
    abandoned_.clear(); // waits for the cancelled encoders
    return ended;
}

Recorder::Progress Recorder::progress() const
{
    const Video* video = recording_ ? &*recording_ : nullptr;
    if (!video && !finishing_.empty()) video = &finishing_.front();
    if (!video) return {};
    return {video->path, video->video->frames(), video->video->written(),
            video->video->frames_per_second(), video->frames_wanted};
}

} // namespace lanescope::app
