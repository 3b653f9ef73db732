// The part of an experiment that knows nothing about its subject.
#include "compute/labs/one_launch.h"

namespace lanescope::labs {

OneLaunch::OneLaunch(const Setup& setup)
    : device_(setup.device), kernels_(setup.device, setup.lab), variant_(&setup.variant),
      made_by_(variant_), kernel_(&kernels_.of(setup.variant)), values_(setup.values),
      seed_(setup.seed)
{
}

void OneLaunch::select(const Variant& variant)
{
    select_kernel(variant, kernels_.of(variant));
}

void OneLaunch::select_kernel(const Variant& variant, const device::Kernel& kernel)
{
    kernel_ = &kernel;
    variant_ = &variant;
    if (steps_ == 0) made_by_ = variant_;
}

void OneLaunch::begin()
{
    if (begun_) return;
    fill();
    clear();
    begun_ = true;
}

void OneLaunch::launch(trace::Trace* trace)
{
    begin();
    prepare();
    device_.launch(
        *kernel_,
        {.grid = grid(), .block = variant_->block, .arguments = arguments(), .trace = trace});
    made_by_ = variant_;
}

void OneLaunch::step(trace::Trace* trace)
{
    launch(trace);
    steps_ += variant_->steps;
}

// The last step again, which gives the same; before the first one its result is not kept.
void OneLaunch::recount(trace::Trace& trace)
{
    if (steps_ == 0) {
        launch(&trace);
        clear();
        return;
    }
    steps_ -= variant_->steps;
    launch(&trace);
    steps_ += variant_->steps;
}

} // namespace lanescope::labs
