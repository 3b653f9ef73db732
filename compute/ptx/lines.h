// From instructions to source lines: which line of the kernel's own text an instruction belongs to,
// and through which inlined functions it came there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compute/ptx/module.h"

namespace lanescope::ptx {

struct SourceFrame {
    std::string file; // normalised
    int line = 0;
    int column = 0;
    std::string function; // readable name of the inlined function, empty at the outermost level
};

// `file` and `line` are those of the outermost frame: the line in the body of the kernel or device
// function itself.
struct SourceLine {
    std::string file; // empty when the PTX has no line info
    int line = 0;
    std::vector<SourceFrame> chain; // innermost first; the last is `file`, `line`
};

SourceLine source_line(const Module& module, const Instruction& instruction);

// The path as the program shows it: relative to the repository for its own kernels
// ("compute/labs/heat/naive.cu"), whatever the machine that compiled it; other paths without "."
// and "..".
std::string normalised_path(std::string_view path);

} // namespace lanescope::ptx
