// cuBLAS without its headers: the library is large, so it is looked for when a peer asks for it.
#pragma once

#include <string>

#include "compute/cuda/cuda_device.h"

namespace lanescope::cuda {

class Cublas {
public:
    // With a handle that works on the device's stream. Throws DeviceError with the cure where the
    // library is missing.
    explicit Cublas(CudaDevice& device);
    ~Cublas();
    Cublas(const Cublas&) = delete;
    Cublas& operator=(const Cublas&) = delete;

    std::string version() const; // "cuBLAS 13.0.2"

    // Calls cublas…(handle, arguments…), whose types are Arguments as cublas_v2.h declares them
    // (enumerations are int). Throws DeviceError with the status.
    template <class... Arguments>
    void call(const char* name, Arguments... arguments) const
    {
        device_.use();
        check(name, reinterpret_cast<int (*)(void*, Arguments...)>(function(name))(handle_,
                                                                                   arguments...));
    }

private:
    void* function(const char* name) const;
    static void check(const char* name, int status);

    CudaDevice& device_;
    void* library_ = nullptr; // stays loaded, as CUDA's libraries expect
    void* handle_ = nullptr;
};

} // namespace lanescope::cuda
