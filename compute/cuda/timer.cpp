// Ring of timing events.
#include "compute/cuda/timer.h"

namespace lanescope::cuda {

CudaTimer::CudaTimer(const CudaDevice& device) : device_(device)
{
    device_.use();
    for (Pair& pair : ring_) pair = {make_event(), make_event()};
}

void CudaTimer::begin()
{
    device_.use();
    if (next_ - oldest_ == ring_size) ++oldest_;
    device_.check(
        cudaEventRecord(at(next_).begin.get(), static_cast<cudaStream_t>(device_.stream())));
}

void CudaTimer::end()
{
    device_.use();
    device_.check(
        cudaEventRecord(at(next_).end.get(), static_cast<cudaStream_t>(device_.stream())));
    ++next_;
}

std::vector<double> CudaTimer::poll_ms()
{
    device_.use();
    std::vector<double> finished;
    for (; oldest_ != next_; ++oldest_) {
        const cudaError_t status = cudaEventQuery(at(oldest_).end.get());
        if (status == cudaErrorNotReady) {
            cudaGetLastError();
            break;
        }
        device_.check(status);
        float elapsed_ms = 0;
        device_.check(
            cudaEventElapsedTime(&elapsed_ms, at(oldest_).begin.get(), at(oldest_).end.get()));
        finished.push_back(elapsed_ms);
    }
    return finished;
}

void CudaMarks::mark()
{
    device_.use();
    if (used_ == events_.size()) events_.push_back(make_event());
    device_.check(
        cudaEventRecord(events_[used_].get(), static_cast<cudaStream_t>(device_.stream())));
    ++used_;
}

std::vector<double> CudaMarks::read_ms()
{
    device_.use();
    std::vector<double> all;
    for (std::size_t i = 0; i < used_; ++i) {
        device_.check(cudaEventSynchronize(events_[i].get()));
        float elapsed_ms = 0;
        device_.check(cudaEventElapsedTime(&elapsed_ms, events_[0].get(), events_[i].get()));
        all.push_back(elapsed_ms);
    }
    used_ = 0;
    return all;
}

} // namespace lanescope::cuda
