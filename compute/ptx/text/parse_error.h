// Thrown for PTX text that the parser does not understand. Such text is never
// skipped: the error names its line.
#pragma once

#include <string>

#include "compute/error.h"

namespace lanescope::ptx {

// Exit status 2. `what` completes the sentence "PTX line N: …".
class ParseError : public Error {
public:
    ParseError(int line, const std::string& what)
        : Error(ExitStatus::bad_usage, "PTX line " + std::to_string(line) + ": " + what + ".",
                "Lanescope reads the PTX that nvcc writes for compute_75 to compute_90."),
          line_(line), cause_(what)
    {
    }

    int line() const noexcept { return line_; }
    // `what` without the prefix.
    const std::string& cause() const noexcept { return cause_; }

private:
    int line_;
    std::string cause_;
};

} // namespace lanescope::ptx
