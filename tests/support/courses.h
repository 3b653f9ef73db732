// Kernels as courses and their students write them, and the verdict that is right of each:
// tests/kernels/courses/verdicts.txt.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace lanescope::test {

struct Course {
    std::string name;
    std::string kind; // "right", or of the fault
    int line = 0;

    std::string file() const { return folder() + name + ".cu"; }
    bool right() const { return kind == "right"; }
    // Nothing but its result is in doubt: it is warned of, and runs.
    bool doubtful() const { return kind == "undefined_result"; }
    bool fails() const { return !right() && !doubtful(); }
    // Where the mistake shows, as sentences have it.
    std::string place() const { return name + ".cu:" + std::to_string(line); }

    static std::string folder() { return LANESCOPE_SOURCE_DIR "/tests/kernels/courses/"; }
};

inline void PrintTo(const Course& one, std::ostream* out)
{
    *out << one.name;
}

std::vector<Course> courses();

} // namespace lanescope::test
