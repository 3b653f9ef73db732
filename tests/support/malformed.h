// Files that are not what they should be, always the same ones: for the tests of everything that
// opens files.
#pragma once

#include <string>
#include <vector>

namespace lanescope::test {

struct Malformed {
    std::string name; // what was done to it
    std::string bytes;
    std::string key{}; // that a message must name; empty: none in particular
    int line = 0;      // that it must name; 0: any
};

// Fifty sessions, each damaged in one way: cut short, wrong types, unknown keys, numbers far too
// large, wrong nesting, bytes that are no text. `good` is a whole one as the program writes it.
std::vector<Malformed> malformed_sessions(const std::string& good);

// Files that claim to be pictures. All are no larger than a few kilobytes.
std::vector<Malformed> malformed_pictures();

// A small picture, as a JPEG's bytes.
std::string jpeg();

} // namespace lanescope::test
