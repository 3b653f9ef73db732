// What kernels print, kept for a field of JSON: both engines print to standard output, which goes
// into a file of the program's own meanwhile.
#pragma once

#include <cstddef>
#include <string>

namespace lanescope::app {

class PrintedOutput {
public:
    // Nothing else of the process may print while this lives.
    PrintedOutput();
    ~PrintedOutput();
    PrintedOutput(const PrintedOutput&) = delete;
    PrintedOutput& operator=(const PrintedOutput&) = delete;

    // Gives standard output back and returns what came, up to so many bytes.
    std::string take(std::size_t most_bytes);
    // That came in all, or the first 256 MiB of them.
    std::size_t bytes() const { return bytes_; }

private:
    void give_back();

    int kept_ = -1; // standard output
    int file_ = -1;
    std::size_t bytes_ = 0;
};

} // namespace lanescope::app
