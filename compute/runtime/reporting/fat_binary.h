// Fat binaries, in which nvcc embeds kernels as PTX and as machine code for specific GPUs. Only the
// PTX is used here.
#pragma once

#include <string>
#include <vector>

namespace lanescope::runtime {

struct FatBinary {
    std::vector<std::string> texts;         // PTX, one per linked object
    std::vector<int> machine_architectures; // 86 for sm_86
    std::string problem;                    // why a text could not be read; empty if all could
};

// Reads what a program registers: `wrapper` has a magic number, a version and the binary's address.
// If an object has several texts, takes the one for the newest architecture that the simulated GPU
// runs.
FatBinary read_fat_binary(const void* wrapper);

// Reads device code loaded at run time: zero-terminated PTX, a fat binary with or without wrapper,
// an image from cuLinkComplete, or machine code. Anything else is reported in `problem`.
FatBinary read_device_code(const void* image);

// Joins texts into one image, the result of cuLinkComplete.
std::string linked_image(const std::vector<std::string>& texts);

} // namespace lanescope::runtime
