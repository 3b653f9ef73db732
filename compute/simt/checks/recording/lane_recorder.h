// Records the lanes of one selected block, for pictures of their data exchange.
#pragma once

#include <unordered_map>

#include "compute/simt/machine/state/observer.h"
#include "compute/trace/exchange.h"

namespace lanescope::simt {

class LaneRecorder : public Observer {
public:
    // A block runs on one core, so only one of several recorders writes.
    explicit LaneRecorder(trace::LaneRecording& recording) : recording_(recording) {}

    void block_begins(Executor& executor) override;
    void access(Executor& executor, const AccessEvent& event) override;
    void barrier_opens(Executor& executor, const Barrier& barrier) override;
    // Lane i of the mask has received a register's value from lane from[i] of its warp.
    void shuffle(Executor& executor, const Instruction& instruction, std::uint32_t mask,
                 const std::uint8_t* from);
    // vote, match, redux: each lane of the mask receives data from all the others.
    void together(Executor& executor, const Instruction& instruction, std::uint32_t mask);

private:
    // Null for other blocks, or if the recording is full.
    trace::LaneEvent* next(const Executor& executor, trace::LaneEvent::Kind kind,
                           std::uint32_t mask);
    int line_of(const Executor& executor, const Instruction& instruction);

    trace::LaneRecording& recording_;
    std::unordered_map<const ptx::Instruction*, int> lines_; // cached source lines
};

} // namespace lanescope::simt
