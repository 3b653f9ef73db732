// Uninitialised reads of shared and global memory, and races on shared memory between barriers.
#pragma once

#include <map>
#include <vector>

#include "compute/simt/machine/observer.h"

namespace lanescope::simt {

struct LaunchState;

class AccessChecks : public Observer {
public:
    explicit AccessChecks(const LaunchState& launch);

    void block_begins(Executor& executor) override;
    void block_ends(Executor& executor) override;
    void access(Executor& executor, const AccessEvent& event) override;

private:
    // Who touched a byte of shared memory since the last barrier: a bit for each warp.
    struct Byte {
        std::uint32_t readers = 0;
        std::uint32_t writers = 0;
        std::uint32_t updaters = 0; // by atomics
        std::uint8_t written = 0;   // ever
    };
    struct Shadow {
        std::vector<Byte> bytes;
        std::uint64_t round = 0; // Block::barrier_rounds that the bits belong to
    };

    void check_shared(Executor& executor, const AccessEvent& event);
    void check_global(Executor& executor, const AccessEvent& event);
    [[noreturn]] void report_race(Executor& executor, const AccessEvent& event, int lane,
                                  std::uint32_t others, bool other_wrote);

    bool uninitialised_;
    bool races_;
    std::map<const Block*, Shadow> shadows_;
};

} // namespace lanescope::simt
