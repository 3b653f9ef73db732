// A thread with its own device; points are published one by one under a mutex.
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
    ordinal_ = gpu ? gpu->ordinal() : no_gpu;
    thread_ = LoopThread([this] {
        while (turn()) {
        }
        end();
    });
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

bool SweepRun::turn()
{
    if (cancelled_ || finished_) return false;
    try {
        if (!device_) {
            auto device = own_device(ordinal_);
            const std::lock_guard lock(mutex_);
            device_ = std::move(device);
            if (cancelled_) device_->cancel();
        }
        if (!next_) next_ = std::make_unique<SweepPoints>(*device_, *plan_);
        std::optional<SweepPoint> point = next_->next();
        if (!point) return false;
        const std::lock_guard lock(mutex_);
        points_.push_back(std::move(*point));
        return true;
    } catch (const device::Cancelled&) { // as requested
    } catch (const std::exception& error) {
        const std::lock_guard lock(mutex_);
        error_ = error.what();
    }
    return false;
}

void SweepRun::end()
{
    next_.reset();
    {
        const std::lock_guard lock(mutex_);
        device_.reset();
    }
    finished_ = true;
}

std::size_t SweepRun::count()
{
    if constexpr (!has_threads)
        if (!finished_ && !turn()) end();
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
