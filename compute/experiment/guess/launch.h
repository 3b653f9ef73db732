// Record of a lab for one captured launch of a program, with its memory contents: inputs are known,
// and how to draw the arrays is guessed as for a kernel without a program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compute/dim3.h"

namespace lanescope::labs {

struct KeptLaunch {
    std::string symbol{}; // symbol name in the PTX
    int index = 0;        // among the program's launches
    std::string program{};
    Dim3 grid{}, block{};
    std::optional<Dim3> cluster{}; // as the launch gave it
    std::uint64_t shared_bytes = 0;
    std::vector<std::vector<std::byte>> arguments{}; // in parameter order
    std::vector<std::string> parameter_names{};      // as in the source; empty: unknown
    // Files are in the lab's folder.
    struct Memory {
        std::uint64_t address = 0, bytes = 0;
        std::string file{};   // empty: uninitialised
        bool written = false; // the launch wrote to it
    };
    struct Image {
        std::uint64_t handle = 0;
        std::string file{};
        std::string format{};
        int width = 0, height = 0; // 0: one-dimensional
        bool surface = false;
        int address = 1; // address mode, numbered as in records
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

// File beside a Python kernel's own PTX that has its text for stepping: "blur_as_written.ptx".
std::string as_written_file(const std::string& source);

// Returns lab.json. `source` may be empty, `ptx` contains the kernel, `file` is the name of the .cu
// (or .ptx) in the lab's folder. Throws Error (bad_usage) for PTX that can't be parsed or doesn't
// contain the kernel.
std::string record_of_launch(std::string_view source, std::string_view ptx, const std::string& file,
                             const KeptLaunch& launch);

} // namespace lanescope::labs
