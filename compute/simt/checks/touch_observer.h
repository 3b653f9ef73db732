// Records which memory a launch reads and writes, per allocation, to order other work with it.
#pragma once

#include "compute/simt/checks/by_allocation.h"
#include "compute/simt/machine/observer.h"
#include "compute/trace/trace.h"

namespace lanescope::simt {

class TouchObserver : public Observer {
public:
    void access(Executor& executor, const AccessEvent& event) override;
    void loads(Executor& executor, const BatchEvent& event) override;

    // Adds this core's ranges. Not thread-safe: call for one observer after another.
    void merge_into(trace::Trace& trace) const;

private:
    ByAllocation<trace::Touched> touched_;
};

} // namespace lanescope::simt
