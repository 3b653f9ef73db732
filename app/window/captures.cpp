// A picture drawn in strips holds its frame's memory until it is complete. While recording, every
// new picture becomes one frame of the same number of steps, however long the steps took, so no
// picture is lost.
#include "app/window/captures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "app/document/session/session_file.h"
#include "app/draw/picture_figure.h"
#include "app/draw/scene/maps.h"
#include "app/export/exhibit_files.h"
#include "compute/endings.h"
#include "render/capture/figure.h"
#include "render/capture/png.h"

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;

// The format of the displayed picture, enlarged by the user's factor.
PictureFormat format_of(const CaptureScene& now)
{
    constexpr int largest = 16384;
    const Size size = now.picture.width > 0 ? now.picture : Size{1280, 720};
    const int scale =
        std::min(now.document.look.capture.scale, largest / std::max(size.width, size.height));
    return {{size.width * scale, size.height * scale},
            now.picture_text_px * static_cast<float>(scale)};
}

// A video keeps its size when the window is resized: later frames are scaled to fit, and centred.
render::Pixels fitted(render::Pixels from, const Size& size)
{
    if (from.width == size.width && from.height == size.height) return from;
    const double scale = std::min(static_cast<double>(size.width) / from.width,
                                  static_cast<double>(size.height) / from.height);
    const int width = std::clamp(static_cast<int>(from.width * scale), 1, size.width);
    const int height = std::clamp(static_cast<int>(from.height * scale), 1, size.height);
    const int left = (size.width - width) / 2;
    const int top = (size.height - height) / 2;
    const auto bytes = static_cast<std::size_t>(size.width) * size.height * 3;
    render::Pixels to{size.width, size.height, std::vector<std::uint8_t>(bytes)};
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const auto source = static_cast<std::ptrdiff_t>(y * from.height / height) * from.width +
                                x * from.width / width;
            const auto target = static_cast<std::ptrdiff_t>(top + y) * size.width + left + x;
            std::copy_n(from.rgb.begin() + 3 * source, 3, to.rgb.begin() + 3 * target);
        }
    return to;
}

} // namespace

void Captures::ask(Taken what, const CaptureScene& now)
{
    const bool records = what == Taken::recording || what == Taken::window_recording;
    if (records && ending_) return;
    if (records && recorder_.recording()) {
        if (recorder_.progress().frames == 0)
            reported_.push_back({"Nothing was recorded: there was no new picture"});
        if (reader_)
            while (auto pixels = reader_->wait()) late_.push_back(std::move(*pixels));
        ending_ = true;
        end_window_recording();
    } else if (!now.frame->is_open()) {
        return;
    } else if (records) {
        records_window_ = what == Taken::window_recording;
        const PictureFormat format =
            records_window_ ? PictureFormat{now.window, now.window_text_px} : format_of(now);
        recorder_.start(now.document.folder, saver_, format, now.document.look.capture);
        last_frame_ = now.frame->picture;
        if (records_window_) reader_.emplace();
    } else if (what == Taken::session) {
        saver_.start(
            saver_.new_name(now.document.folder, ending::session),
            [kept = session_of(now.document, now.frame->a.journal()),
             takes_lab = now.takes_lab](const fs::path& path) {
                if (takes_lab)
                    save_session_with_lab(kept, path);
                else
                    save_session(kept, path);
            },
            {}, now.document.painted);
    } else if (std::ranges::find(requested_, what) == requested_.end()) {
        requested_.push_back(what);
    }
}

void Captures::begin(Drawn::Kind kind, const CaptureScene& now)
{
    Drawn drawn;
    drawn.kind = kind;
    drawn.format = kind == Drawn::Kind::frame ? recorder_.format() : format_of(now);
    drawn.session = session_of(now.document, now.frame->a.journal());
    drawn.session.picture = drawn.format;
    drawn.painted = now.document.painted;
    drawn.shown.frame = now.frame;
    drawn.shown.look = now.document.look;
    drawn.shown.text_px = drawn.format.text_px;
    drawn.shown.stepped = now.stepped;
    drawn.theme = view_theme(now.document.look.theme);
    const bool wordless = kind == Drawn::Kind::figure;
    strips_.begin(drawn.format.size, samples_for(drawn.shown.look, *now.frame->a.lab),
                  wordless ? wordless_strip_of(now.scene, drawn.shown)
                           : strip_of(now.scene, drawn.shown));
    folder_ = now.document.folder;
    about_ = now.document.lab().id + "-" + now.document.variant;
    drawn_ = std::move(drawn);
}

// Captures the open tab, or the picture if no tab has an exhibit.
void Captures::begin_exhibit(const CaptureScene& now)
{
    auto exhibit = now.exhibit();
    if (!exhibit) {
        if (now.whole) begin(Drawn::Kind::figure, now);
        return;
    }
    Drawn drawn;
    drawn.kind = Drawn::Kind::exhibit;
    drawn.exhibit = std::make_shared<const Exhibit>(std::move(*exhibit));
    drawn.theme = view_theme(now.document.look.theme);
    const ExhibitPicture picture = picture_of(drawn.exhibit, drawn.theme, now.scene.painter());
    strips_.begin(picture.size, picture.samples, picture.strip);
    folder_ = now.document.folder;
    about_ = now.document.lab().id + "-" + now.document.variant;
    drawn_ = std::move(drawn);
}

void Captures::draw(const CaptureScene& now)
{
    constexpr std::chrono::milliseconds budget(10); // per frame
    const auto take = [&](Taken what) {
        const auto found = std::ranges::find(requested_, what);
        return found != requested_.end() && !saver_.full();
    };
    if (!strips_.in_progress()) {
        const bool records = recorder_.recording() && !records_window_ && !recorder_.full();
        const bool is_new =
            now.frame->picture != last_frame_ && (!now.frame->b || now.frame->together);
        if (records && is_new && now.drawable && now.frame->a.picture) {
            last_frame_ = now.frame->picture;
            begin(Drawn::Kind::frame, now);
        } else if (take(Taken::picture) && now.whole) {
            std::erase(requested_, Taken::picture);
            begin(Drawn::Kind::picture, now);
        } else if (take(Taken::exhibit)) {
            begin_exhibit(now);
            if (!strips_.in_progress()) return; // retry until the picture can be taken
            std::erase(requested_, Taken::exhibit);
        } else {
            return;
        }
    }
    try {
        if (auto pixels = strips_.advance(budget)) end(std::move(*pixels), now.scene);
    } catch (...) {
        drawn_.reset();
        throw;
    }
}

void Captures::end(render::Pixels pixels, Scene& scene)
{
    Drawn drawn = *std::exchange(drawn_, {});
    switch (drawn.kind) {
    case Drawn::Kind::picture:
        write_picture(std::move(pixels), ending::png, drawn.session, drawn.painted);
        break;
    case Drawn::Kind::frame:
        if (recorder_.recording()) recorder_.add(std::move(pixels));
        break;
    case Drawn::Kind::figure: {
        const auto held = std::make_shared<const render::Pixels>(std::move(pixels));
        const auto words = words_of(scene, drawn.shown, drawn.format.size);
        const auto write = [held, words, theme = drawn.theme](fs::path path) {
            for (const std::string_view one : render::figure_endings)
                save_figure(path.replace_extension(one), *held, *words, theme);
        };
        saver_.start(saver_.new_name(folder_,
                                     fmt::format("-picture{}", render::figure_endings.front()),
                                     about_),
                     write, fmt::format(" and {}", render::figure_endings.back()));
        break;
    }
    case Drawn::Kind::exhibit: {
        // Saved in every format the exhibit has; only the PNG had to be drawn here.
        const auto endings = endings_of(*drawn.exhibit);
        const auto held = std::make_shared<const render::Pixels>(std::move(pixels));
        const auto write = [drawn, held, endings](fs::path path) {
            for (const std::string& one : endings) {
                path.replace_extension(one);
                if (one == ending::png)
                    render::write_png(path, *held);
                else
                    save_exhibit(*drawn.exhibit, path, drawn.theme);
            }
        };
        const std::vector<std::string> others(endings.begin() + 1, endings.end());
        saver_.start(saver_.new_name(folder_, "-" + drawn.exhibit->name + endings.front(), about_),
                     write, fmt::format(" and {}", fmt::join(others, ", ")));
        break;
    }
    }
}

void Captures::write_picture(render::Pixels pixels, const std::string& name_end,
                             const Session& session, std::uint64_t painted)
{
    const auto held = std::make_shared<const render::Pixels>(std::move(pixels));
    const render::PngText text = as_png_text(session);
    saver_.start(
        saver_.new_name(folder_, name_end, about_),
        [held, text](const fs::path& path) { render::write_png(path, *held, text); },
        ", with the session inside", painted);
}

void Captures::read_window(const CaptureScene& now)
{
    const render::PixelRect all{0, 0, now.window.width, now.window.height};
    const auto asked = std::ranges::find(requested_, Taken::window);
    if (asked != requested_.end() && !saver_.full() && now.frame->is_open()) {
        requested_.erase(asked);
        folder_ = now.document.folder;
        about_ = now.document.lab().id + "-" + now.document.variant;
        write_picture(render::read_pixels(0, all), "-window.png",
                      session_of(now.document, now.frame->a.journal()), now.document.painted);
    }
    if (ending_)
        end_window_recording();
    else if (recorder_.recording() && records_window_)
        take_frames(now);
}

// Adds only as many frames as the recorder has room for, so that a stalled encoder does not block
// the window.
void Captures::end_window_recording()
{
    while (!late_.empty() && recorder_.recording() && !recorder_.full()) {
        recorder_.add(fitted(std::move(late_.front()), recorder_.format().size));
        late_.pop_front();
    }
    if (!late_.empty() && recorder_.recording()) return;
    ending_ = false;
    late_.clear();
    reader_.reset();
    recorder_.stop();
}

// Takes the pixels of earlier frames: they arrive some frames late, so that nothing waits for them.
void Captures::take_frames(const CaptureScene& now)
{
    const bool is_new = now.frame->picture != last_frame_ && (!now.frame->b || now.frame->together);
    if (is_new && !recorder_.full()) {
        last_frame_ = now.frame->picture;
        reader_->request(0, {0, 0, now.window.width, now.window.height});
    }
    while (!recorder_.full()) {
        auto pixels = reader_->poll();
        if (!pixels) break;
        recorder_.add(fitted(std::move(*pixels), recorder_.format().size));
        if (recorder_.recording()) continue; // it stops by itself at its maximum length
        reader_.reset();
        break;
    }
}

std::vector<Outcome> Captures::poll()
{
    std::vector<Outcome> ended = std::exchange(reported_, {});
    for (Outcome& outcome : saver_.poll()) ended.push_back(std::move(outcome));
    if (auto outcome = recorder_.poll()) ended.push_back(std::move(*outcome));
    return ended;
}

CaptureStatus Captures::status() const
{
    const Recorder::Progress video = recorder_.progress();
    return {.recording = recorder_.recording() && !ending_,
            .records_window = records_window_,
            .finishing = recorder_.finishing() || ending_,
            .path = video.path,
            .frames = video.frames,
            .written = video.written,
            .frames_per_second = video.frames_per_second,
            .frames_wanted = video.frames_wanted,
            .saving_s = saver_.seconds()};
}

void Captures::cancel()
{
    recorder_.cancel();
    late_.clear();
    reported_.push_back({"Video cancelled"});
}

std::vector<Outcome> Captures::finish()
{
    strips_.cancel();
    drawn_.reset();
    recorder_.stop();
    std::vector<Outcome> ended = recorder_.finish();
    for (Outcome& outcome : saver_.finish()) ended.push_back(std::move(outcome));
    return ended;
}

} // namespace lanescope::app
