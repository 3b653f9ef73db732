// See strips.h.
#include "app/draw/strips.h"

#include <algorithm>
#include <utility>

namespace lanescope::app {
namespace {

constexpr int strip_samples = 1 << 20; // some ten milliseconds of software drawing

} // namespace

void Strips::begin(const Size& size, int samples, Strip strip)
{
    const auto bytes =
        3 * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
    pixels_ = {size.width, size.height, std::vector<std::uint8_t>(bytes)};
    const int rows = std::clamp(strip_samples / samples / size.width, 1, size.height);
    if (!target_ || target_->width() != size.width || target_->height() != rows ||
        samples_ != samples)
        target_.emplace(size.width, rows, samples);
    samples_ = samples;
    done_ = 0;
    strip_ = std::move(strip);
}

void Strips::add_strip()
{
    const int rows = std::min(target_->height(), pixels_.height - done_);
    // OpenGL counts rows from below: the picture lies so that this strip is at the target's foot.
    const int below = pixels_.height - done_ - rows;
    const render::Pixels strip = strip_([&](const Draw& draw) {
        target_->bind();
        draw({0, -below, pixels_.width, pixels_.height});
        return render::read_pixels(target_->resolve(), {0, 0, pixels_.width, rows});
    });
    std::ranges::copy(strip.rgb, pixels_.rgb.begin() + std::ptrdiff_t{3} * pixels_.width * done_);
    done_ += rows;
}

std::optional<render::Pixels> Strips::advance(std::chrono::duration<double> budget)
{
    const auto begin = std::chrono::steady_clock::now();
    try {
        do {
            add_strip();
        } while (done_ < pixels_.height && std::chrono::steady_clock::now() - begin < budget);
    } catch (...) {
        cancel();
        throw;
    }
    if (done_ < pixels_.height) return {};
    cancel();
    return std::move(pixels_);
}

render::Pixels Strips::rest()
{
    for (;;)
        if (auto pixels = advance(std::chrono::hours(1))) return std::move(*pixels);
}

} // namespace lanescope::app
