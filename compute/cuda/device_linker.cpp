// Links with cuLinkCreate: adds the text, then the library, then completes.
#include "compute/cuda/device_linker.h"

#include <array>
#include <cstdint>
#include <memory>

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "compute/cuda/check.h"
#include "compute/cuda/compile/toolkit.h"
#include "compute/device/device.h"

namespace lanescope::cuda {
namespace {

constexpr const char* library_name = "libcudadevrt.a";

// The driver's linker, declared as in cuda.h and looked up on demand.
struct Linker {
    decltype(&::cuLinkCreate) create = nullptr;
    decltype(&::cuLinkAddData) add_data = nullptr;
    decltype(&::cuLinkAddFile) add_file = nullptr;
    decltype(&::cuLinkComplete) complete = nullptr;
    decltype(&::cuLinkDestroy) destroy = nullptr;

    Linker()
    {
        find(create, "cuLinkCreate");
        find(add_data, "cuLinkAddData");
        find(add_file, "cuLinkAddFile");
        find(complete, "cuLinkComplete");
        find(destroy, "cuLinkDestroy");
    }

private:
    template <class Function>
    static void find(Function& function, const char* name)
    {
        void* found = nullptr;
        cudaDriverEntryPointQueryResult result{};
        check(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result));
        if (found == nullptr)
            throw device::DeviceError(fmt::format("The NVIDIA driver has no {}.", name),
                                      "Update the driver.");
        function = reinterpret_cast<Function>(found);
    }
};

// Numeric options are passed in place of a pointer.
void* as_value(std::size_t number)
{
    return reinterpret_cast<void*>(number);
}

class Link {
public:
    explicit Link(int max_registers) : log_(16384, '\0')
    {
        add(CU_JIT_ERROR_LOG_BUFFER, log_.data());
        add(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, as_value(log_.size() - 1));
        // Counts and faults are reported per line.
        add(CU_JIT_GENERATE_LINE_INFO, as_value(1));
        if (max_registers > 0)
            add(CU_JIT_MAX_REGISTERS, as_value(static_cast<std::size_t>(max_registers)));
        require(linker_.create(static_cast<unsigned>(options_.size()), options_.data(),
                               values_.data(), &state_));
    }
    ~Link()
    {
        if (state_ != nullptr) linker_.destroy(state_);
    }
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    void add_text(const std::string& ptx)
    {
        require(linker_.add_data(state_, CU_JIT_INPUT_PTX, const_cast<char*>(ptx.c_str()),
                                 ptx.size() + 1, "kernels.ptx", 0, nullptr, nullptr));
    }
    void add_library(const std::filesystem::path& path)
    {
        require(linker_.add_file(state_, CU_JIT_INPUT_LIBRARY, path.string().c_str(), 0, nullptr,
                                 nullptr));
    }
    std::vector<char> complete()
    {
        void* code = nullptr;
        std::size_t bytes = 0;
        require(linker_.complete(state_, &code, &bytes)); // owned by the link state
        const char* const begin = static_cast<const char*>(code);
        return {begin, begin + bytes};
    }

private:
    void add(CUjit_option option, void* value)
    {
        options_.push_back(option);
        values_.push_back(value);
    }

    void require(CUresult result) const
    {
        if (result == CUDA_SUCCESS) return;
        const std::string log(log_.data());
        throw device::LaunchError(
            fmt::format("The driver could not link this PTX with {}: {}", library_name,
                        log.empty() ? describe(static_cast<cudaError_t>(result)) : log),
            "The library must not be newer than the driver; that of an older toolkit also works.");
    }

    Linker linker_;
    std::vector<char> log_;
    std::vector<CUjit_option> options_;
    std::vector<void*> values_;
    CUlinkState state_ = nullptr;
};

} // namespace

bool needs_device_runtime(std::string_view ptx)
{
    return ptx.find("__cudaCDP2") != std::string_view::npos;
}

std::optional<std::filesystem::path> find_device_runtime()
{
    for (const std::filesystem::path& candidate : library_candidates({library_name}))
        if (candidate.has_parent_path()) return candidate;
    return std::nullopt;
}

std::vector<char> link_with_device_runtime(const std::string& ptx, int max_registers)
{
    const auto library = find_device_runtime();
    if (!library)
        throw device::DeviceError(fmt::format("On a GPU, kernels that launch kernels need NVIDIA's "
                                              "device runtime, but {} is not on this machine.",
                                              library_name),
                                  "Install a CUDA toolkit (set CUDA_HOME to its location), or run "
                                  "`pip install 'lanescope[edit]'`; --device simt needs neither.");
    Link link(max_registers);
    link.add_text(ptx);
    link.add_library(*library);
    return link.complete();
}

} // namespace lanescope::cuda
