// CUB's transform of two arrays into a third, tuned by NVIDIA per architecture: the bandwidth that
// a kernel with two reads and one write can reach.
#include <cub/device/device_transform.cuh>

#include <cuda/std/functional>
#include <cuda/std/tuple>

#include "compute/cuda/peers/cub.cuh"

namespace lanescope::cuda {
namespace {

// Takes "a" and "b" (f32, "size" elements) and produces their sums.
class CubTransformAdd : public CubPeer<CubTransformAdd> {
public:
    CubTransformAdd(CudaDevice& device, const Task& task)
        : CubPeer(device, sizeof(float) * task.whole("size")), a_(task.buffer("a")), b_(task.buffer("b")),
          count_(task.whole("size"))
    {
        prepare();
    }
    std::string title() const override { return "cub::DeviceTransform"; }
    cudaError_t call(void* scratch, std::size_t& bytes, cudaStream_t stream)
    {
        const ::cuda::std::tuple inputs{static_cast<const float*>(address_of(a_)),
                                      static_cast<const float*>(address_of(b_))};
        return cub::DeviceTransform::Transform(scratch, bytes, inputs, result_as<float>(), count_,
                                               ::cuda::std::plus<float>{}, stream);
    }

private:
    const device::Buffer& a_;
    const device::Buffer& b_;
    std::int64_t count_;
};

} // namespace

std::unique_ptr<Peer> make_cub_transform_add(CudaDevice& device, const Task& task)
{
    return std::make_unique<CubTransformAdd>(device, task);
}

} // namespace lanescope::cuda
