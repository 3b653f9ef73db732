// Turning the picture by a little more in every step, and checking where its pixels went.
#include "compute/labs/rotate/turning.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace lanescope::labs::rotate {
namespace {

bool uses_texture(const Variant& variant)
{
    return variant.id == "texture_point" || variant.id == "texture_linear" ||
           variant.id == "linear_copy";
}

bool is_smooth(const Variant& variant)
{
    return variant.id == "texture_linear" || variant.id == "linear_copy" ||
           variant.id == "global_bilinear";
}

} // namespace

TurningPicture::TurningPicture(const Setup& setup)
    : OneLaunch(setup), size_(setup.values.integer("size")),
      source_(setup.image.empty() ? chart(size_) : read_image(setup.image)),
      array_(setup.device.allocate_image(source_.width, source_.height, 0, device::Format::rgba8)),
      linear_(setup.device.allocate(source_.pixels.size())),
      rows_(setup.device.allocate(std::size_t{4} * size_ * size_)),
      picture_(setup.shown.image(size_, size_, device::Format::rgba8))
{
    for (std::size_t i = 0; i < address_modes.size(); ++i) {
        device::Sampling sampling{.address = {address_modes[i], address_modes[i], address_modes[i]},
                                  .filter = device::Filter::point,
                                  .normalized_coordinates = true,
                                  .normalized_reads = true};
        point_[i] = setup.device.texture(*array_, sampling);
        sampling.filter = device::Filter::linear;
        smooth_[i] = setup.device.texture(*array_, sampling);
    }
}

void TurningPicture::fill()
{
    device().upload(*array_, std::as_bytes(std::span(source_.pixels)));
    device::upload<std::uint8_t>(device(), linear_->address(), source_.pixels);
}

void TurningPicture::clear()
{
    device().upload(*picture_, std::vector<std::byte>(std::size_t{4} * size_ * size_));
}

Turn TurningPicture::turn_at(std::int64_t step) const
{
    const double degrees =
        values().real("angle") + values().real("turn") * static_cast<double>(step);
    const double radians = std::fmod(degrees, 360) * std::acos(-1.0) / 180;
    // Without zoom the whole source fits into the picture.
    const double fit = static_cast<double>(std::max(source_.width, source_.height)) / size_;
    const double scale = fit / values().real("zoom");
    return {.cosine = static_cast<float>(scale * std::cos(radians)),
            .sine = static_cast<float>(scale * std::sin(radians)),
            .shift = values().toggle("half_texel_mistake") ? 0.0F : 0.5F};
}

void TurningPicture::prepare()
{
    turn_ = turn_at(steps());
    made_with_mode_ = address_modes.at(mode());
}

const device::Texture& TurningPicture::texture() const
{
    return is_smooth(variant()) ? *smooth_[mode()] : *point_[mode()];
}

std::vector<device::Argument> TurningPicture::arguments() const
{
    std::vector<device::Argument> arguments;
    if (uses_texture(variant()))
        arguments.emplace_back(texture().handle());
    else if (variant().id == "surface_write")
        arguments.emplace_back(array_->surface());
    else
        arguments.emplace_back(*linear_);

    if (variant().id == "linear_copy")
        arguments.emplace_back(*rows_);
    else
        arguments.emplace_back(picture_->surface());

    for (const int extent : {size_, size_, source_.width, source_.height})
        arguments.emplace_back(extent);
    for (const float number : {turn_.cosine, turn_.sine, turn_.shift})
        arguments.emplace_back(number);
    if (uses_texture(variant())) {
        arguments.emplace_back(1.0F / static_cast<float>(source_.width));
        arguments.emplace_back(1.0F / static_cast<float>(source_.height));
    } else {
        arguments.emplace_back(static_cast<int>(mode()));
    }
    return arguments;
}

void TurningPicture::step(trace::Trace* trace)
{
    OneLaunch::step(trace);
    if (variant().id == "linear_copy") device().copy(*picture_, rows_->address());
}

Picture TurningPicture::picture(std::string_view)
{
    begin();
    return ImagePicture{picture_.get()};
}

Experiment::Result TurningPicture::next_result() const
{
    Result result{.element_bytes = 4, .width = size_, .height = size_};
    if (variant().id == "linear_copy")
        result.buffer = rows_.get();
    else
        result.image = picture_.get();
    return result;
}

std::vector<Experiment::Memory> TurningPicture::memory() const
{
    std::vector<Memory> all;
    if (variant().id == "linear_copy") all.push_back({"rows", rows_.get(), rows_->bytes()});
    if (variant().id.starts_with("global"))
        all.push_back({"source", linear_.get(), linear_->bytes()});
    return all;
}

Check TurningPicture::check()
{
    begin();
    std::vector<std::uint8_t> got(std::size_t{4} * size_ * size_);
    device().download(std::as_writable_bytes(std::span(got)), *picture_);

    // Rounding to a level costs half of one; blending in single precision, and a texture unit's 16
    // bits for bytes that it filters, next to nothing.
    Check check{.max_error = 0, .tolerance = 0.51, .correct = true, .message = {}};
    const Sampler sampler{source_, made_with_mode_,
                          is_smooth(made_by()) ? device::Filter::linear : device::Filter::point,
                          uses_texture(made_by())};
    for (int y = 0; y < size_; ++y)
        for (int x = 0; x < size_; ++x) {
            std::array<Range, 4> ranges{};
            if (steps() > 0) ranges = allowed(sampler, turn_, size_, size_, x, y);
            for (int c = 0; c < 4; ++c) {
                const double level = got[4 * (static_cast<std::size_t>(y) * size_ + x) + c];
                const double error = std::max({0.0, ranges[c].low - level, level - ranges[c].high});
                if (error <= check.max_error) continue;
                check.max_error = error;
                check.message = fmt::format(
                    "Channel {} of pixel ({}, {}) is {}, the reference allows {:.2f} to {:.2f}.", c,
                    x, y, level, ranges[c].low, ranges[c].high);
            }
        }
    check.correct = check.max_error <= check.tolerance;
    if (check.correct) check.message.clear();
    return check;
}

Work TurningPicture::work() const
{
    // A texel read and a pixel written; four multiply-adds for the place, twelve mixes of two
    // operations for the colour.
    const double pixels = static_cast<double>(size_) * size_;
    return {.bytes = 8 * pixels,
            .flops = (is_smooth(variant()) ? 8 + 36 : 8) * pixels,
            .items = pixels,
            .item = "pixels"};
}

} // namespace lanescope::labs::rotate
