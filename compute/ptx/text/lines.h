// Maps instructions to source lines: the line of the kernel's own text that an instruction belongs
// to, and the inlined functions in between.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compute/ptx/text/module.h"

namespace lanescope::ptx {

struct SourceFrame {
    std::string file; // normalised
    int line = 0;
    int column = 0;
    std::string function; // readable name of the inlined function; empty at the outermost level
};

// `file` is that of the outermost frame, which contains the kernel or device function. `line` is
// that of the innermost frame in the same file, which may be an inlined function written there but
// not one from a header.
struct SourceLine {
    std::string file; // empty if the PTX has no line info
    int line = 0;
    std::vector<SourceFrame> chain; // innermost first
};

SourceLine source_line(const Module& module, const Instruction& instruction);

// The path as displayed: relative to the repository for the program's own kernels
// ("compute/labs/heat/naive.cu"), wherever they were compiled; other paths without "." and "..".
std::string normalised_path(std::string_view path);

} // namespace lanescope::ptx
