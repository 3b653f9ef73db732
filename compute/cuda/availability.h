// Whether a GPU can be used here, and if not, why and what to do: in words, without throwing.
#pragma once

#include <optional>
#include <string>

#include <cuda_runtime_api.h>

namespace lanescope::cuda {

struct Availability {
    bool available = false;
    std::string reason;         // a sentence; when available, which GPU and driver
    std::string cure;           // a sentence, empty when available
    int capability = 0;         // of the GPU that was found, 90 for 9.0
    std::string older_driver{}; // its version, if it is older than the CUDA runtime (driver/)
};

// Asks the driver; cheap after the first call, creates no context.
Availability availability();

// What availability() found out, so that each sentence can be tested without the machine for it.
struct Findings {
    cudaError_t status = cudaSuccess; // of counting the devices
    int devices = 0;
    int driver_version = 0; // CUDA version that the driver supports, 13000; 0 without a driver
    std::optional<std::string> visible_devices; // CUDA_VISIBLE_DEVICES
    bool hardware_seen = false;                 // the kernel's driver shows an NVIDIA GPU
    std::string name;                           // of the first device
    int capability = 0;                         // of the first device, 90 for 9.0
    std::string driver;                         // "580.159.04"
    bool driver_answers = false;                // and not the runtime, which is newer
};
Availability judge(const Findings& findings);

// Why something does not work with an older driver, as the rest of a sentence: "needs a driver for
// CUDA 13.0, and this is 535.104.05."
std::string needs_newer_driver(const std::string& driver);

// The driver's own version ("580.159.04"), or "CUDA 13.0" where it does not say; empty without one.
std::string driver_version_text();

} // namespace lanescope::cuda
