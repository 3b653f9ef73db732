// CUB's reduction, prefix sums and selection, for floats.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "compute/cuda/peers/cub.cuh"

namespace lanescope::cuda {
namespace {

// All take "from" and "count".
template <class Derived>
class OfFloats : public CubPeer<Derived> {
protected:
    OfFloats(CudaDevice& device, const Task& task, std::int64_t results)
        : CubPeer<Derived>(device, sizeof(float) * results),
          from_(reinterpret_cast<const float*>(task.buffer("from").address())), count_(task.whole("count"))
    {
    }
    const float* from_;
    std::int64_t count_;
};

class CubReduce : public OfFloats<CubReduce> {
public:
    CubReduce(CudaDevice& device, const Task& task) : OfFloats(device, task, 1) { prepare(); }
    std::string title() const override { return "cub::DeviceReduce"; }
    cudaError_t call(void* scratch, std::size_t& bytes, cudaStream_t stream)
    {
        return cub::DeviceReduce::Sum(scratch, bytes, from_, result_as<float>(), count_, stream);
    }
};

class CubScan : public OfFloats<CubScan> {
public:
    CubScan(CudaDevice& device, const Task& task) : OfFloats(device, task, task.whole("count")) { prepare(); }
    std::string title() const override { return "cub::DeviceScan"; }
    cudaError_t call(void* scratch, std::size_t& bytes, cudaStream_t stream)
    {
        return cub::DeviceScan::InclusiveSum(scratch, bytes, from_, result_as<float>(), count_, stream);
    }
};

struct Below {
    float limit;
    __host__ __device__ bool operator()(float value) const { return value < limit; }
};

// Also takes "limit": selects numbers below it; and "elements", the result's capacity.
class CubSelect : public OfFloats<CubSelect> {
public:
    CubSelect(CudaDevice& device, const Task& task)
        : OfFloats(device, task, task.whole("elements")), below_{static_cast<float>(task.number("limit"))},
          selected_(device.allocate(sizeof(std::int64_t)))
    {
        prepare();
    }
    std::string title() const override { return "cub::DeviceSelect"; }
    cudaError_t call(void* scratch, std::size_t& bytes, cudaStream_t stream)
    {
        return cub::DeviceSelect::If(scratch, bytes, from_, result_as<float>(),
                                     static_cast<std::int64_t*>(address_of(*selected_)), count_, below_, stream);
    }

private:
    Below below_;
    std::unique_ptr<device::Buffer> selected_;
};

} // namespace

std::unique_ptr<Peer> make_cub_reduce(CudaDevice& device, const Task& task)
{
    return std::make_unique<CubReduce>(device, task);
}

std::unique_ptr<Peer> make_cub_scan(CudaDevice& device, const Task& task)
{
    return std::make_unique<CubScan>(device, task);
}

std::unique_ptr<Peer> make_cub_select(CudaDevice& device, const Task& task)
{
    return std::make_unique<CubSelect>(device, task);
}

} // namespace lanescope::cuda
