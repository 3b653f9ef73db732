// Output from device code to the host: printf and failed assertions.
#pragma once

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

// vprintf: formats the text of each lane in order and passes it to the launch's printer.
void print(Executor& executor, const Instruction& instruction, const Call& call,
           std::uint32_t mask);
// __assertfail: throws KernelFault with the assertion's text.
[[noreturn]] void throw_assertion(Executor& executor, const Instruction& instruction,
                                  const Call& call, int lane);

} // namespace lanescope::simt
