// The line of a Python script that calls CUDA. Frames of the process only show the interpreter.
#pragma once

#include <string>
#include <vector>

namespace lanescope::runtime {

struct ScriptPlace {
    std::string file; // absolute, or a name such as <stdin>
    int line = 0;
};

// The line of the script that the calling thread executes: in the innermost frame outside Python's
// own library and installed packages. Takes the interpreter's lock unless the thread has it, so
// call it before taking other locks. Null outside Python. The result is never destroyed.
const ScriptPlace* script_place();
// Like script_place() if the thread already has the interpreter's lock; otherwise null.
const ScriptPlace* script_place_if_locked();
// Files of the imported modules that are neither Python's own nor installed packages, and the file
// of the line that the calling thread executes. Takes the interpreter's lock.
std::vector<std::string> script_files();

} // namespace lanescope::runtime
