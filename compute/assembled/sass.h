// What the GPU executes, as NVIDIA's disassembler prints it: SASS instructions, each with the line
// of the PTX that it was made of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::assembled {

struct SassInstruction {
    std::uint32_t offset = 0; // bytes from the function's start
    int ptx_line = 0;         // 1-based line of the PTX text, 0 if unknown
    std::string guard;        // "@P0", "@!UP1"; empty without one
    std::string opcode;       // with its modifiers: "LDS.128"
    std::string operands;     // "R8, [R16]"
    std::vector<int> targets; // instructions that it names by their labels

    std::string_view name() const; // the opcode without modifiers: "LDS"
    bool has(std::string_view modifier) const;
    // Of a memory access, the bytes that a lane moves.
    int width_bytes() const;
};

// One section of code: a kernel, with what the assembler inlined into it, or a device function.
struct SassFunction {
    std::string name;
    std::vector<SassInstruction> instructions;
};

struct Sass {
    std::string architecture; // "sm_90"
    std::vector<SassFunction> functions;

    const SassFunction* find(std::string_view name) const;
};

// Reads what `nvdisasm -c -gp` prints. Lines that are no instructions, labels or marks are passed
// over.
Sass parse_sass(std::string_view text);

} // namespace lanescope::assembled
