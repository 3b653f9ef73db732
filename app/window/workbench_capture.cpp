// Pictures, videos and sessions as files, from the window. See workbench.h.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "app/studio.h"
#include "app/subject.h"
#include "app/window/workbench.h"
#include "render/capture/png.h"

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;

constexpr int frames_per_second = 30; // that a recording plays at

// "lanescope-20250131-101500" in the present folder; a number follows where that is taken.
fs::path dated_name(const std::string& ending)
{
    const std::string base =
        fmt::format("lanescope-{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
    fs::path path = fs::current_path() / (base + ending);
    for (int i = 2; fs::exists(path); ++i)
        path = fs::current_path() / fmt::format("{}-{}{}", base, i, ending);
    return path;
}

} // namespace

Size Workbench::capture_size() const
{
    constexpr int largest = 16384;
    const int width = target_ ? target_->width() : 1280;
    const int height = target_ ? target_->height() : 720;
    const int scale = std::min(look_.capture_scale, largest / std::max(width, height));
    return {width * scale, height * scale};
}

render::Pixels Workbench::capture(const Size& size)
{
    const render::PixelRect all{0, 0, size.width, size.height};
    const render::gl::Target target(size.width, size.height, window_.info().software ? 1 : 4);
    target.bind();
    const float text = text_px(window_.height_px(), look_.text_zoom) *
                       (look_.lecture ? 1.5F : 1.0F) * static_cast<float>(size.height) /
                       static_cast<float>(target_ ? target_->height() : size.height);
    const auto draw = [&](Stage& stage) {
        target.bind();
        if (rival_ && look_.difference && difference_)
            scene_.draw(labs::Picture(difference_->picture), stage.sharing(), look_, caption(), all,
                        text);
        else
            draw_subject(scene_, stage, look_, caption(), all, text);
        return render::read_pixels(target.resolve(), all);
    };
    const render::Pixels first = draw(*stage_);
    if (!side_by_side() || look_.difference) return first;
    return beside(first, draw(*rival_), look_.swipe);
}

void Workbench::save_picture()
{
    if (!stage_) return;
    stage_->wait_for(std::chrono::seconds(10));
    collect();
    if (rival_) rival_->wait_for(std::chrono::seconds(10));
    collect_rival();
    if (!stage_->picture() || stage_->sharing().mapped()) return;
    const fs::path path = dated_name(".png");
    render::write_png(path, capture(capture_size()), as_png_text(session()));
    tell("Saved " + path.string() + ", with the session inside");
}

void Workbench::save_window()
{
    const fs::path path = dated_name("-window.png");
    const render::PixelRect all{0, 0, window_.width_px(), window_.height_px()};
    render::write_png(path, render::read_pixels(0, all), as_png_text(session()));
    tell("Saved " + path.string());
}

void Workbench::toggle_recording()
{
    if (recording_ && recording_->video->frames() == 0) {
        recording_.reset();
        tell("Nothing was recorded: no picture was new");
        return;
    }
    if (recording_) {
        finishing_ = std::async(std::launch::async, [recording = std::move(*recording_)] {
            recording.video->finish();
            return fmt::format("Saved {}: {} frames", recording.path.string(),
                               recording.video->frames());
        });
        recording_.reset();
        return;
    }
    if (!stage_) return;
    const Size size = capture_size();
    const render::VideoOptions options{size.width, size.height, frames_per_second};
    fs::path path = dated_name(".mp4");
    std::unique_ptr<render::VideoWriter> video;
    try {
        video = std::make_unique<render::VideoWriter>(path, options);
    } catch (const Error& error) {
        if (error.status() != ExitStatus::no_such_thing) throw;
        path = dated_name(""); // without ffmpeg, numbered pictures in a folder
        fs::create_directories(path);
        video = std::make_unique<render::VideoWriter>(path / "%05d.png", options);
    }
    recording_ = Recording{std::move(video), path, size};
    paused_ = false;
}

void Workbench::record_frame()
{
    try {
        recording_->video->add(capture(recording_->size));
    } catch (...) {
        recording_.reset(); // what was written so far goes with it
        throw;
    }
}

void Workbench::poll_recording()
{
    if (!finishing_.valid() ||
        finishing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
        return;
    guarded([&] { tell(finishing_.get()); });
}

void Workbench::save_session_file()
{
    if (!stage_) return;
    const fs::path path = dated_name(".json");
    save_session(session(), path);
    tell("Saved " + path.string());
}

void Workbench::tell(const std::string& what)
{
    notice_ = what;
    notice_since_ = std::chrono::steady_clock::now();
}

} // namespace lanescope::app
