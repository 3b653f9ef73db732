// NVIDIA's CUDA runtime, for programs whose calls are passed to it.
#pragma once

#include <filesystem>

#include "app/run/program/program_file.h"

namespace lanescope::app {

// Tells our library, by its path; whoever has set it for this process has chosen another.
constexpr const char* real_runtime_variable = "LANESCOPE_CUDART";

// The library that the program itself would find, else that of a toolkit or of NVIDIA's Python
// package. Throws Error where there is none.
std::filesystem::path find_real_runtime(const ProgramFile& file,
                                        const std::filesystem::path& program);

} // namespace lanescope::app
