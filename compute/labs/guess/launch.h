// The record of a lab for one launch of a program, with the memory that it had: what it computes
// from is known, how its arrays are drawn is guessed as for a kernel that came alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compute/dim3.h"

namespace lanescope::labs {

struct KeptLaunch {
    std::string symbol{}; // of the kernel, in the PTX
    int index = 0;        // among the program's launches
    std::string program{};
    Dim3 grid{}, block{};
    std::uint64_t shared_bytes = 0;
    std::vector<std::vector<std::byte>> arguments{}; // in the order of the parameters
    // Files are those of the lab's folder.
    struct Memory {
        std::uint64_t address = 0, bytes = 0;
        std::string file{};   // empty: nobody had stored anything there
        bool written = false; // by the launch
    };
    struct Image {
        std::uint64_t handle = 0;
        std::string file{};
        std::string format{};
        int width = 0, height = 0; // 0: one-dimensional
        bool surface = false;
        int address = 1; // as records number the modes
        std::string filter{};
        bool normalized_coordinates = false;
        bool normalized_reads = false;
    };
    struct Variable {
        std::string name{};
        std::uint64_t bytes = 0;
        bool constant = false;
        std::string file{};
    };
    std::vector<Memory> memory{};
    std::vector<Image> images{};
    std::vector<Variable> variables{};
};

// lab.json. `source` may be empty, `ptx` has the kernel, `file` is the .cu's (or .ptx's) name in
// the lab's folder. Throws Error (bad_usage) for a PTX that cannot be read or that has no such
// kernel.
std::string record_of_launch(std::string_view source, std::string_view ptx, const std::string& file,
                             const KeptLaunch& launch);

} // namespace lanescope::labs
