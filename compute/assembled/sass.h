// SASS, the GPU's own instructions, as printed by NVIDIA's disassembler, each with its PTX line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::assembled {

struct SassInstruction {
    std::uint32_t offset = 0; // bytes from the function's start
    int ptx_line = 0;         // 1-based line of the PTX text, 0 if unknown
    std::string guard;        // "@P0", "@!UP1"; empty if none
    std::string opcode;       // with its modifiers: "LDS.128"
    std::string operands;     // "R8, [R16]"
    std::vector<int> targets; // instructions referenced by label

    std::string_view name() const; // the opcode without modifiers: "LDS"
    bool has(std::string_view modifier) const;
    // Bytes per lane of a memory access.
    int width_bytes() const;
};

// One code section: a kernel, including inlined functions, or a device function.
struct SassFunction {
    std::string name;
    std::vector<SassInstruction> instructions;
};

struct Sass {
    std::string architecture; // "sm_90"
    std::vector<SassFunction> functions;

    const SassFunction* find(std::string_view name) const;
};

// Parses the output of `nvdisasm -c -gp`. Lines other than instructions, labels and markers are
// skipped.
Sass parse_sass(std::string_view text);

} // namespace lanescope::assembled
