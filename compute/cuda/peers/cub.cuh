// Common base of all CUB peers: queries the scratch memory once, then runs with it.
#pragma once

#include <string>

#include <cub/version.cuh>

#include "compute/cuda/peers/peers.h"

namespace lanescope::cuda {

// `Derived` has `cudaError_t call(void* scratch, std::size_t& bytes, cudaStream_t stream)`, which
// passes all three on to CUB: with a null `scratch` only `bytes` is set.
template <class Derived>
class CubPeer : public Peer {
public:
    std::string library() const override
    {
        return "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." +
               std::to_string(CUB_MINOR_VERSION) + "." + std::to_string(CUB_SUBMINOR_VERSION);
    }
    void queue() override { device_.check(run(scratch_ ? address_of(*scratch_) : nullptr)); }
    const device::Buffer& result() const override { return *result_; }

protected:
    CubPeer(CudaDevice& device, std::size_t result_bytes)
        : device_(device), result_(device.allocate(result_bytes))
    {
    }
    // Call at the end of Derived's constructor.
    void prepare()
    {
        device_.check(run(nullptr));
        scratch_ = device_.allocate(scratch_bytes_ > 0 ? scratch_bytes_ : 1);
    }
    template <class T>
    T* result_as() const
    {
        return static_cast<T*>(address_of(*result_));
    }
    static void* address_of(const device::Buffer& buffer)
    {
        return reinterpret_cast<void*>(buffer.address());
    }

private:
    cudaError_t run(void* scratch)
    {
        device_.use();
        return static_cast<Derived&>(*this).call(scratch, scratch_bytes_,
                                                 static_cast<cudaStream_t>(device_.stream()));
    }

    CudaDevice& device_;
    std::unique_ptr<device::Buffer> result_;
    std::unique_ptr<device::Buffer> scratch_;
    std::size_t scratch_bytes_ = 0;
};

} // namespace lanescope::cuda
