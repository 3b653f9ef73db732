// PTX text made native by the driver, with its compiler's log when it refuses.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cuda_runtime_api.h>

namespace lanescope::cuda {

class Library {
public:
    // Compiles for the current device, with at most so many registers per thread (0: as many as it
    // likes), and links kernels that launch kernels with the device runtime. Throws LaunchError
    // with the compiler's log, and DeviceError where that runtime is missing.
    explicit Library(std::string_view ptx, int max_registers = 0);
    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    std::vector<cudaKernel_t> kernels() const;
    // Throws CudaError if there is none of that name.
    cudaKernel_t kernel(const std::string& name) const;

    struct Global {
        void* address = nullptr;
        std::size_t bytes = 0;
    };
    // Nothing if there is none of that name.
    std::optional<Global> find_global(const std::string& name) const;

private:
    std::string text_;
    std::vector<char> code_; // of a text that is linked with the device runtime
    std::vector<char> log_;  // the driver may compile late and write here then
    cudaLibrary_t library_ = nullptr;
};

} // namespace lanescope::cuda
