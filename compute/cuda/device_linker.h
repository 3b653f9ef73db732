// Kernels that launch kernels call NVIDIA's device runtime, which is a library of its own: their
// PTX is linked with it by the driver.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::cuda {

// Whether a PTX text calls the device runtime, and so cannot be loaded by itself.
bool needs_device_runtime(std::string_view ptx);

// libcudadevrt.a of the first toolkit or wheel that has it.
std::optional<std::filesystem::path> find_device_runtime();

// Machine code for the current device, of the text and that library, with at most so many registers
// per thread (0: as many as the driver likes). Throws DeviceError with what to install where there
// is no such library, and LaunchError with the linker's log when it refuses the text.
std::vector<char> link_with_device_runtime(const std::string& ptx, int max_registers);

} // namespace lanescope::cuda
