// Stepping, painting, drawing and checking the plate.
#include "compute/labs/heat/plate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compute/labs/compare.h"

namespace lanescope::labs::heat {
namespace {

constexpr double stability_limit = 0.25; // explicit scheme, two dimensions
constexpr int most_vertices = 512;       // along one side of the landscape
constexpr Dim3 drawing_block{32, 8, 1};

} // namespace

PlateExperiment::PlateExperiment(const Setup& setup)
    : device_(setup.device), kernels_(setup.device, setup.lab), variant_(&setup.variant),
      kernel_(&kernels_.of(setup.variant)), seed_(setup.seed), width_(setup.values.integer("size")),
      height_(setup.values.integer("height") == 0 ? width_ : setup.values.integer("height")),
      columns_(std::min(width_, most_vertices)), rows_(std::min(height_, most_vertices))
{
    const std::size_t bytes = sizeof(float) * width_ * height_;
    for (auto& field : fields_) field = setup.shown.buffer(bytes);
    vertices_ = setup.shown.buffer(4 * sizeof(float) * columns_ * rows_);
    set(setup.values);
}

void PlateExperiment::select(const Variant& variant)
{
    kernel_ = &kernels_.of(variant);
    variant_ = &variant;
}

void PlateExperiment::set(const Values& values)
{
    const Conditions conditions{.k = static_cast<float>(values.real("diffusion")),
                                .insulated = values.text("boundary") == "insulated"};
    if (log_.empty() || conditions != conditions_) log_.push_back({steps_, conditions});
    conditions_ = conditions;
    steps_per_frame_ = values.integer("steps_per_frame");
}

// Memory shared with OpenGL has no address before it is mapped, so the first state is uploaded
// late.
void PlateExperiment::begin()
{
    if (begun_) return;
    device::upload<float>(device_, now().address(), start(width_, height_, seed_));
    begun_ = true;
}

// From now to next, which nobody reads before the fields are exchanged.
void PlateExperiment::launch(trace::Trace* trace)
{
    begin();
    device_.launch(*kernel_, {.grid = grid_over(variant_->tile, width_, height_),
                              .block = variant_->block,
                              .arguments = {now(), next(), width_, height_, conditions_.k,
                                            conditions_.insulated},
                              .trace = trace});
}

void PlateExperiment::step(trace::Trace* trace)
{
    launch(trace);
    current_ = 1 - current_;
    steps_ += variant_->steps;
}

void PlateExperiment::recount(trace::Trace& trace)
{
    launch(&trace);
}

Picture PlateExperiment::picture(std::string_view view)
{
    begin();
    if (view != "surface")
        return FieldPicture{&now(), width_, height_, coldest, hottest, "temperature", "°C"};
    device_.launch(
        kernels_.get("surface.cu", "heat_surface"),
        {.grid = grid_over(drawing_block, columns_, rows_),
         .block = drawing_block,
         .arguments = {now(), width_, height_, *vertices_, columns_, rows_, coldest, hottest}});
    return SurfacePicture{vertices_.get(), columns_, rows_, coldest, hottest, "temperature", "°C"};
}

void PlateExperiment::paint(const Stroke& stroke)
{
    begin();
    const Stain stain{.x = static_cast<float>(stroke.u * width_),
                      .y = static_cast<float>(stroke.v * height_),
                      .radius = std::max(1.0F, static_cast<float>(stroke.radius * width_)),
                      .temperature = stroke.erase ? ambient : hottest};
    const auto side = static_cast<std::int64_t>(std::ceil(2 * stain.radius)) + 1;
    device_.launch(
        kernels_.get("brush.cu", "heat_brush"),
        {.grid = grid_over(drawing_block, side, side),
         .block = drawing_block,
         .arguments = {now(), width_, height_, stain.x, stain.y, stain.radius, stain.temperature}});
    log_.push_back({steps_, stain});
}

// Brings the reference to where the device is, through everything that happened on the way.
const Plate& PlateExperiment::follow()
{
    if (!reference_) {
        const std::vector<float> first = start(width_, height_, seed_);
        reference_ = Plate{width_, height_, {first.begin(), first.end()}};
    }
    Conditions conditions;
    for (std::size_t i = 0; i < reference_events_; ++i)
        if (const auto* earlier = std::get_if<Conditions>(&log_[i].what)) conditions = *earlier;
    while (true) {
        for (; reference_events_ < log_.size() && log_[reference_events_].step == reference_steps_;
             ++reference_events_) {
            const auto& what = log_[reference_events_].what;
            if (const auto* changed = std::get_if<Conditions>(&what))
                conditions = *changed;
            else
                stain(*reference_, std::get<Stain>(what));
        }
        if (reference_steps_ == steps_) return *reference_;
        advance(*reference_, conditions.k, conditions.insulated);
        ++reference_steps_;
    }
}

// A step rounds four times, a stroke (distance, square and mix) up to twelve times, each by at most
// half a unit in the last place of 100 °C. While the scheme is stable those errors only add up;
// beyond the limit the shortest waves multiply them by |1 - 8k| in every step.
double PlateExperiment::tolerance() const
{
    double worst_k = 0;
    for (const Event& event : log_)
        if (const auto* conditions = std::get_if<Conditions>(&event.what))
            worst_k = std::max<double>(worst_k, conditions->k);
    const double roundings =
        4.0 * static_cast<double>(steps_) + 12.0 * static_cast<double>(log_.size());
    return roundings * 0x1p-24 * hottest *
           std::pow(std::max(1.0, 8 * worst_k - 1), static_cast<double>(steps_));
}

Check PlateExperiment::check()
{
    begin();
    const auto got = device::download<float>(device_, now().address(),
                                             static_cast<std::size_t>(width_) * height_);
    return compare<float, double>(got, follow().cells, tolerance(), width_);
}

Work PlateExperiment::work() const
{
    // One load and one store a cell and launch; three additions and two fused multiply-adds a cell
    // and step.
    const double cells = static_cast<double>(width_) * height_;
    return {.bytes = 8 * cells,
            .flops = 7 * cells * variant_->steps,
            .items = cells * variant_->steps,
            .item = "cells"};
}

Experiment::Shape PlateExperiment::shape() const
{
    return {.kernel = kernel_,
            .grid = grid_over(variant_->tile, width_, height_),
            .block = variant_->block};
}

std::string PlateExperiment::warning() const
{
    if (conditions_.k <= stability_limit) return {};
    return fmt::format("Unstable: above a diffusion number of {} a cell gives away more heat than "
                       "it has, and the shortest "
                       "waves grow by a factor of up to {:.2f} with every step.",
                       stability_limit, 8 * conditions_.k - 1);
}

} // namespace lanescope::labs::heat
