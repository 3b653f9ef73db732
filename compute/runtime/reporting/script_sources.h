// CUDA C++ that a Python script keeps in strings and compiles with NVRTC: line information in its
// PTX is given as lines of the script, where the strings stand.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::runtime {

// Looks for the text in the files of the process's Python modules, and remembers where its lines
// are. `name` is the file name that the compiler was given.
void note_compiled_text(std::string_view name, std::string_view text);

// Returns the PTX with line information that refers to scripts where the source is known.
std::string with_script_lines(std::string ptx);

} // namespace lanescope::runtime
