// The optimisation level of the driver's assembler, for comparing its code with that of another
// level.
#pragma once

namespace lanescope::cuda {

// While it exists, the driver assembles texts at this level, 0 to 4, instead of its usual one, 4.
class AssemblerLevel {
public:
    explicit AssemblerLevel(int level);
    ~AssemblerLevel();
    AssemblerLevel(const AssemblerLevel&) = delete;
    AssemblerLevel& operator=(const AssemblerLevel&) = delete;

private:
    int before_;
};

// The level that was chosen; -1: none.
int chosen_assembler_level();

} // namespace lanescope::cuda
