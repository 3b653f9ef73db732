// PTX compiled by the driver, with the compiler's log if it refuses.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cuda_runtime_api.h>

namespace lanescope::cuda {

class Library {
public:
    // Compiles for the current device with at most `max_registers` per thread (0: no limit), and
    // links kernels that launch kernels with the device runtime. Throws LaunchError with the
    // compiler's log, and DeviceError if that runtime is missing.
    explicit Library(std::string_view ptx, int max_registers = 0);
    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    std::vector<cudaKernel_t> kernels() const;
    // Throws CudaError if the library has no kernel of that name.
    cudaKernel_t kernel(const std::string& name) const;

    struct Global {
        void* address = nullptr;
        std::size_t bytes = 0;
    };
    // Empty if no variable has that name.
    std::optional<Global> find_global(const std::string& name) const;

private:
    std::string text_;
    std::vector<char> code_; // if the text is linked with the device runtime
    std::vector<char> log_;  // kept alive: the driver may compile later and write here
    cudaLibrary_t library_ = nullptr;
};

} // namespace lanescope::cuda
