// CUDA graphs: a stream's work, captured and instantiated once, then launched with a single call.
#include <memory>
#include <type_traits>

#include "compute/cuda/cuda_device.h"
#include "compute/cuda/driver/libcuda.h"

namespace lanescope::cuda {
namespace {

using Captured = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, Destroy<cudaGraphDestroy>>;
using Executable =
    std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, Destroy<cudaGraphExecDestroy>>;

class CudaGraph : public device::Graph {
public:
    CudaGraph(CudaDevice& device, const Captured& captured) : device_(device)
    {
        cudaGraphExec_t made = nullptr;
        device.check(cudaGraphInstantiate(&made, captured.get(), 0));
        executable_.reset(made);
    }

    void launch() override
    {
        device_.use();
        if (device_.cancelled()) throw device::Cancelled();
        device_.check(
            cudaGraphLaunch(executable_.get(), static_cast<cudaStream_t>(device_.stream())));
    }

private:
    CudaDevice& device_;
    Executable executable_;
};

} // namespace

// A driver that is called without the runtime (driver/runtime.cpp) may be older than graphs.
bool CudaDevice::has_graphs() const
{
    const Libcuda* const driver = libcuda();
    return !driver || (driver->cuStreamBeginCapture && driver->cuStreamEndCapture &&
                       driver->cuGraphInstantiateWithFlags && driver->cuGraphLaunch &&
                       driver->cuGraphExecDestroy && driver->cuGraphDestroy);
}

std::unique_ptr<device::Graph> CudaDevice::capture(const std::function<void()>& work)
{
    use();
    // Relaxed: kernels may be loaded meanwhile, here or by other threads.
    check(cudaStreamBeginCapture(current_->get(), cudaStreamCaptureModeRelaxed));
    cudaGraph_t ended = nullptr;
    try {
        work();
    } catch (...) {
        cudaStreamEndCapture(current_->get(), &ended);
        const Captured discarded(ended);
        cudaGetLastError();
        throw;
    }
    check(cudaStreamEndCapture(current_->get(), &ended));
    const Captured captured(ended);
    return std::make_unique<CudaGraph>(*this, captured);
}

} // namespace lanescope::cuda
