// What a program's file says of itself: which version of the CUDA runtime it looks for, and why it
// cannot run on the lockstep machine.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::app {

struct ProgramFile {
    std::vector<std::string> libraries; // shared ones that it names
    std::string search_path{};          // where it looks for them first, as written
    int cuda_version = 0;               // of the shared runtime: 12, 13; 0: it names none
    bool uses_driver = false;           // it names or opens the driver's library
    bool opens_libraries = false;       // while it runs, as interpreters do: CUDA may be among them
    bool has_kernels = false;
    std::uint64_t first_address = 0; // of what is loaded: lines of source are told by it
};

// By its first bytes.
bool is_built_program(const std::filesystem::path& path);

// Whether a CUDA source has a main() and launches kernels.
bool is_whole_program(std::string_view source);

// Throws Error for what is no program of this machine.
ProgramFile read_program_file(const std::filesystem::path& path);

// The version of the runtime whose library has the driver's functions for it, too.
int library_version(const ProgramFile& file);

// Throws Error with the sentence that says how to build it instead.
void require_shared_runtime(const ProgramFile& file, const std::filesystem::path& path);

// Those of its libraries that launch kernels of their own.
std::vector<std::string> libraries_with_kernels(const ProgramFile& file);

// Throws Error for a program that needs libraries whose kernels run on GPUs alone.
void require_own_kernels(const ProgramFile& file, const std::filesystem::path& path);

} // namespace lanescope::app
