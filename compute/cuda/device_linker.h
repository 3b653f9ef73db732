// Kernels that launch kernels call NVIDIA's device runtime, a separate library; the driver links
// their PTX with it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::cuda {

// True if the PTX calls the device runtime and therefore cannot be loaded alone.
bool needs_device_runtime(std::string_view ptx);

// Path of libcudadevrt.a in the first toolkit or wheel that has it.
std::optional<std::filesystem::path> find_device_runtime();

// Links the text with that library into machine code for the current device, using at most
// `max_registers` per thread (0: no limit). Throws DeviceError that names the missing package if
// there is no library, and LaunchError with the linker's log if it refuses the text.
std::vector<char> link_with_device_runtime(const std::string& ptx, int max_registers);

} // namespace lanescope::cuda
