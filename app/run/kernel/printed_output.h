// Captures what kernels print, for a JSON field: both engines print to standard output, which is
// redirected to a temporary file.
#pragma once

#include <cstddef>
#include <string>

namespace lanescope::app {

class PrintedOutput {
public:
    // Nothing else in the process may print while this exists.
    PrintedOutput();
    ~PrintedOutput();
    PrintedOutput(const PrintedOutput&) = delete;
    PrintedOutput& operator=(const PrintedOutput&) = delete;

    // Restores standard output and returns the printed text, up to `max_bytes`.
    std::string take(std::size_t max_bytes);
    // Number of bytes printed, at most 256 MiB.
    std::size_t bytes() const { return bytes_; }

private:
    void restore_streams();

    int kept_ = -1; // the original standard output
    int file_ = -1;
    std::size_t bytes_ = 0;
};

} // namespace lanescope::app
