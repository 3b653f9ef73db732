// NVIDIA's assembler and disassembler, where this machine has them: PTX in, SASS out. No GPU is
// needed.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "compute/assembled/sass.h"

namespace lanescope::assembled {

// Played where no GPU is at hand.
constexpr std::string_view default_architecture = "sm_90";

struct Tools {
    std::filesystem::path ptxas;
    std::filesystem::path nvdisasm;
    std::string missing; // a sentence, where one of them is not there; empty when both are

    bool complete() const { return missing.empty(); }
};

// Looked for in the CUDA toolkits of this machine, in NVIDIA's wheels beside the program, among
// what set-up fetched and on $PATH. LANESCOPE_NVDISASM names another nvdisasm.
Tools find_tools();

// The SASS of a PTX text for an architecture ("sm_90"). What was asked for lately is not assembled
// again. Throws Error (device_unavailable) where a tool is missing, and (bad_usage) with the
// assembler's first complaint where it refuses the text or does not know the architecture.
std::shared_ptr<const Sass> assemble(std::string_view ptx,
                                     std::string_view architecture = default_architecture);

} // namespace lanescope::assembled
