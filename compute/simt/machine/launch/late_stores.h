// Stores to global memory that other blocks see late, as CUDA permits until the storing thread has
// executed a fence. Each block has a buffer of its stored bytes, which are in memory only while the
// block runs. Each aligned word of 8 bytes may become visible to all blocks at any time, in any
// order; a fence and the end of the block make all bytes visible, a release those stored before it,
// and an atomic those that it touches. Relaxed, volatile and releasing stores are late, too: the
// outcomes are a part of those that PTX allows, since all blocks see a store at the same time and
// loads are executed in order.
#pragma once

#include <cstddef>
#include <map>
#include <random>

#include "compute/simt/machine/memory/memory.h"
#include "compute/simt/machine/state/observer.h"

namespace lanescope::simt {

class LateStores : public Observer {
public:
    LateStores(std::mt19937_64& random, const Memory& memory) : random_(random), memory_(memory) {}

    // Call around each turn of a block: enter() puts the block's stores into
    // memory, leave() takes them out.
    void enter(const Block& block);
    void leave();

    void block_ends(Executor&) override;
    void access(Executor& executor, const AccessEvent& event) override;
    void fence(Executor& executor, const Instruction& instruction) override;

private:
    // Keyed by address: the value that is not in memory, either the block's or that of the others.
    // A kernel may free an allocation at any time; addresses are never reused.
    using Stored = std::map<Address, std::byte>;
    void exchange(Stored& stored) const;

    std::mt19937_64& random_;
    const Memory& memory_;
    std::map<std::uint64_t, Stored> blocks_; // by linear index
    std::uint64_t linear_ = 0;               // of the running block
    Stored* running_ = nullptr;
};

} // namespace lanescope::simt
