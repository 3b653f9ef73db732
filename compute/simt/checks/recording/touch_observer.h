// Records the memory that a launch reads and writes, per allocation, to
// order other work with the launch.
#pragma once

#include "compute/simt/checks/shadow/by_allocation.h"
#include "compute/simt/machine/state/observer.h"
#include "compute/trace/trace.h"

namespace lanescope::simt {

class TouchObserver : public Observer {
public:
    void access(Executor& executor, const AccessEvent& event) override;
    void loads(Executor& executor, const BatchEvent& event) override;
    void bulk(Executor& executor, const BulkEvent& event) override;

    // Adds this core's ranges. Not thread-safe: call for one observer after another.
    void merge_into(trace::Trace& trace) const;

private:
    struct Noted : trace::Touched {
        const Instruction* last_reader = nullptr;
        const Instruction* last_writer = nullptr;
    };
    // Keeps the first source line. `last`: the previous instruction, so that repeats are skipped.
    static void note_line(const Executor& executor, const Instruction& in, const Instruction*& last,
                          trace::Touched::Line& line);

    ByAllocation<Noted> touched_;
};

} // namespace lanescope::simt
