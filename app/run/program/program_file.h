// Reads from a program's file which version of the CUDA runtime it needs, and why it cannot run on
// the lockstep machine.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::app {

struct ProgramFile {
    std::vector<std::string> libraries; // shared libraries that it needs
    std::string search_path{};          // its RPATH or RUNPATH, as written
    int cuda_version = 0;               // major version of the shared runtime: 12, 13; 0: not
                                        // linked
    bool uses_driver = false;           // links or opens the driver library
    bool opens_libraries = false;       // opens libraries at run time, as interpreters do: CUDA may
                                        // be among them
    bool has_kernels = false;
    std::uint64_t first_address = 0; // load address, used to map addresses to source lines
};

// Checks the file's first bytes.
bool is_built_program(const std::filesystem::path& path);

// True if a CUDA source has a main() and launches kernels.
bool is_whole_program(std::string_view source);

// Throws Error if it is not a program for this machine.
ProgramFile read_program_file(const std::filesystem::path& path);

// Major version of our runtime library to use; that library also has the driver's functions.
int library_version(const ProgramFile& file);

// Throws Error, with the way to build it instead, if our library cannot replace its runtime.
void require_shared_runtime(const ProgramFile& file, const std::filesystem::path& path);

// The program's libraries that launch their own kernels.
std::vector<std::string> libraries_with_kernels(const ProgramFile& file);

// Throws Error if the program needs libraries whose kernels only run on GPUs.
void require_own_kernels(const ProgramFile& file, const std::filesystem::path& path);

} // namespace lanescope::app
