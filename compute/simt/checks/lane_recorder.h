// Records what the lanes of one chosen block do, for pictures of their data exchange.
#pragma once

#include <unordered_map>

#include "compute/simt/machine/observer.h"
#include "compute/trace/exchange.h"

namespace lanescope::simt {

class LaneRecorder : public Observer {
public:
    // A block runs on one core, so that of several recorders one writes.
    explicit LaneRecorder(trace::LaneRecording& recording) : recording_(recording) {}

    void block_begins(Executor& executor) override;
    void access(Executor& executor, const AccessEvent& event) override;
    void barrier_opens(Executor& executor, const Barrier& barrier) override;
    // A lane of the mask has received the register of lane from[lane] of its warp.
    void shuffle(Executor& executor, const Instruction& instruction, std::uint32_t mask,
                 const std::uint8_t* from);
    // vote, match, redux: every lane of the mask has learnt from all of them.
    void together(Executor& executor, const Instruction& instruction, std::uint32_t mask);

private:
    // Null when it is another block's, or there is no more room.
    trace::LaneEvent* next(const Executor& executor, trace::LaneEvent::Kind kind,
                           std::uint32_t mask);
    int line_of(const Executor& executor, const Instruction& instruction);

    trace::LaneRecording& recording_;
    std::unordered_map<const ptx::Instruction*, int> lines_; // of the source, once found
};

} // namespace lanescope::simt
