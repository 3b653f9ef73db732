// cuSPARSE's product of a CSR matrix and a vector, without its headers: the library is large and
// only loaded when this peer needs it.
#include <fmt/format.h>

#include "compute/cuda/compile/toolkit.h"
#include "compute/cuda/peers/peers.h"
#include "compute/process/library.h"

namespace lanescope::cuda {
namespace {

// Values of cusparse.h and library_types.h.
constexpr int indices_of_32_bits = 2;
constexpr int index_base_zero = 0;
constexpr int numbers_f32 = 0;
constexpr int not_transposed = 0;
constexpr int default_algorithm = 0;

// Takes "starts" (i32, "rows" + 1), "columns" and "values" ("entries" of i32 and f32) and "x"
// (f32); the matrix is square.
class CusparseSpmv : public Peer {
public:
    CusparseSpmv(CudaDevice& device, const Task& task)
        : device_(device), rows_(task.whole("rows")),
          to_(device.allocate(sizeof(float) * static_cast<std::size_t>(rows_)))
    {
        open();
        device_.use();
        const std::int64_t entries = task.whole("entries");
        call("cusparseCreate", &handle_);
        call("cusparseSetStream", handle_, device_.stream());
        call("cusparseCreateCsr", &matrix_, rows_, rows_, entries, address(task.buffer("starts")),
             address(task.buffer("columns")), address(task.buffer("values")), indices_of_32_bits,
             indices_of_32_bits, index_base_zero, numbers_f32);
        call("cusparseCreateDnVec", &x_, rows_, address(task.buffer("x")), numbers_f32);
        call("cusparseCreateDnVec", &y_, rows_, address(*to_), numbers_f32);
        std::size_t bytes = 0;
        multiply("cusparseSpMV_bufferSize", &bytes);
        scratch_ = device_.allocate(bytes > 0 ? bytes : 1);
        if (find_function(library_, "cusparseSpMV_preprocess") != nullptr) // since CUDA 12.4
            multiply("cusparseSpMV_preprocess", address(*scratch_));
    }
    ~CusparseSpmv() override
    {
        destroy("cusparseDestroyDnVec", x_);
        destroy("cusparseDestroyDnVec", y_);
        destroy("cusparseDestroySpMat", matrix_);
        destroy("cusparseDestroy", handle_);
    }
    CusparseSpmv(const CusparseSpmv&) = delete;
    CusparseSpmv& operator=(const CusparseSpmv&) = delete;

    std::string title() const override { return "cusparseSpMV (CSR)"; }
    std::string library() const override
    {
        int number = 0; // 1000 * major + 100 * minor + patch
        call("cusparseGetVersion", handle_, &number);
        return fmt::format("cuSPARSE {}.{}.{}", number / 1000, number / 100 % 10, number % 100);
    }
    void queue() override { multiply("cusparseSpMV", address(*scratch_)); }
    const device::Buffer& result() const override { return *to_; }

private:
    static void* address(const device::Buffer& buffer)
    {
        return reinterpret_cast<void*>(buffer.address());
    }

    void open()
    {
        for (const auto& candidate : library_candidates({cuda_library("cusparse", 12)}))
            if ((library_ = open_library(candidate))) return;
        throw device::DeviceError(
            "The comparison needs cuSPARSE, which is not on this machine.",
            "Install the CUDA toolkit's cuSPARSE, or set CUDA_HOME to a toolkit that has it.");
    }

    // The argument types are those of cusparse.h, enums as int.
    template <class... Arguments>
    void call(const char* name, Arguments... arguments) const
    {
        device_.use();
        void* const found = find_function(library_, name);
        if (found == nullptr)
            throw device::DeviceError(fmt::format("This cuSPARSE has no {}.", name),
                                      "Its version must match the driver's.");
        if (const int status = reinterpret_cast<int (*)(Arguments...)>(found)(arguments...))
            throw device::DeviceError(
                fmt::format("{} failed with status {}.", name, status),
                "cusparse.h explains the status; the library's version must match the driver's.");
    }

    // y = matrix · x; `last` is the scratch memory, or where its size goes.
    template <class Last>
    void multiply(const char* name, Last last) const
    {
        const float one = 1;
        const float zero = 0;
        call(name, handle_, not_transposed, static_cast<const void*>(&one), matrix_, x_,
             static_cast<const void*>(&zero), y_, numbers_f32, default_algorithm, last);
    }

    void destroy(const char* name, void* what) const noexcept
    {
        if (what == nullptr) return;
        if (auto* function = reinterpret_cast<int (*)(void*)>(find_function(library_, name)))
            function(what);
    }

    CudaDevice& device_;
    std::int64_t rows_;
    std::unique_ptr<device::Buffer> to_;
    std::unique_ptr<device::Buffer> scratch_;
    void* library_ = nullptr; // never unloaded, as CUDA's libraries expect
    void* handle_ = nullptr;
    void* matrix_ = nullptr;
    void* x_ = nullptr;
    void* y_ = nullptr;
};

} // namespace

std::unique_ptr<Peer> make_cusparse_spmv(CudaDevice& device, const Task& task)
{
    return std::make_unique<CusparseSpmv>(device, task);
}

} // namespace lanescope::cuda
