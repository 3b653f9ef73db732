// Whoever wants to know what a launch does: counting, checks, stepping. Without observers the
// machine runs handlers that know nothing of them.
#pragma once

#include <cstdint>

#include "compute/simt/machine/program.h"

namespace lanescope::simt {

struct Executor;
struct Block;
struct Allocation;

// One executed memory instruction of a warp, in one space. For generic accesses that reach several
// spaces there is one event for each.
struct AccessEvent {
    const Instruction& instruction;
    ptx::Space space; // reached: global, shared, local, constant or param
    trace::Op op;
    int width_bytes;                // that a lane moves
    const std::uint64_t* addresses; // 32, in the space's own addresses
    std::uint32_t mask;
    std::uint64_t low, high;      // first byte touched, and behind the last
    bool strided;                 // all lanes, width_bytes apart
    bool first;                   // not the second or later space of one generic access
    const Allocation* allocation; // global, when all lanes are in one
};

// One lane's store to a surface, `offset` bytes behind its first texel, rows tightly packed.
struct SurfaceStore {
    std::uint64_t handle;
    std::uint64_t offset;
    int width_bytes;
};

class Observer {
public:
    virtual ~Observer() = default;
    virtual void block_begins(Executor&) {}
    virtual void block_ends(Executor&) {}
    virtual void access(Executor&, const AccessEvent&) {}
    virtual void surface_store(Executor&, const SurfaceStore&) {}
    // `taken` lanes jump, the rest of `active` goes on; for tables `divergent` says whether targets
    // differ.
    virtual void branch(Executor&, const Instruction&, std::uint32_t /*active*/, bool /*divergent*/)
    {
    }
    virtual void barrier_arrives(Executor&, const Instruction&, std::uint32_t /*mask*/) {}
};

} // namespace lanescope::simt
