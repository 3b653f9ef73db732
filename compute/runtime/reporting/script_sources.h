// CUDA C++ in strings of a Python script, which the script compiles with NVRTC: the line
// information of such PTX is translated to lines of the script.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::runtime {

// Searches the files of the process's Python modules for the text, and remembers the positions of
// its lines. `name` is the file name that the compiler received.
void note_compiled_text(std::string_view name, std::string_view text);

// Returns the PTX with line information that refers to scripts where the source is known.
std::string with_script_lines(std::string ptx);

} // namespace lanescope::runtime
