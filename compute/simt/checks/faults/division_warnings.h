// Warnings about integer divisions by zero. A GPU continues with all bits set, or with another
// value if the compiler has combined a division and a remainder; C++ leaves the result undefined.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compute/simt/checks/faults/line_warnings.h"

namespace lanescope::simt {

struct Executor;
struct Function;

class DivisionWarnings {
public:
    // Reports that lanes of the running warp have divided by zero.
    void found(const Executor& executor, const Function& function, const Instruction& instruction,
               std::uint32_t lanes);
    void merge_into(std::vector<trace::Fault>& faults) const { warnings_.merge_into(faults); }

private:
    LineWarnings warnings_;
};

// Collects and clears the divisions by zero that row functions of `function` noted on this thread.
void take_zero_divisors(Executor& executor, const Function& function);
// Same for native code, which notes lanes by pc.
void take_zero_divisors(Executor& executor, const Function& function,
                        std::span<std::uint32_t> lanes_by_pc);

} // namespace lanescope::simt
