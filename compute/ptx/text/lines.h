// From instructions to source lines: which line of the kernel's own text an instruction belongs to,
// and through which inlined functions it came there.
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
    std::string function; // readable name of the inlined function, empty at the outermost level
};

// `file` is that of the outermost frame, which holds the kernel or device function; `line` the
// innermost one there: in a function that the author wrote and the compiler inlined, not in a
// header's.
struct SourceLine {
    std::string file; // empty when the PTX has no line info
    int line = 0;
    std::vector<SourceFrame> chain; // innermost first
};

SourceLine source_line(const Module& module, const Instruction& instruction);

// The path as the program shows it: relative to the repository for its own kernels
// ("compute/labs/heat/naive.cu"), whatever the machine that compiled it; other paths without "."
// and "..".
std::string normalised_path(std::string_view path);

} // namespace lanescope::ptx
