// Kernels from courses and from their students, with the correct verdict for each:
// tests/kernels/courses/verdicts.txt.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace lanescope::test {

struct Course {
    std::string name;
    // "right", or the kind of fault. "beyond_guess": an access out of bounds of a buffer whose size
    // main() does not give, so that the guess may be wrong instead of the kernel.
    std::string kind;
    int line = 0;

    std::string file() const { return folder() + name + ".cu"; }
    bool right() const { return kind == "right"; }
    // True if the kernel runs, but with a warning.
    bool doubtful() const { return kind == "undefined_result" || kind == "partial_barrier"; }
    bool fails() const { return !right() && !doubtful(); }
    bool beyond_guess() const { return kind == "beyond_guess"; }
    // Exit status of every command except check-lab, which exits with 1 instead of 5.
    int status() const { return !fails() ? 0 : beyond_guess() ? 2 : 5; }
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
