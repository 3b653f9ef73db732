// Finds threads that start the same random sequence: states of cuRAND's device API that are equal
// after a kernel with curand_init(), because two threads gave it the same seed and sequence.
#pragma once

#include "compute/runtime/machine.h"
#include "compute/simt/machine/state/program.h"
#include "compute/trace/trace.h"

namespace lanescope::runtime {

// Call after the launch.
void find_same_sequences(Machine& machine, const simt::Program& program, const trace::Trace& trace,
                         const LaunchRecord& record);

} // namespace lanescope::runtime
