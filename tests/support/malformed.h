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

// Fifty sessions with one defect each: truncated, with wrong types, unknown keys, much too large
// numbers, wrong nesting or binary bytes. `good` is an intact session as written by the program.
std::vector<Malformed> malformed_sessions(const std::string& good);

// Files that look like pictures, of at most a few kilobytes each.
std::vector<Malformed> malformed_pictures();

// Bytes of a small JPEG.
std::string jpeg();

} // namespace lanescope::test
