// Pictures, videos and sessions as files, from the window; all of them are written beside it. See
// workbench.h.
#include <imgui.h>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/draw/picture_figure.h"
#include "app/window/panels/capture.h"
#include "app/window/panels/overlays.h"
#include "app/window/workbench.h"
#include "render/capture/png.h"

namespace lanescope::app {

namespace fs = std::filesystem;

PictureFormat Workbench::capture_format() const
{
    constexpr int largest = 16384;
    const int width = target_ ? target_->width() : 1280;
    const int height = target_ ? target_->height() : 720;
    const int scale = std::min(look_.capture.scale, largest / std::max(width, height));
    const float text = text_px(window_.height_px(), look_.text_zoom);
    return {{width * scale, height * scale},
            text * (look_.lecture ? 1.5F : 1.0F) * static_cast<float>(scale)};
}

// Whether what is shown is whole and lies still: nothing is under way, and a rival has caught up.
bool Workbench::can_capture() const
{
    return stage_ && stage_->picture() && !stage_->sharing().mapped() && !opening_ &&
           (look_.compare.empty() || side_by_side());
}

void Workbench::begin_capture(const PictureFormat& format)
{
    capture_format_ = format;
    const Shown all = shown(format.text_px);
    strips_.begin(format.size, samples_for(look_),
                  capture_use_ == CaptureUse::figure ? wordless_strip_of(scene_, all)
                                                     : strip_of(scene_, all));
}

// A picture that was asked for is taken as soon as it can be, and not while many others wait to be
// written. While it is recorded, every new picture is a frame, of the same number of steps, however
// long that took: none is lost.
void Workbench::advance_capture()
{
    constexpr std::chrono::milliseconds budget(10); // of a frame
    if (strips_.under_way()) {
        // goes on
    } else if (new_picture_ && recorder_.recording() && recorded_ == CaptureUse::frame) {
        capture_use_ = CaptureUse::frame;
        begin_capture(recorder_.format());
    } else if (picture_wanted_ && can_capture() && !saver_.full()) {
        picture_wanted_ = false;
        capture_use_ = CaptureUse::picture;
        begin_capture(capture_format());
    } else if (export_wanted_ && !saver_.full()) {
        export_wanted_ = false;
        begin_export();
        return;
    } else if (figure_wanted_ && can_capture() && !saver_.full()) {
        figure_wanted_ = false;
        capture_use_ = CaptureUse::figure;
        begin_capture(capture_format());
    } else {
        return;
    }
    auto pixels = strips_.advance(budget);
    if (!pixels) return;
    if (capture_use_ == CaptureUse::picture)
        save_pixels(std::move(*pixels), ".png", capture_format_);
    else if (capture_use_ == CaptureUse::figure)
        save_picture_figure(std::move(*pixels));
    else if (capture_use_ == CaptureUse::exhibit)
        save_export(std::move(*pixels));
    else if (recorder_.recording())
        recorder_.add(std::move(*pixels));
}

void Workbench::take_window()
{
    if (!window_shot_wanted_ || saver_.full()) return;
    window_shot_wanted_ = false;
    const render::PixelRect all{0, 0, window_.width_px(), window_.height_px()};
    save_pixels(render::read_pixels(0, all), "-window.png", {});
}

// A frame for every new picture, however long the one before took to write.
void Workbench::record_window()
{
    if (!recorder_.recording() || recorded_ != CaptureUse::window || !new_picture_) return;
    const render::PixelRect all{0, 0, window_.width_px(), window_.height_px()};
    const Size& size = recorder_.format().size;
    if (all.width != size.width || all.height != size.height)
        recorder_.stop(); // a video keeps its size
    else
        recorder_.add(render::read_pixels(0, all));
}

// `format` is that of the experiment's picture, none for one of the whole window.
void Workbench::save_pixels(render::Pixels pixels, const std::string& ending,
                            const std::optional<PictureFormat>& format)
{
    const auto held = std::make_shared<const render::Pixels>(std::move(pixels));
    render::PngText text;
    if (stage_) {
        Session inside = session();
        inside.picture = format;
        text = as_png_text(inside);
    }
    saver_.start(
        saver_.new_name(folder_, ending),
        [held, text](const fs::path& path) { render::write_png(path, *held, text); },
        text.empty() ? "" : ", with the session inside");
}

void Workbench::save_session_file()
{
    if (!stage_) return;
    saver_.start(saver_.new_name(folder_, ".json"),
                 [kept = session()](const fs::path& path) { save_session(kept, path); });
}

void Workbench::toggle_recording(CaptureUse what)
{
    if (recorder_.recording()) {
        const bool empty = recorder_.progress().frames == 0;
        recorder_.stop();
        if (empty) tell("Nothing was recorded: no picture was new");
        return;
    }
    if (!stage_) return;
    const PictureFormat format = what == CaptureUse::window
                                     ? PictureFormat{{window_.width_px(), window_.height_px()},
                                                     text_px(window_.height_px(), look_.text_zoom)}
                                     : capture_format();
    recorder_.start(folder_, saver_, format, look_.capture);
    recorded_ = what;
    paused_ = false;
}

void Workbench::poll_files()
{
    std::vector<Outcome> ended = saver_.poll();
    if (auto outcome = recorder_.poll()) ended.push_back(std::move(*outcome));
    for (const Outcome& outcome : ended) {
        if (outcome.failed)
            complain(outcome.text);
        else
            tell(outcome.text);
    }
}

void Workbench::choose_folder(const std::string& text)
{
    const fs::path chosen = fs::absolute(text);
    std::error_code ignored;
    if (!fs::is_directory(chosen, ignored)) {
        folder_text_ = folder_.string();
        throw Error(ExitStatus::no_such_thing, fmt::format("There is no folder {}.", text),
                    "Make it first, or choose another one.");
    }
    folder_ = chosen;
    folder_text_ = chosen.string();
}

void Workbench::draw_capture_controls(const PanelStyle& style)
{
    const CaptureWishes wishes =
        capture_panel(style, look_.capture, recorder_.recording(), folder_text_);
    picture_wanted_ |= wishes.picture;
    if (wishes.record) guarded([&] { toggle_recording(CaptureUse::frame); });
    if (wishes.folder) guarded([&] { choose_folder(folder_text_); });
}

// What is being written, and what has been.
void Workbench::draw_file_strips(const PanelStyle& style, const Area& area)
{
    constexpr auto notice_time = std::chrono::seconds(6);
    constexpr double soon = 0.5; // seconds that need no bar
    const Recorder::Progress video = recorder_.progress();
    if (recorder_.recording() && recorded_ == CaptureUse::frame) {
        const std::string whole =
            video.frames_wanted ? fmt::format(" of {}", *video.frames_wanted) : "";
        notice_strip(style,
                     fmt::format("Recording: {}{} frames, {:.1f} s at {:g} a second, into {}",
                                 video.frames, whole, video.frames / video.frames_per_second,
                                 video.frames_per_second, video.path.string()),
                     area.at, area.size);
    } else if (recorder_.finishing()) {
        progress_overlay(style,
                         fmt::format("Writing the video: {} of {} frames. Esc gives it up.",
                                     video.written, video.frames),
                         static_cast<double>(video.written) / video.frames, area.at, area.size);
    } else if (saver_.seconds() > soon) {
        busy_overlay(style, "Writing the picture", saver_.seconds(), area.at, area.size);
    } else if (recorder_.recording()) {
        // What is drawn would be part of the video.
    } else if (!notice_.empty() && std::chrono::steady_clock::now() - notice_since_ < notice_time) {
        notice_strip(style, notice_, area.at, area.size);
    }
}

void Workbench::tell(const std::string& what)
{
    notice_ = what;
    notice_since_ = std::chrono::steady_clock::now();
}

} // namespace lanescope::app
