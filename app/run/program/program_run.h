// A whole program on the lockstep machine or a GPU: built where it is source, run in a process of
// its own whose CUDA is our runtime library, and what came of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/run/program/kept.h"
#include "app/run/program/program_report.h"
#include "compute/cuda/compile/compile.h"

namespace lanescope::app {

struct ProgramRequest {
    std::vector<std::filesystem::path> files; // sources, or one program
    std::vector<std::string> arguments;       // of the program
    cuda::CompileOptions compile{};
    ProcessLimits limits{};
    double launch_limit_s = 0; // of one launch; 0: none
    bool checks = true;        // else launches are counted only
    std::string only;          // kernels that are checked; empty: all
    int devices = 1;
    bool on_gpu = false; // NVIDIA's runtime does the work, and nothing is checked
    bool keeps_output = false;
    // Where launches are kept as labs, with the memory that they had; empty: they are not.
    std::filesystem::path keep;
    std::uint64_t keep_bytes = std::uint64_t{512} << 20; // at most, of all of them
    int keep_launch = -1;                                // this one alone; -1: all
};

struct ProgramResult {
    ProcessEnd end;
    ProgramReport report;
    double build_s = 0;
    double run_s = 0;
};

bool is_source(const std::filesystem::path& file);

// The folder that holds libcudart.so.12 and .13 of ours: those for the lockstep machine, or those
// that pass calls to NVIDIA's. Throws Error where there is none.
std::filesystem::path runtime_folder(bool on_gpu = false);

// Throws Error for what cannot be built or started.
ProgramResult run_whole_program(const ProgramRequest& request);

} // namespace lanescope::app
