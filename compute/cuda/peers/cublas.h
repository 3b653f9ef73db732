// cuBLAS without its headers: the library is large and only loaded when a peer needs it.
#pragma once

#include <string>

#include "compute/cuda/cuda_device.h"

namespace lanescope::cuda {

class Cublas {
public:
    // Creates a handle on the device's stream. Throws DeviceError, with a fix, if the library is
    // missing.
    explicit Cublas(CudaDevice& device);
    ~Cublas();
    Cublas(const Cublas&) = delete;
    Cublas& operator=(const Cublas&) = delete;

    std::string version() const; // "cuBLAS 13.0.2"

    // Calls cublas…(handle, arguments…) with the argument types that cublas_v2.h declares (enums as
    // int). Throws DeviceError with the status.
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
    void* library_ = nullptr; // never unloaded, as CUDA's libraries expect
    void* handle_ = nullptr;
};

} // namespace lanescope::cuda
