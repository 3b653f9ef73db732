// Whoever wants to know what a launch does: counting, checks, stepping. Without observers the
// machine runs handlers that know nothing of them.
#pragma once

#include <cstdint>

#include "compute/simt/machine/program.h"

namespace lanescope::simt {

struct Executor;
struct Block;
struct Allocation;
struct Barrier;
struct AddressGroup;

// One executed memory instruction of a warp, in one space. For generic accesses that reach several
// spaces there is one event for each.
struct AccessEvent {
    const Instruction& instruction;
    const Access& access;
    ptx::Space space; // reached: global, shared, local, constant or param
    trace::Op op;
    int width_bytes;            // that a lane moves
    const std::uint64_t* lanes; // 32, in the space's own addresses, less `shift`
    std::uint64_t shift;
    std::uint32_t mask;
    std::uint64_t low, high;      // first byte touched, and behind the last
    bool strided;                 // all lanes, width_bytes apart
    bool first;                   // not the second or later space of one generic access
    const Allocation* allocation; // global, when all lanes are in one
    std::byte* base;     // of shared memory and of `allocation`: lane's bytes at base + address
    AddressGroup* group; // what is known of `lanes`; null when they were formed for this once

    std::uint64_t address(int lane) const { return lanes[lane] + shift; }
};

// The loads of a batch (LoadBatch), at the first of them; all lanes are within bounds.
struct BatchEvent {
    const Function& function;
    const LoadBatch& batch;
    ptx::Space space; // shared or global
    std::uint32_t mask;
    AddressGroup& group; // where the loads' bytes are
};

// One lane's store to a surface, `offset` bytes behind its first texel, rows tightly packed.
struct SurfaceStore {
    std::uint64_t handle;
    std::uint64_t offset;
    int width_bytes;
};

// An instruction that read or wrote texels. `sectors`: 32-byte sectors that these lie in, by a
// model of the arrays' layout (operations/images/texture.h).
struct ImageEvent {
    const Instruction& instruction;
    std::uint32_t mask;
    std::uint32_t sectors;
};

class Observer {
public:
    virtual ~Observer() = default;
    virtual void block_begins(Executor&) {}
    virtual void block_ends(Executor&) {}
    virtual void access(Executor&, const AccessEvent&) {}
    // In place of access() for each load, where Executor::whole_batches is set: of a launch that is
    // undone when a fault keeps one of them from being executed.
    virtual void loads(Executor&, const BatchEvent&) {}
    // Accesses that are told of together again and again: what access() hears between remember()
    // and remembered() is what again() stands for, with other addresses that cost the same. False
    // where the observer wants to hear of each.
    virtual bool remember(Executor&, std::uint32_t /*number*/) { return false; }
    virtual void remembered(Executor&, std::uint32_t /*number*/) {}
    virtual void again(Executor&, std::uint32_t /*number*/) {}
    // The running warp goes round a loop that changes neither registers nor memory. round_begins():
    // false where the observer wants to hear of each round. round_repeats(): whether it has learnt
    // nothing in this one but that it was run, and could learn no more of others; then rounds()
    // stands for so many.
    virtual bool round_begins(Executor&) { return false; }
    virtual bool round_repeats(Executor&) { return false; }
    virtual void rounds(Executor&, std::uint64_t /*times*/) {}
    virtual void image(Executor&, const ImageEvent&) {}
    virtual void surface_store(Executor&, const SurfaceStore&) {}
    // `taken` lanes jump, the rest of `active` goes on; for tables `divergent` says whether targets
    // differ.
    virtual void branch(Executor&, const Instruction&, std::uint32_t /*active*/, bool /*divergent*/)
    {
    }
    // The running warp has come to branches that all its lanes took alike, so many; by site they
    // have been counted in Executor::branch_counts.
    virtual void branches(Executor&, std::uint64_t /*number*/) {}
    // A barrier is complete: `barrier` still says who has arrived.
    virtual void barrier_opens(Executor&, const Barrier&) {}
    virtual void fence(Executor&, const Instruction&) {}
    // Lanes of the running warp have met at a __syncwarp(), which orders their accesses.
    virtual void lanes_meet(Executor&, std::uint32_t /*lanes*/) {}
    // Whether the running warp holds values that have to be followed from instruction to
    // instruction; before() is then called for each, with the lanes that it runs for.
    virtual bool follows(Executor&) { return false; }
    virtual void before(Executor&, const Instruction&, std::uint32_t /*mask*/) {}
    virtual void barrier_arrives(Executor&, const Instruction&, std::uint32_t /*mask*/) {}
};

} // namespace lanescope::simt
