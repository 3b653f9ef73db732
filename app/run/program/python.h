// Python programs: finds the interpreter that runs them, makes Numba add line numbers, and explains
// how a script ended.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/run/program/program_report.h"
#include "app/run/program/watchdog.h"

namespace lanescope::app {

// The interpreter that LANESCOPE_PYTHON names, that of the active virtual environment, or python3
// in PATH. Throws Error if there is none.
std::filesystem::path find_python();

// Writes a start file for interpreters into the folder, which makes Numba compile kernels with line
// numbers. Returns the settings that make an interpreter read it. `beside`: a folder whose modules
// can be imported, too; empty: none.
std::vector<std::string> make_python_start(const std::filesystem::path& folder,
                                           const std::filesystem::path& beside = {});

// The reason for a script to end early, or without a launch.
struct PythonProblem {
    int line = 0;         // in the script; 0: unknown
    std::string sentence; // "NameError: name 'x' is not defined"
    std::string detail;   // the end of the traceback
    // "blur.py, line 12: NameError: name 'x' is not defined"
    std::string text(const std::filesystem::path& script) const;
};

// Empty if the script ended well, or if the report's faults explain its end.
std::optional<PythonProblem> python_problem(const std::filesystem::path& script,
                                            const ProcessEnd& end, const ProgramReport& report);

// The launch to look at after a run: the one with this index and kernel, else the kernel's first,
// else the first with a fault, else the first. Only launches that became a lab count; null if none
// did.
const ProgramLaunch* launch_to_show(const ProgramReport& report, int index,
                                    std::string_view kernel);

} // namespace lanescope::app
