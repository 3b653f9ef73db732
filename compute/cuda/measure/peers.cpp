// CUB is compiled in; cuBLAS is a large library, so it is looked for when it is asked for. A peer
// is one row of the table at the end.
#include "compute/cuda/measure/peers.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compute/cuda/compile/toolkit.h"
#include "compute/cuda/measure/cub_histogram.h"

namespace lanescope::cuda {
namespace {

const device::Buffer& buffer_of(const Task& task, std::string_view name)
{
    if (const device::Buffer* buffer = task.buffer(name)) return *buffer;
    throw device::LaunchError(
        fmt::format("The peer reads a buffer '{}', which the lab lacks.", name),
        "Name the lab's buffers as the peer expects, or leave the peer out.");
}

// Samples of 1 or 4 bytes: `bins` equal bins over all the values that they may have.
class CubHistogram : public Peer {
public:
    CubHistogram(CudaDevice& device, const Task& task)
        : device_(device), samples_(buffer_of(task, "samples")),
          count_(static_cast<std::int64_t>(task.number("size"))),
          bins_(static_cast<int>(task.number("bins"))),
          sample_bytes_(static_cast<int>(static_cast<std::int64_t>(samples_.bytes()) / count_)),
          upper_(sample_bytes_ == 1 ? 256U : static_cast<unsigned>(bins_)),
          counts_(device.allocate(4 * static_cast<std::size_t>(bins_)))
    {
        if (sample_bytes_ != 1 && sample_bytes_ != 4)
            throw device::LaunchError(
                fmt::format("There is no peer for samples of {} bytes.", sample_bytes_),
                "Samples have 1 or 4 bytes.");
        device.check(call(nullptr));
        scratch_ = device.allocate(scratch_bytes_);
    }
    std::string title() const override { return "cub::DeviceHistogram"; }
    void queue() override { device_.check(call(reinterpret_cast<void*>(scratch_->address()))); }
    const device::Buffer& result() const override { return *counts_; }

private:
    cudaError_t call(void* scratch)
    {
        auto* counts = reinterpret_cast<std::uint32_t*>(counts_->address());
        auto* stream = static_cast<cudaStream_t>(device_.stream());
        if (sample_bytes_ == 1)
            return cub_histogram(scratch, scratch_bytes_,
                                 reinterpret_cast<const std::uint8_t*>(samples_.address()), counts,
                                 bins_, upper_, count_, stream);
        return cub_histogram(scratch, scratch_bytes_,
                             reinterpret_cast<const std::uint32_t*>(samples_.address()), counts,
                             bins_, upper_, count_, stream);
    }

    CudaDevice& device_;
    const device::Buffer& samples_;
    std::int64_t count_;
    int bins_;
    int sample_bytes_;
    unsigned upper_;
    std::size_t scratch_bytes_ = 0;
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
                "A peer is cuBLAS, and its library is not on this machine.",
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
    CublasTranspose(CudaDevice& device, const Task& task)
        : device_(device), columns_(static_cast<int>(task.number("size"))),
          rows_(static_cast<int>(task.number("rows"))), from_(buffer_of(task, "from")),
          to_(device.allocate(from_.bytes()))
    {
        cublas_.use_stream(device.stream());
    }
    std::string title() const override { return "cublasSgeam"; }
    void queue() override
    {
        device_.use();
        cublas_.transpose(reinterpret_cast<const float*>(from_.address()),
                          reinterpret_cast<float*>(to_->address()), columns_, rows_);
    }
    const device::Buffer& result() const override { return *to_; }

private:
    CudaDevice& device_;
    int columns_;
    int rows_;
    const device::Buffer& from_;
    std::unique_ptr<device::Buffer> to_;
    Cublas cublas_;
};

template <class P>
std::unique_ptr<Peer> make(CudaDevice& device, const Task& task)
{
    return std::make_unique<P>(device, task);
}

struct Known {
    std::string_view name;
    std::unique_ptr<Peer> (*make)(CudaDevice&, const Task&);
};
constexpr Known known[] = {{"cub_histogram", make<CubHistogram>},
                           {"cublas_geam", make<CublasTranspose>}};

} // namespace

std::vector<std::string_view> peer_names()
{
    std::vector<std::string_view> names;
    for (const Known& one : known) names.push_back(one.name);
    return names;
}

std::unique_ptr<Peer> make_peer(std::string_view name, CudaDevice& device, const Task& task)
{
    for (const Known& one : known)
        if (one.name == name) return one.make(device, task);
    throw Error(ExitStatus::no_such_thing, fmt::format("There is no peer '{}'.", name),
                fmt::format("The peers are: {}.", fmt::join(peer_names(), ", ")));
}

} // namespace lanescope::cuda
