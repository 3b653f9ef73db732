// Which instruction of a text was computed wrongly, if only its wrong results are known: texts that
// differ by one instruction, as a faulty assembler would have it, run on the lockstep machine until
// one of them gives these results.
#pragma once

#include <string>
#include <vector>

#include "app/run/doubt/differences.h"
#include "app/run/doubt/runs/version_run.h"

namespace lanescope::app {

struct Mutant {
    int ptx_line = 0;
    std::string instruction{}; // as in the text
    std::string instead{};     // that explains the results
};

// Instructions of the launch's kernel, each with one change, that give exactly these values:
// `values` has the wrong results, of all or of some memories. Only the most likely kind of change
// that explains them, at most one per instruction, in the order of the text; stops after a few
// seconds. Empty if no single change explains them.
std::vector<Mutant> explaining_mutants(const KernelLaunch& launch,
                                       const std::vector<ResultMemory>& values, double tolerance);

} // namespace lanescope::app
