// Reports whether a GPU can be used here and, if not, the reason and a fix. Never throws.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <cuda_runtime_api.h>

namespace lanescope::cuda {

struct Availability {
    bool available = false;
    std::string reason;         // a sentence; names the GPU and driver if available
    std::string cure;           // a sentence; empty if available
    int capability = 0;         // compute capability, 90 for 9.0
    std::string older_driver{}; // driver version, if older than the CUDA runtime (driver/)
};

// Asks the driver. Cheap after the first call; creates no context.
Availability availability();

// The facts from which availability() derives its sentences; tests supply their own.
struct Findings {
    cudaError_t status = cudaSuccess; // result of counting the devices
    int devices = 0;
    int driver_version = 0; // CUDA version supported by the driver, 13000; 0 without a driver
    std::optional<std::string> visible_devices; // CUDA_VISIBLE_DEVICES
    bool has_nvidia_hardware = false;           // the kernel driver lists an NVIDIA GPU
    std::string name;                           // name of the first device
    int capability = 0;                         // first device's compute capability, 90 for 9.0
    std::string driver;                         // "580.159.04"
    // The runtime is newer, so this program calls the driver directly.
    bool driver_answers = false;
};
Availability judge(const Findings& findings);

// The reason why a GPU cannot run PTX for a target, as a sentence; empty if it can. Code for
// "sm_75" runs on every later GPU, "sm_90a" on capability 9.0 alone, "sm_100f" on a family.
std::string target_problem(std::string_view target, const std::string& gpu, int capability);

// Ends a sentence about a feature that an older driver lacks: "needs a driver for CUDA 13.0, and
// this is 535.104.05."
std::string needs_newer_driver(const std::string& driver);

// The driver's version ("580.159.04"), or "CUDA 13.0" if unknown; empty without a driver.
std::string driver_version_text();

} // namespace lanescope::cuda
