// See sweep_run.h.
#include "app/run/sweep_run.h"

#include <memory>

#include "compute/cuda/cuda_device.h"
#include "compute/simt/simt_device.h"

namespace lanescope::app {
namespace {

constexpr int no_gpu = -1;

std::unique_ptr<device::Device> own_device(int cuda_ordinal)
{
    if (cuda_ordinal == no_gpu) return simt::make_device({.threads = 1});
    return cuda::make_device(cuda_ordinal);
}

} // namespace

SweepRun::SweepRun(const device::Device& beside, SweepPlan plan) : plan_(std::move(plan))
{
    const auto* gpu = dynamic_cast<const cuda::CudaDevice*>(&beside);
    thread_ = std::thread([this, ordinal = gpu ? gpu->ordinal() : no_gpu] { run(ordinal); });
}

SweepRun::~SweepRun()
{
    cancel();
    thread_.join();
}

void SweepRun::run(int cuda_ordinal)
{
    try {
        const auto device = own_device(cuda_ordinal);
        run_sweep(*device, plan_, [this](SweepPoint point) {
            const std::lock_guard lock(mutex_);
            points_.push_back(std::move(point));
            return !cancelled_;
        });
    } catch (const std::exception& error) {
        const std::lock_guard lock(mutex_);
        error_ = error.what();
    }
    finished_ = true;
}

std::vector<SweepPoint> SweepRun::points() const
{
    const std::lock_guard lock(mutex_);
    return points_;
}

std::string SweepRun::error() const
{
    const std::lock_guard lock(mutex_);
    return error_;
}

} // namespace lanescope::app
