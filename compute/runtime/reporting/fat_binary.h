// Fat binaries, in which nvcc embeds kernels as PTX and as machine code for specific GPUs. Only the
// PTX is used here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::runtime {

struct FatBinary {
    std::vector<std::string> texts;         // PTX, one per linked object
    std::vector<int> machine_architectures; // 86 for sm_86
    std::string maker{};                    // tool that made the machine code, if known
    // Why a text could not be read; empty if all texts could.
    std::string problem;
};

// Reads a binary that a program registers: `wrapper` has a magic number, a version and the
// binary's address. If an object has several texts, takes the one for the newest
// architecture that the simulated GPU runs.
FatBinary read_fat_binary(const void* wrapper);

// Reads device code loaded at run time: zero-terminated PTX, a fat binary with or
// without wrapper, an image from cuLinkComplete, or machine code with embedded PTX.
// Reports anything else in `problem`.
FatBinary read_device_code(const void* image);

// Reads the PTX in an input of a linker: a text, a fat binary, machine code with embedded PTX, an
// object or archive with any of these, or an image from cuLinkComplete. Empty if there is none.
std::vector<std::string> texts_to_link(std::string_view input);

// Reads images from linked_image(), each followed by a zero byte: a linker of machine code puts the
// sections of its inputs one after another.
std::vector<std::string> texts_of_images(std::string_view images);

// Joins texts into one image, the result of cuLinkComplete.
std::string linked_image(const std::vector<std::string>& texts);

} // namespace lanescope::runtime
