// cuBLAS's C = α·op(A) + β·op(B), used as a transpose.
#include "compute/cuda/peers/cublas.h"
#include "compute/cuda/peers/peers.h"

namespace lanescope::cuda {
namespace {

// Reads "from" (f32, "rows" × "columns") and produces the "columns" × "rows" transpose.
class CublasGeam : public Peer {
public:
    CublasGeam(CudaDevice& device, const Task& task)
        : columns_(task.whole_int("columns")), rows_(task.whole_int("rows")),
          from_(reinterpret_cast<const float*>(task.buffer("from").address())),
          to_(device.allocate(sizeof(float) * columns_ * rows_)), cublas_(device)
    {
    }
    std::string title() const override { return "cublasSgeam"; }
    std::string library() const override { return cublas_.version(); }
    void queue() override
    {
        // cuBLAS is column-major: our rows are its columns.
        constexpr int as_is = 0;
        constexpr int turned = 1;
        const float one = 1;
        const float zero = 0;
        auto* to = reinterpret_cast<float*>(to_->address());
        cublas_.call("cublasSgeam", turned, as_is, rows_, columns_, &one, from_, columns_, &zero,
                     static_cast<const float*>(to), rows_, to, rows_);
    }
    const device::Buffer& result() const override { return *to_; }

private:
    int columns_;
    int rows_;
    const float* from_;
    std::unique_ptr<device::Buffer> to_;
    Cublas cublas_;
};

} // namespace

std::unique_ptr<Peer> make_cublas_geam(CudaDevice& device, const Task& task)
{
    return std::make_unique<CublasGeam>(device, task);
}

} // namespace lanescope::cuda
