// cuBLAS's C = α·A·B + β·C in full single precision: no TF32 on tensor cores.
#include "compute/cuda/peers/cublas.h"
#include "compute/cuda/peers/peers.h"

namespace lanescope::cuda {
namespace {

// Reads "a" (f32, "rows" × "depth") and "b" ("depth" × "columns"); produces "rows" × "columns".
class CublasSgemm : public Peer {
public:
    CublasSgemm(CudaDevice& device, const Task& task)
        : rows_(task.whole_int("rows")), columns_(task.whole_int("columns")),
          depth_(task.whole_int("depth")),
          a_(reinterpret_cast<const float*>(task.buffer("a").address())),
          b_(reinterpret_cast<const float*>(task.buffer("b").address())),
          c_(device.allocate(sizeof(float) * static_cast<std::size_t>(columns_) *
                             static_cast<std::size_t>(rows_))),
          cublas_(device)
    {
        constexpr int pedantic = 2;
        cublas_.call("cublasSetMathMode", pedantic);
    }
    std::string title() const override { return "cublasSgemm, no TF32"; }
    std::string library() const override { return cublas_.version(); }
    void queue() override
    {
        // cuBLAS is column-major: our rows are its columns, so it multiplies the transposed
        // matrices with b first.
        constexpr int as_is = 0;
        const float one = 1;
        const float zero = 0;
        auto* c = reinterpret_cast<float*>(c_->address());
        cublas_.call("cublasSgemm_v2", as_is, as_is, columns_, rows_, depth_, &one, b_, columns_,
                     a_, depth_, &zero, c, columns_);
    }
    const device::Buffer& result() const override { return *c_; }

private:
    int rows_;
    int columns_;
    int depth_;
    const float* a_;
    const float* b_;
    std::unique_ptr<device::Buffer> c_;
    Cublas cublas_;
};

} // namespace

std::unique_ptr<Peer> make_cublas_sgemm(CudaDevice& device, const Task& task)
{
    return std::make_unique<CublasSgemm>(device, task);
}

} // namespace lanescope::cuda
