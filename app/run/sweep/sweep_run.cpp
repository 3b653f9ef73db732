// A thread with a device of its own; points are published one by one, under a mutex.
#include "app/run/sweep/sweep_run.h"

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

SweepRun::SweepRun(const device::Device& beside, SweepPlan plan)
    : plan_(std::make_shared<const SweepPlan>(std::move(plan)))
{
    const auto* gpu = dynamic_cast<const cuda::CudaDevice*>(&beside);
    thread_ = std::thread([this, ordinal = gpu ? gpu->ordinal() : no_gpu] { run(ordinal); });
}

SweepRun::~SweepRun()
{
    cancel();
    thread_.join();
}

void SweepRun::cancel()
{
    cancelled_ = true;
    const std::lock_guard lock(mutex_);
    if (device_) device_->cancel();
}

void SweepRun::run(int cuda_ordinal)
{
    std::unique_ptr<device::Device> device;
    const auto lend = [&](device::Device* lent) {
        const std::lock_guard lock(mutex_);
        device_ = lent;
        if (lent && cancelled_) lent->cancel();
    };
    try {
        device = own_device(cuda_ordinal);
        lend(device.get());
        run_sweep(*device, *plan_, [this](SweepPoint point) {
            const std::lock_guard lock(mutex_);
            points_.push_back(std::move(point));
            return !cancelled_;
        });
    } catch (const device::Cancelled&) { // as was asked
    } catch (const std::exception& error) {
        const std::lock_guard lock(mutex_);
        error_ = error.what();
    }
    lend(nullptr);
    finished_ = true;
}

std::size_t SweepRun::count() const
{
    const std::lock_guard lock(mutex_);
    return points_.size();
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
