// Finds out why there is no GPU: no driver, an outdated one, no device, a hidden device, or a
// device that is too old.
#include "compute/cuda/availability.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "compute/cuda/check.h"
#include "compute/cuda/driver/older_driver.h"
#include "compute/process/library.h"

namespace lanescope::cuda {
namespace {

constexpr int oldest_capability = 75; // the kernels are PTX for compute_75
constexpr const char* simt_hint = "--device simt needs no GPU.";

std::string version_text(int version)
{
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

bool has_nvidia_hardware()
{
    std::error_code none;
    return std::filesystem::exists("/proc/driver/nvidia/gpus", none) ||
           std::filesystem::exists("/dev/nvidia0", none) ||
           std::filesystem::exists("/dev/dxg", none);
}

Findings look()
{
    Findings found;
    found.status = cudaGetDeviceCount(&found.devices);
    if (found.status != cudaSuccess) found.devices = 0;
    cudaDriverGetVersion(&found.driver_version);
    if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) found.visible_devices = visible;
    found.has_nvidia_hardware = has_nvidia_hardware();
    found.driver_answers = driver_answers();
    found.driver = driver_version_text();
    cudaDeviceProp properties{};
    if (found.devices > 0 && cudaGetDeviceProperties(&properties, 0) == cudaSuccess) {
        found.name = properties.name;
        found.capability = properties.major * 10 + properties.minor;
    }
    cudaGetLastError();
    return found;
}

} // namespace

std::string target_problem(std::string_view target, const std::string& gpu, int capability)
{
    const std::size_t digits = target.find_first_of("0123456789");
    if (digits == target.npos) return {};
    int number = 0;
    const char* const end = target.data() + target.size();
    const char* const rest = std::from_chars(target.data() + digits, end, number).ptr;
    const char suffix = rest == end ? ' ' : *rest;
    const bool is_newer = capability < number;
    const bool is_other =
        suffix == 'a' ? capability != number : suffix == 'f' && capability / 10 != number / 10;
    if (!is_newer && !is_other) return {};
    return fmt::format("The kernel needs compute capability {}.{}{}, and {} has {}.{}.",
                       number / 10, number % 10,
                       suffix == 'a'   ? ", not a later one"
                       : suffix == 'f' ? " or a later one of the same family"
                                       : "",
                       gpu, capability / 10, capability % 10);
}

std::string needs_newer_driver(const std::string& driver)
{
    return fmt::format("needs a driver for CUDA {}, and this is {}.",
                       version_text(CUDART_VERSION / 1000 * 1000), driver);
}

std::string driver_version_text()
{
    // "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build …"
    std::ifstream file("/proc/driver/nvidia/version");
    std::string word;
    while (file >> word && word != "GCC") {
        if (word.find_first_not_of("0123456789.") == std::string::npos &&
            word.find('.') != std::string::npos)
            return word;
    }
    int version = 0;
    if (cudaDriverGetVersion(&version) != cudaSuccess || version == 0) return {};
    return "CUDA " + version_text(version);
}

Availability judge(const Findings& found)
{
    if (found.status == cudaSuccess && found.devices > 0) {
        if (found.capability >= oldest_capability) {
            Availability here{true,
                              fmt::format("{}, driver {}.", found.name, found.driver),
                              {},
                              found.capability};
            if (found.driver_answers) {
                here.older_driver = found.driver;
                here.reason +=
                    " It is older than this program's CUDA runtime, so it is called directly.";
            }
            return here;
        }
        return {false,
                fmt::format("{} has compute capability {}.{}, but the kernels need 7.5 or higher.",
                            found.name, found.capability / 10, found.capability % 10),
                fmt::format("Use a GPU of the Turing generation or newer; {}", simt_hint),
                found.capability};
    }
    if (found.driver_version == 0)
        return {false,
                found.has_nvidia_hardware
                    ? fmt::format(
                          "An NVIDIA GPU is present, but the driver's library {} was not found.",
                          driver_library())
                    : "There is no NVIDIA driver on this machine.",
                fmt::format("Install NVIDIA's driver for CUDA {} or newer; {}",
                            version_text(CUDART_VERSION / 1000 * 1000), simt_hint)};
    if (found.status == cudaErrorInsufficientDriver)
        return {false,
                fmt::format("The NVIDIA driver {} supports CUDA {}, but this program needs {}.",
                            found.driver, version_text(found.driver_version),
                            version_text(oldest_driver)),
                fmt::format("Update the driver; {}", simt_hint)};
    if ((found.status == cudaErrorNoDevice || found.status == cudaSuccess) && found.visible_devices)
        return {
            false,
            fmt::format("CUDA_VISIBLE_DEVICES=\"{}\" hides every GPU from this program.",
                        *found.visible_devices),
            fmt::format("Unset CUDA_VISIBLE_DEVICES, or name a GPU that `nvidia-smi -L` lists; {}",
                        simt_hint)};
    if (found.status == cudaErrorNoDevice || found.status == cudaSuccess)
        return {false, "The NVIDIA driver is installed, but it finds no GPU.",
                fmt::format("Check with `nvidia-smi` that the GPU is on and that this user has "
                            "access to it; {}",
                            simt_hint)};
    return {false,
            fmt::format("The NVIDIA driver is installed, but does not start: {}.",
                        describe(found.status)),
            fmt::format(
                "Restart the machine if the driver was updated, and check with `nvidia-smi`; {}",
                simt_hint)};
}

Availability availability()
{
    return judge(look());
}

} // namespace lanescope::cuda
