// Malformed files, the same on every run, for testing everything that opens files.
#pragma once

#include <string>
#include <vector>

namespace lanescope::test {

struct Malformed {
    std::string name; // kind of damage
    std::string bytes;
    std::string key{}; // key that the message must name; empty: any
    int line = 0;      // line that the message must name; 0: any
};

// Fifty sessions with one defect each: truncation, wrong types, unknown keys, far too large
// numbers, wrong nesting, binary bytes. `good` is an intact session as written by the program.
std::vector<Malformed> malformed_sessions(const std::string& good);

// Files that claim to be pictures, each at most a few kilobytes.
std::vector<Malformed> malformed_pictures();

// Bytes of a small JPEG.
std::string jpeg();

} // namespace lanescope::test
