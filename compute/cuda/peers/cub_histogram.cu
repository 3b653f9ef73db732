// CUB's histogram of equal bins.
#include <cub/device/device_histogram.cuh>

#include "compute/cuda/peers/cub.cuh"

namespace lanescope::cuda {
namespace {

// Takes "samples" ("size" elements of 1 or 4 bytes) and "bins": equal bins over all byte values, or
// over values from 0 to bins - 1.
class CubHistogram : public CubPeer<CubHistogram> {
public:
    CubHistogram(CudaDevice& device, const Task& task)
        : CubPeer(device, sizeof(std::uint32_t) * task.whole("bins")), samples_(task.buffer("samples")),
          count_(task.whole("size")), bins_(task.whole_int("bins")), sample_bytes_(samples_.bytes() / count_)
    {
        if (sample_bytes_ != 1 && sample_bytes_ != 4)
            throw device::LaunchError("cub_histogram is given samples that have neither 1 nor 4 bytes.",
                                      "\"size\" must be the number of samples in the buffer.");
        prepare();
    }
    std::string title() const override { return "cub::DeviceHistogram"; }
    cudaError_t call(void* scratch, std::size_t& bytes, cudaStream_t stream)
    {
        auto* counts = result_as<std::uint32_t>();
        if (sample_bytes_ == 1) // levels have the sample type, which can't represent 256, so use
                                // int
            return cub::DeviceHistogram::HistogramEven(scratch, bytes,
                                                       static_cast<const std::uint8_t*>(address_of(samples_)), counts,
                                                       bins_ + 1, 0, 256, count_, stream);
        return cub::DeviceHistogram::HistogramEven(scratch, bytes,
                                                   static_cast<const std::uint32_t*>(address_of(samples_)), counts,
                                                   bins_ + 1, 0u, static_cast<unsigned>(bins_), count_, stream);
    }

private:
    const device::Buffer& samples_;
    std::int64_t count_;
    int bins_;
    std::int64_t sample_bytes_;
};

} // namespace

std::unique_ptr<Peer> make_cub_histogram(CudaDevice& device, const Task& task)
{
    return std::make_unique<CubHistogram>(device, task);
}

} // namespace lanescope::cuda
