// cuBLAS's C = α·A·B + β·C with narrow factors and f32 sums, on tensor cores.
#include "compute/cuda/peers/cublas.h"
#include "compute/cuda/peers/peers.h"

namespace lanescope::cuda {
namespace {

// Reads "a" ("rows" × "depth") and "b" by columns ("columns" × "depth"), of "format" 0 bf16, 1 f16
// or 2 tf32; produces "rows" × "columns" floats.
class CublasGemm : public Peer {
public:
    CublasGemm(CudaDevice& device, const Task& task)
        : rows_(task.whole_int("rows")), columns_(task.whole_int("columns")),
          depth_(task.whole_int("depth")), format_(task.whole_int("format")),
          a_(task.buffer("a").address()), b_(task.buffer("b").address()),
          c_(device.allocate(sizeof(float) * static_cast<std::size_t>(columns_) *
                             static_cast<std::size_t>(rows_))),
          cublas_(device)
    {
    }
    std::string title() const override { return "cublasGemmEx, sums in f32"; }
    std::string library() const override { return cublas_.version(); }
    void queue() override
    {
        // Values of cudaDataType, cublasComputeType_t and cublasGemmAlgo_t.
        constexpr int f32 = 0, f16 = 2, bf16 = 14;
        constexpr int sums_f32 = 68, sums_f32_factors_tf32 = 77, default_algorithm = -1;
        constexpr int as_is = 0, transposed = 1;
        const int type = format_ == 0 ? bf16 : format_ == 1 ? f16 : f32;
        const float one = 1;
        const float zero = 0;
        const auto at = [](device::Address address) {
            return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
        };
        // cuBLAS is column-major: our rows are its columns.
        cublas_.call("cublasGemmEx", transposed, as_is, columns_, rows_, depth_,
                     static_cast<const void*>(&one), static_cast<const void*>(at(b_)), type, depth_,
                     static_cast<const void*>(at(a_)), type, depth_,
                     static_cast<const void*>(&zero), at(c_->address()), f32, columns_,
                     format_ == 2 ? sums_f32_factors_tf32 : sums_f32, default_algorithm);
    }
    const device::Buffer& result() const override { return *c_; }

private:
    int rows_;
    int columns_;
    int depth_;
    int format_;
    device::Address a_;
    device::Address b_;
    std::unique_ptr<device::Buffer> c_;
    Cublas cublas_;
};

} // namespace

std::unique_ptr<Peer> make_cublas_gemm(CudaDevice& device, const Task& task)
{
    return std::make_unique<CublasGemm>(device, task);
}

} // namespace lanescope::cuda
