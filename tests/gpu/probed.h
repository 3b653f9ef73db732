// Kernels probed on the GPU: every shape of control flow and access, and every variant of every
// lab.
#pragma once

#include <string>
#include <vector>

#include "compute/dim3.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::gpu_tests {

constexpr std::size_t words = 65536;
constexpr int argument = 9; // the kernels' n

struct Shape {
    std::string kernel;
    Dim3 grid{20, 1, 1};
    Dim3 block{256, 1, 1};
    std::uint32_t shared_bytes = 0;
};

// Launches of the kernels of probed_kernels.cu.
std::vector<Shape> shapes();
// Returns `words` random words, the kernels' input; the same in every run.
std::vector<unsigned> random_words();

struct LabCase {
    const labs::Lab* lab;
    const labs::Variant* variant;
};

std::vector<LabCase> lab_cases();

} // namespace lanescope::gpu_tests
