// Strips are small enough that software OpenGL draws one within a frame.
#include "app/draw/strips.h"

#include <algorithm>
#include <utility>

namespace lanescope::app {
namespace {

constexpr int strip_samples = 1 << 19; // a few milliseconds in software

} // namespace

void Strips::begin(const Size& size, int samples, Strip strip)
{
    pixels_ = {size.width, size.height, {}};
    // Filled as strips arrive: clearing it all at once takes longer than a frame.
    pixels_.rgb.reserve(3 * static_cast<std::size_t>(size.width) *
                        static_cast<std::size_t>(size.height));
    const int rows = std::clamp(strip_samples / samples / size.width, 1, size.height);
    if (!target_ || target_->width() != size.width || target_->height() != rows ||
        samples_ != samples)
        target_.emplace(size.width, rows, samples);
    cancel();
    samples_ = samples;
    strip_ = std::move(strip);
}

void Strips::cancel()
{
    strip_ = {};
    drawn_ = arrived_ = 0;
    parts_.clear();
    while (reader_.wait()) {
    } // discards a read that is no longer needed
}

void Strips::draw_strip()
{
    const int rows = std::min(target_->height(), pixels_.height - drawn_);
    // OpenGL counts rows from the bottom: shifts the picture so that this strip is at the target's
    // bottom.
    const int below = pixels_.height - drawn_ - rows;
    for (const Draw& draw : strip_.drawings) {
        target_->bind();
        draw({0, -below, pixels_.width, pixels_.height});
        reader_.request(target_->resolve(), {0, 0, pixels_.width, rows});
        // A fourth pending read would block.
        if (auto arrived = reader_.poll()) take(std::move(*arrived));
    }
    drawn_ += rows;
}

void Strips::take(render::Pixels arrived)
{
    parts_.push_back(std::move(arrived));
    if (parts_.size() < strip_.drawings.size()) return;
    std::vector<render::Pixels> parts = std::exchange(parts_, {});
    const render::Pixels strip =
        strip_.join ? strip_.join(std::move(parts)) : std::move(parts.front());
    pixels_.rgb.insert(pixels_.rgb.end(), strip.rgb.begin(), strip.rgb.end());
    arrived_ += strip.height;
}

std::optional<render::Pixels> Strips::advance(std::chrono::duration<double> budget)
{
    const auto begin = std::chrono::steady_clock::now();
    try {
        do {
            if (drawn_ < pixels_.height) draw_strip();
            while (auto arrived = reader_.poll()) take(std::move(*arrived));
        } while (drawn_ < pixels_.height && std::chrono::steady_clock::now() - begin < budget);
    } catch (...) {
        cancel();
        throw;
    }
    if (arrived_ < pixels_.height) return {};
    cancel();
    return std::move(pixels_);
}

render::Pixels Strips::rest()
{
    for (;;) {
        if (auto pixels = advance(std::chrono::hours(1))) return std::move(*pixels);
        if (auto arrived = reader_.wait()) take(std::move(*arrived));
        if (arrived_ < pixels_.height) continue;
        cancel();
        return std::move(pixels_);
    }
}

} // namespace lanescope::app
