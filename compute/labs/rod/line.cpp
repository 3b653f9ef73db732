// Stepping, drawing and checking the rod.
#include "compute/labs/rod/line.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "compute/labs/compare.h"

namespace lanescope::labs::rod {
namespace {

constexpr double stability_limit = 0.5; // explicit scheme, one dimension
constexpr int most_vertices = 4096;
constexpr Dim3 drawing_block{256, 1, 1};
constexpr int longest_front = 32;

// Cells in front of the rod: the ghost, and with `shared_aligned` what aligns the cell after it.
int front_of(const Variant& variant)
{
    return variant.id == "shared_aligned" ? longest_front : 1;
}

} // namespace

LineExperiment::LineExperiment(const Setup& setup)
    : device_(setup.device), kernels_(setup.device, setup.lab), variant_(&setup.variant),
      kernel_(&kernels_.of(setup.variant)), seed_(setup.seed), cells_(setup.values.integer("size")),
      vertex_count_(std::min(cells_, most_vertices)),
      left_(static_cast<float>(setup.values.real("left"))),
      right_(static_cast<float>(setup.values.real("right"))), front_(front_of(setup.variant))
{
    for (auto& field : fields_)
        field = device_.allocate(sizeof(float) * (longest_front + cells_ + 1));
    vertices_ = setup.shown.buffer(2 * sizeof(float) * vertex_count_);
    set(setup.values);
}

void LineExperiment::select(const Variant& variant)
{
    kernel_ = &kernels_.of(variant);
    variant_ = &variant;
}

void LineExperiment::set(const Values& values)
{
    const auto k = static_cast<float>(values.real("diffusion"));
    if (log_.empty() || k != k_) log_.push_back({steps_, k});
    k_ = k;
    largest_k_ = std::max(largest_k_, k);
    steps_per_frame_ = values.integer("steps_per_frame");
}

void LineExperiment::begin()
{
    if (begun_) return;
    std::vector<float> rod = start(cells_, seed_);
    rod.insert(rod.begin(), left_);
    rod.push_back(right_);
    // Both fields, because no step writes the ghosts.
    for (const auto& field : fields_)
        device::upload<float>(device_, first_cell(*field) - sizeof(float), rod);
    begun_ = true;
}

// Moves rod and ghosts to another place in the fields.
void LineExperiment::move_to(int front)
{
    if (front == front_) return;
    const device::Address from = first_cell(now()) - sizeof(float);
    front_ = front;
    const std::size_t bytes = sizeof(float) * (cells_ + 2);
    const device::Address to = first_cell(next()) - sizeof(float);
    device_.copy(to, from, bytes);
    current_ = 1 - current_;
    device_.copy(first_cell(next()) - sizeof(float), to, bytes);
}

// From now to next, which nobody reads before the fields are exchanged.
void LineExperiment::launch(trace::Trace* trace)
{
    begin();
    move_to(front_of(*variant_));
    device_.launch(*kernel_, {.grid = grid_over(variant_->tile, cells_),
                              .block = variant_->block,
                              .arguments = {now(), next(), cells_, k_},
                              .trace = trace});
}

void LineExperiment::step(trace::Trace* trace)
{
    launch(trace);
    current_ = 1 - current_;
    ++steps_;
}

void LineExperiment::recount(trace::Trace& trace)
{
    launch(&trace);
}

Picture LineExperiment::picture(std::string_view)
{
    begin();
    device_.launch(
        kernels_.get("curve.cu", "rod_curve"),
        {.grid = grid_over(drawing_block, vertex_count_),
         .block = drawing_block,
         .arguments = {first_cell(now()), cells_, *vertices_, vertex_count_, coldest, hottest}});
    return CurvePicture{vertices_.get(), vertex_count_, coldest, hottest, "temperature", "°C"};
}

void LineExperiment::paint(const Stroke& stroke)
{
    begin();
    const auto height = static_cast<float>(std::clamp(stroke.v, 0.0, 1.0));
    const double center = stroke.u * cells_;
    const double radius = std::max(1.0, stroke.radius * cells_);
    const double first = std::floor(center - radius);
    const Stain stain{.first = static_cast<int>(first),
                      .center = static_cast<float>(center - first),
                      .radius = static_cast<float>(radius),
                      .temperature =
                          stroke.erase ? ambient : coldest + height * (hottest - coldest)};
    const auto width = static_cast<std::int64_t>(std::ceil(2 * stain.radius)) + 1;
    device_.launch(kernels_.get("brush.cu", "rod_brush"),
                   {.grid = grid_over(drawing_block, width),
                    .block = drawing_block,
                    .arguments = {first_cell(now()), cells_, stain.first, stain.center,
                                  stain.radius, stain.temperature}});
    log_.push_back({steps_, stain});
}

// Brings the reference to where the device is, through everything that happened on the way.
const std::vector<double>& LineExperiment::follow()
{
    if (!reference_) {
        const std::vector<float> first = start(cells_, seed_);
        reference_.emplace(first.begin(), first.end());
    }
    while (true) {
        for (; reference_events_ < log_.size() && log_[reference_events_].step == reference_steps_;
             ++reference_events_) {
            const auto& what = log_[reference_events_].what;
            if (const auto* k = std::get_if<float>(&what))
                reference_k_ = *k;
            else
                stain(*reference_, std::get<Stain>(what));
        }
        if (reference_steps_ == steps_) return *reference_;
        advance(*reference_, reference_k_, left_, right_);
        ++reference_steps_;
    }
}

Check LineExperiment::check()
{
    begin();
    // A step rounds three times; in a stroke the distance, its square and the mix add up to twelve,
    // each by half a unit in the last place. Past the limit errors grow by |1 - 4k| a step.
    const double roundings =
        3.0 * static_cast<double>(steps_) + 12.0 * static_cast<double>(log_.size());
    const double growth =
        std::pow(std::max(1.0, 4.0 * largest_k_ - 1), static_cast<double>(steps_));
    const double tolerance = roundings * 0x1p-24 * hottest * growth;
    const auto got = device::download<float>(device_, first_cell(now()), cells_);
    return compare<float, double>(got, follow(), tolerance, cells_);
}

Work LineExperiment::work() const
{
    // One load and one store a cell; an addition and two fused multiply-adds.
    const double cells = cells_;
    return {.bytes = 8 * cells, .flops = 5 * cells, .items = cells, .item = "cells"};
}

Experiment::Shape LineExperiment::shape() const
{
    return {.kernel = kernel_, .grid = grid_over(variant_->tile, cells_), .block = variant_->block};
}

Experiment::Result LineExperiment::next_result() const
{
    const int front = front_of(*variant_);
    // A move to another place in the fields exchanges them once more.
    const device::Buffer& target = front == front_ ? next() : now();
    return {.buffer = &target, .offset_bytes = sizeof(float) * front, .width = cells_};
}

std::vector<Experiment::Memory> LineExperiment::memory() const
{
    const bool stays = front_of(*variant_) == front_;
    const device::Buffer& source = stays ? now() : next();
    const device::Buffer& target = stays ? next() : now();
    return {{"now", &source, source.bytes()}, {"next", &target, target.bytes()}};
}

std::string LineExperiment::warning() const
{
    if (k_ <= stability_limit) return {};
    return fmt::format("Unstable: above a diffusion number of {} a cell gives away more heat than "
                       "it has, and the shortest "
                       "waves grow by a factor of up to {:.2f} with every step.",
                       stability_limit, 4 * k_ - 1);
}

} // namespace lanescope::labs::rod
