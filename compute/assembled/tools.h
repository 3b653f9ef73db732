// NVIDIA's assembler and disassembler, where installed: PTX in, SASS out. No GPU is needed.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "compute/assembled/sass.h"

namespace lanescope::assembled {

// Architecture to assemble for if there is no GPU: that of the simulated one, such as "sm_90".
std::string default_architecture();

struct Tools {
    std::filesystem::path ptxas;
    std::filesystem::path nvdisasm;
    std::string missing; // which tool is missing, as a sentence; else empty

    bool complete() const { return missing.empty(); }
};

// Searches the CUDA toolkits of this machine, NVIDIA's wheels next to the program, the set-up's
// downloads and $PATH. LANESCOPE_NVDISASM names a different nvdisasm.
Tools find_tools();

// Returns the SASS of a PTX text for an architecture ("sm_90"); recent results are cached. Throws
// Error: device_unavailable if a tool is missing, bad_usage with the assembler's first message if
// it refuses the text or the architecture.
std::shared_ptr<const Sass> assemble(std::string_view ptx,
                                     std::string_view architecture = default_architecture());

} // namespace lanescope::assembled
