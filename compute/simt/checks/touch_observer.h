// Which memory a launch reads and writes, allocation by allocation: what other work must be ordered
// with it.
#pragma once

#include <vector>

#include "compute/simt/machine/observer.h"
#include "compute/trace/trace.h"

namespace lanescope::simt {

class TouchObserver : public Observer {
public:
    void access(Executor& executor, const AccessEvent& event) override;
    void loads(Executor& executor, const BatchEvent& event) override;

    // Adds what this core has seen. Call for one observer after the other.
    void merge_into(trace::Trace& trace) const;

private:
    trace::Touched& of(const Allocation& allocation);

    std::vector<trace::Touched> by_number_; // of the user's allocations
    std::vector<trace::Touched> others_;    // of the kernels' heap and the machine's own
};

} // namespace lanescope::simt
