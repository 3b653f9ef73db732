// CUB is compiled in; cuBLAS is a large library, so it is looked for when it is asked for.
#include "compute/cuda/measure/peers.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "compute/cuda/compile/toolkit.h"
#include "compute/cuda/measure/cub_histogram.h"

namespace lanescope::cuda {
namespace {

class CubHistogram : public Peer {
public:
    CubHistogram(CudaDevice& device, std::span<const std::byte> samples, int sample_bytes, int bins,
                 unsigned upper)
        : device_(device), sample_bytes_(sample_bytes), bins_(bins), upper_(upper),
          count_(static_cast<std::int64_t>(samples.size()) / sample_bytes),
          samples_(device.allocate(samples.size())),
          counts_(device.allocate(4 * static_cast<std::size_t>(bins)))
    {
        device.upload(samples_->address(), samples);
        device.check(call(nullptr));
        scratch_ = device.allocate(scratch_bytes_);
    }
    std::string name() const override { return "cub::DeviceHistogram"; }
    void queue() override { device_.check(call(reinterpret_cast<void*>(scratch_->address()))); }
    const device::Buffer& result() const override { return *counts_; }

private:
    cudaError_t call(void* scratch)
    {
        auto* counts = reinterpret_cast<std::uint32_t*>(counts_->address());
        auto* stream = static_cast<cudaStream_t>(device_.stream());
        if (sample_bytes_ == 1)
            return cub_histogram(scratch, scratch_bytes_,
                                 reinterpret_cast<const std::uint8_t*>(samples_->address()), counts,
                                 bins_, upper_, count_, stream);
        return cub_histogram(scratch, scratch_bytes_,
                             reinterpret_cast<const std::uint32_t*>(samples_->address()), counts,
                             bins_, upper_, count_, stream);
    }

    CudaDevice& device_;
    int sample_bytes_;
    int bins_;
    unsigned upper_;
    std::int64_t count_;
    std::size_t scratch_bytes_ = 0;
    std::unique_ptr<device::Buffer> samples_;
    std::unique_ptr<device::Buffer> counts_;
    std::unique_ptr<device::Buffer> scratch_;
};

// The three functions of cuBLAS that a transpose needs, as cublas_v2.h declares them.
class Cublas {
public:
    Cublas()
    {
        for (const auto& candidate : library_candidates({"libcublas.so.13", "libcublas.so.12"}))
            if ((library_ = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL))) break;
        if (!library_)
            throw device::DeviceError(
                "The peer of the transpose is cuBLAS, and its library is not on this machine.",
                "Install the CUDA toolkit's cuBLAS, or set CUDA_HOME to a toolkit that has it.");
        check(call<int(void**)>("cublasCreate_v2", &handle_));
    }
    ~Cublas() { call<int(void*)>("cublasDestroy_v2", handle_); }
    Cublas(const Cublas&) = delete;
    Cublas& operator=(const Cublas&) = delete;

    void use_stream(void* stream)
    {
        check(call<int(void*, void*)>("cublasSetStream_v2", handle_, stream));
    }
    // Column-major: to (columns × rows) becomes the transpose of from (rows × columns in C's
    // order).
    void transpose(const float* from, float* to, int columns, int rows)
    {
        constexpr int as_is = 0;
        constexpr int turned = 1;
        const float one = 1;
        const float zero = 0;
        using Geam = int(void*, int, int, int, int, const float*, const float*, int, const float*,
                         const float*, int, float*, int);
        check(call<Geam>("cublasSgeam", handle_, turned, as_is, rows, columns, &one, from, columns,
                         &zero, to, rows, to, rows));
    }

private:
    template <class Function, class... Arguments>
    int call(const char* name, Arguments... arguments) const
    {
        auto* function = reinterpret_cast<Function*>(dlsym(library_, name));
        return function ? function(arguments...) : -1;
    }
    static void check(int status)
    {
        if (status != 0)
            throw device::DeviceError(fmt::format("cuBLAS failed with status {}.", status),
                                      "Its version must fit the driver's.");
    }

    void* library_ = nullptr; // stays loaded, as CUDA's libraries expect
    void* handle_ = nullptr;
};

class CublasTranspose : public Peer {
public:
    CublasTranspose(CudaDevice& device, int columns, int rows)
        : device_(device), columns_(columns), rows_(rows), from_(device.allocate(bytes())),
          to_(device.allocate(bytes()))
    {
        device.fill(from_->address(), 0x3e, bytes()); // any ordinary floats
        cublas_.use_stream(device.stream());
    }
    std::string name() const override { return "cublasSgeam"; }
    void queue() override
    {
        device_.use();
        cublas_.transpose(reinterpret_cast<const float*>(from_->address()),
                          reinterpret_cast<float*>(to_->address()), columns_, rows_);
    }

    const device::Buffer& result() const override { return *to_; }

private:
    std::size_t bytes() const
    {
        return 4 * static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_);
    }

    CudaDevice& device_;
    int columns_;
    int rows_;
    std::unique_ptr<device::Buffer> from_;
    std::unique_ptr<device::Buffer> to_;
    Cublas cublas_;
};

} // namespace

std::unique_ptr<Peer> make_histogram_peer(CudaDevice& device, std::span<const std::byte> samples,
                                          int sample_bytes, int bins, unsigned upper)
{
    if (sample_bytes != 1 && sample_bytes != 4)
        throw device::LaunchError(
            fmt::format("There is no peer for samples of {} bytes.", sample_bytes),
            "Samples have 1 or 4 bytes.");
    return std::make_unique<CubHistogram>(device, samples, sample_bytes, bins, upper);
}

std::unique_ptr<Peer> make_transpose_peer(CudaDevice& device, int columns, int rows)
{
    return std::make_unique<CublasTranspose>(device, columns, rows);
}

} // namespace lanescope::cuda
