// Kernels as written in courses and by their students, with the correct verdict for each:
// tests/kernels/courses/verdicts.txt.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace lanescope::test {

struct Course {
    std::string name;
    std::string kind; // "right", or the kind of fault
    int line = 0;

    std::string file() const { return folder() + name + ".cu"; }
    bool right() const { return kind == "right"; }
    // True if only the result is in doubt: the kernel runs with a warning.
    bool doubtful() const { return kind == "undefined_result"; }
    bool fails() const { return !right() && !doubtful(); }
    // Location of the mistake as it appears in messages.
    std::string place() const { return name + ".cu:" + std::to_string(line); }

    static std::string folder() { return LANESCOPE_SOURCE_DIR "/tests/kernels/courses/"; }
};

inline void PrintTo(const Course& one, std::ostream* out)
{
    *out << one.name;
}

std::vector<Course> courses();

} // namespace lanescope::test
