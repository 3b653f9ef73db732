// Runs a whole program on the lockstep machine or a GPU: builds it if it is source, runs it in a
// separate process with our runtime library as its CUDA, and collects the result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/run/program/program_report.h"
#include "app/run/program/watchdog.h"
#include "compute/cuda/compile/compile.h"

namespace lanescope::app {

struct ProgramRequest {
    std::vector<std::filesystem::path> files; // sources, one program, or one Python script
    bool is_module = false;                   // the file is the name of a Python module
    std::vector<std::string> arguments;       // passed to the program
    cuda::CompileOptions compile{};
    ProcessLimits limits{};
    bool ends_on_request = false; // signals end the program, and its report so far is the result
    double launch_limit_s = 0;    // per launch; 0: none
    bool checks = true;           // otherwise launches are only counted
    // Checks only some blocks of large launches, chosen by this seed; empty: all.
    std::optional<std::uint64_t> sample_seed{};
    std::string only; // kernels to check; empty: all
    int devices = 1;
    std::string gpu;     // GPU to simulate, by name; empty: the default
    bool on_gpu = false; // NVIDIA's runtime executes, without checks
    bool keeps_output = false;
    // Folder in which launches are kept as labs with their memory; empty: off.
    std::filesystem::path keep;
    std::uint64_t keep_bytes = std::uint64_t{512} << 20; // maximum over all launches
    int keep_launch = -1;                                // index of the only launch to keep; -1:
                                                         // all
    bool as_written = false; // kept launches of Numba's kernels can be stepped with all variables
    // Folder whose modules a Python script may import as if it were its own; empty: none.
    std::filesystem::path imports_from;
};

struct ProgramResult {
    ProcessEnd end;
    ProgramReport report;
    double build_s = 0;
    double run_s = 0;
};

bool is_source(const std::filesystem::path& file);

// Folder of our libcudart.so.12 and .13: for the lockstep machine, or those that forward to
// NVIDIA's. Throws Error if missing.
std::filesystem::path runtime_folder(bool on_gpu = false);

// Throws Error if it cannot be built or started.
ProgramResult run_whole_program(const ProgramRequest& request);

} // namespace lanescope::app
