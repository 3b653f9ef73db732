// Shared libraries that are opened while the program runs. None is ever closed.
#pragma once

#include <filesystem>
#include <string>

namespace lanescope {

// File names of NVIDIA's libraries on this system: "libnvrtc.so.13" or "nvrtc64_130_0.dll" for
// {"nvrtc", 13}.
std::string driver_library();
std::string cuda_library(const std::string& name, int major_version);

// NVIDIA's static runtime is linked. On Windows it is for another compiler: all calls go to the
// driver. NVRTC reads names there in the system's code page, which seldom has every letter.
#ifdef _WIN32
constexpr bool has_cuda_runtime = false;
constexpr bool nvrtc_reads_utf8 = false;
#else
constexpr bool has_cuda_runtime = true;
constexpr bool nvrtc_reads_utf8 = true;
#endif

// Functions of an opened library are bound at once, or each when it is first called.
enum class Binding { at_once, lazy };

// Null if it cannot be opened. A name without a folder is searched as the system does, but never in
// the current folder.
void* open_library(const std::filesystem::path& name, Binding binding = Binding::at_once);
// Null if the library lacks it.
void* find_function(void* library, const char* name);
// Why the last call of this thread failed.
std::string library_problem();

} // namespace lanescope
