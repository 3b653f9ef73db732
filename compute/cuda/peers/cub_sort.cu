// CUB's radix sort of 32-bit keys.
#include <cub/device/device_radix_sort.cuh>

#include "compute/cuda/peers/cub.cuh"

namespace lanescope::cuda {
namespace {

// Takes "from" and "count".
class CubRadixSort : public CubPeer<CubRadixSort> {
public:
    CubRadixSort(CudaDevice& device, const Task& task)
        : CubPeer(device, sizeof(std::uint32_t) * task.whole("count")),
          from_(reinterpret_cast<const std::uint32_t*>(task.buffer("from").address())), count_(task.whole_int("count"))
    {
        prepare();
    }
    std::string title() const override { return "cub::DeviceRadixSort"; }
    cudaError_t call(void* scratch, std::size_t& bytes, cudaStream_t stream)
    {
        constexpr int first_bit = 0;
        constexpr int end_bit = 32;
        return cub::DeviceRadixSort::SortKeys(scratch, bytes, from_, result_as<std::uint32_t>(), count_, first_bit,
                                              end_bit, stream);
    }

private:
    const std::uint32_t* from_;
    int count_; // with a wider type CUB computes offsets in 64 bits
};

} // namespace

std::unique_ptr<Peer> make_cub_radix_sort(CudaDevice& device, const Task& task)
{
    return std::make_unique<CubRadixSort>(device, task);
}

} // namespace lanescope::cuda
