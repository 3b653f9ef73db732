// Which memory a launch reads and writes, allocation by allocation: what other work must be ordered
// with it.
#pragma once

#include "compute/simt/checks/by_allocation.h"
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
    ByAllocation<trace::Touched> touched_;
};

} // namespace lanescope::simt
