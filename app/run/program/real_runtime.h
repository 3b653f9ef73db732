// Finds NVIDIA's CUDA runtime, for programs whose calls are forwarded to it.
#pragma once

#include <filesystem>

#include "app/run/program/program_file.h"

namespace lanescope::app {

// Environment variable that passes the runtime's path to our library. Users may set it to select
// another runtime.
constexpr const char* real_runtime_variable = "LANESCOPE_CUDART";

// The library that the program itself would find, else one of a toolkit or of NVIDIA's Python
// package. Throws Error if there is none.
std::filesystem::path find_real_runtime(const ProgramFile& file,
                                        const std::filesystem::path& program);

} // namespace lanescope::app
