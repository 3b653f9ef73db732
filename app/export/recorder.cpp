// See recorder.h.
#include "app/export/recorder.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;

std::string frames_of(int frames, double per_second)
{
    return fmt::format("{} frames, {:.1f} s at {:g} per second", frames, frames / per_second,
                       per_second);
}

void make_folder(const fs::path& path)
{
    std::error_code code;
    fs::create_directories(path, code);
    if (code)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("The folder {} cannot be made: {}.", path.string(), code.message()),
                    "Choose another folder for pictures and videos.");
}

} // namespace

void Recorder::start(const fs::path& folder, Saver& names, const PictureFormat& format,
                     const CaptureChoice& choice)
{
    const render::VideoOptions options{format.size.width, format.size.height, choice.rate};
    Video made{nullptr, {}, format, {}};
    bool numbered = choice.format == "png";
    if (!numbered) {
        made.path = names.new_name(folder, "." + choice.format);
        try {
            made.video = std::make_unique<render::VideoWriter>(made.path, options);
        } catch (const Error& error) {
            if (error.status() != ExitStatus::no_such_thing) throw;
            numbered = true;
        }
    }
    if (numbered) {
        made.path = names.new_name(folder, "");
        make_folder(made.path);
        made.video = std::make_unique<render::VideoWriter>(made.path / "%05d.png", options);
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
        give_up(std::move(ended));
        return;
    }
    ended.video->end();
    finishing_.push_back(std::move(ended));
}

void Recorder::give_up(Video video)
{
    given_up_.push_back(std::async(std::launch::async, [given_up = std::move(video)]() mutable {
        given_up.video.reset();
        std::error_code ignored;
        if (fs::is_directory(given_up.path, ignored)) fs::remove(given_up.path, ignored);
    }));
}

void Recorder::cancel()
{
    if (recording_) give_up(std::move(*std::exchange(recording_, {})));
    for (Video& video : std::exchange(finishing_, {})) give_up(std::move(video));
}

std::optional<Outcome> Recorder::poll()
{
    std::erase_if(given_up_, [](const std::future<void>& ending) {
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
        give_up(std::move(*one)); // of a whole video nothing is removed
        finishing_.erase(one);
        return outcome;
    }
    return {};
}

void Recorder::wait() noexcept
{
    for (const Video& video : finishing_) {
        try {
            video.video->finish();
        } catch (const std::exception&) { // nobody is left to be told
        }
    }
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
