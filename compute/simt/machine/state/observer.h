// Observer interface for counting, checks and stepping. Without observers the machine runs handlers
// that have no observation code.
#pragma once

#include <cstdint>

#include "compute/simt/machine/state/program.h"

namespace lanescope::simt {

struct Executor;
struct Block;
struct Allocation;
struct Barrier;
struct Warp;
struct AddressGroup;
struct BulkCopy;

// One executed memory instruction of a warp, in one space. A generic access that reaches several
// spaces produces one event per space.
struct AccessEvent {
    const Instruction& instruction;
    const Access& access;
    ptx::Space space; // the space reached: global, shared, local, constant or param
    trace::Op op;
    int width_bytes;            // per lane
    const std::uint64_t* lanes; // 32 addresses in the space's own range, minus `shift`
    std::uint64_t shift;
    std::uint32_t mask;
    std::uint64_t low, high;      // first byte touched, and one past the last
    bool contiguous;              // all lanes are active, width_bytes apart
    bool first;                   // false for the second and later spaces of one generic access
    const Allocation* allocation; // global only, if all lanes are in one allocation
    std::byte* base;     // shared memory or `allocation`: a lane's bytes are at base + address
    AddressGroup* group; // cached properties of `lanes`; null if there are none

    std::uint64_t address(int lane) const { return lanes[lane] + shift; }
};

// The loads of a batch (LoadBatch), reported at the first of them; all lanes are in bounds.
struct BatchEvent {
    const Function& function;
    const LoadBatch& batch;
    ptx::Space space; // shared or global
    std::uint32_t mask;
    AddressGroup& group; // addresses of the loads
};

// One lane's store to a surface, `offset` bytes after its first texel, with rows tightly packed.
struct SurfaceStore {
    std::uint64_t handle;
    std::uint64_t offset;
    int width_bytes;
};

// An instruction that read or wrote texels. `sectors` is the number of 32-byte sectors touched, by
// a model of the array layout (operations/images/texture.h).
struct ImageEvent {
    const Instruction& instruction;
    std::uint32_t mask;
    std::uint32_t sectors;
};

// A bulk copy that is started or performed. The executor's warp and function are those of the
// thread that started it.
struct BulkEvent {
    enum class Stage : std::uint8_t {
        starts, // the instruction is executed
        reads,  // the copy is about to read its source
        writes, // the copy is about to write its destination
        fills,  // st.bulk is about to write its destination
    };
    Stage stage;
    const BulkCopy& copy;
    bool first = false; // starts: the first lane of its instruction
};

class Observer {
public:
    virtual ~Observer() = default;
    virtual void block_begins(Executor&) {}
    virtual void block_ends(Executor&) {}
    virtual void access(Executor&, const AccessEvent&) {}
    // Reads of a wgmma's operands in shared memory, 16 bytes per lane: when the instruction is
    // executed, and again when it is waited for, since it reads at some time in between. They are
    // not requests of lanes.
    virtual void operand_read(Executor&, const AccessEvent&) {}
    // Replaces access() for each load if Executor::whole_batches is set, which requires a launch
    // that is undone if a fault prevents one of the loads from executing.
    virtual void loads(Executor&, const BatchEvent&) {}
    // Memoises groups of accesses that recur: again() stands for the access() events between
    // remember() and remembered(), at different addresses with the same cost. remember() returns
    // false if the observer needs each event.
    virtual bool remember(Executor&, std::uint32_t /*number*/) { return false; }
    virtual void remembered(Executor&, std::uint32_t /*number*/) {}
    virtual void again(Executor&, std::uint32_t /*number*/) {}
    // Skips iterations of a loop in which the running warp changes neither registers nor memory.
    // round_begins() returns false if the observer needs every iteration. round_repeats() returns
    // true if this iteration gave the observer nothing to record except its count, and further
    // iterations would not either; rounds() then stands for `times` iterations.
    virtual bool round_begins(Executor&) { return false; }
    virtual bool round_repeats(Executor&) { return false; }
    virtual void rounds(Executor&, std::uint64_t /*times*/) {}
    virtual void image(Executor&, const ImageEvent&) {}
    virtual void surface_store(Executor&, const SurfaceStore&) {}
    // The lanes `active` execute a branch that has a condition or a table; `divergent` says whether
    // they go to different targets.
    virtual void branch(Executor&, const Instruction&, std::uint32_t /*active*/, bool /*divergent*/)
    {
    }
    // The running warp has executed `number` uniform branches, counted by site in
    // Executor::branch_counts.
    virtual void branches(Executor&, std::uint64_t /*number*/) {}
    // A barrier is complete; `barrier` still holds the arrived lanes.
    virtual void barrier_opens(Executor&, const Barrier&) {}
    virtual void fence(Executor&, const Instruction&) {}
    virtual void bulk(Executor&, const BulkEvent&) {}
    // Lanes of the running warp have met at a __syncwarp(), which orders their accesses. `lanes`
    // includes exited lanes that its mask names.
    virtual void lanes_meet(Executor&, std::uint32_t /*lanes*/) {}
    // Lanes of the running warp have arrived at the mbarrier at this address of shared memory.
    virtual void object_arrives(Executor&, Address, std::uint32_t /*lanes*/) {}
    // The phase in which lanes of the running warp have arrived is complete.
    virtual void object_completes(Executor&, Address) {}
    // Lanes of the running warp have observed that the previous phase is complete.
    virtual void object_passes(Executor&, Address, std::uint32_t /*lanes*/) {}
    // Returns true if the running warp holds values to track from instruction to instruction;
    // before() is then called for each instruction with its active lanes.
    virtual bool follows(Executor&) { return false; }
    virtual void before(Executor&, const Instruction&, std::uint32_t /*mask*/) {}
    // The shuffle gives these lanes an undefined value: they read from lanes that don't take part.
    virtual void shuffles_from_outside(Executor&, const Instruction&, std::uint32_t /*lanes*/) {}
    // Barrier of a cluster of several blocks: lanes of the running warp arrive; all have arrived;
    // lanes of a warp of one of its blocks have observed that.
    virtual void cluster_arrives(Executor&, const Instruction&) {}
    virtual void cluster_completes(Executor&) {}
    virtual void cluster_passes(Executor&, const Block&, const Warp&, std::uint32_t /*lanes*/) {}
    virtual void barrier_arrives(Executor&, const Instruction&, std::uint32_t /*mask*/) {}
};

} // namespace lanescope::simt
