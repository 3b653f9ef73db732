// What nvcc puts into a program beside its host code: kernels as PTX text and as machine code for
// certain GPUs. Only the texts are of use here.
#pragma once

#include <string>
#include <vector>

namespace lanescope::runtime {

struct FatBinary {
    std::vector<std::string> texts;         // PTX, one for each linked object
    std::vector<int> machine_architectures; // 86 for code of sm_86
    std::string problem;                    // why a text could not be read; empty: none
};

// `wrapper` is what a program registers: its magic number, a version and where the binary lies.
// Of several texts of one object it takes that for the newest architecture that the lockstep
// machine plays.
FatBinary read_fat_binary(const void* wrapper);

// What a program loads while it runs: PTX text that ends with a zero, a fat binary with or without
// its wrapper, what cuLinkComplete gave, or machine code. A text that is none of these is a
// problem.
FatBinary read_device_code(const void* image);

// Texts as one image, as cuLinkComplete gives them.
std::string linked_image(const std::vector<std::string>& texts);

} // namespace lanescope::runtime
