// Tracks values read from uninitialised memory or registers, from register to register. Such values
// may be moved and stored: their destination then counts as uninitialised, as in valgrind. A
// branch, an address or an atomic that depends on one is a fault; a store to global memory is a
// fault or is only noted. Function arguments are not tracked.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compute/ptx/text/module.h"
#include "compute/simt/machine/state/observer.h"
#include "compute/trace/trace.h"

namespace lanescope::simt {

class UndefinedValues {
public:
    // `survives`: undefined values stored to global memory are only noted.
    explicit UndefinedValues(bool survives) : survives_(survives) {}

    // Returns true if the running warp holds undefined values; before() must then be called for
    // each instruction.
    bool follows(const Executor& executor) const;
    // Call when the running path may be at the start of a function, where its registers are
    // undefined.
    void begins(Executor& executor);
    void before(Executor& executor, const Instruction& instruction, std::uint32_t mask);
    // Returns true if the instruction of the last before() is about to store an undefined value.
    bool stores_any() const { return store_.any; }
    void block_ends(const Executor& executor);

    // Handles a read of uninitialised bytes `unset` of the cell at `base`. `allocation` is null for
    // shared memory.
    void read(Executor& executor, const AccessEvent& event, std::uint64_t base, std::uint64_t unset,
              const Allocation* allocation);
    // Same for local memory. Per element: the lanes that read bytes which they have not written.
    void read_local(Executor& executor, const AccessEvent& event,
                    const std::array<std::uint32_t, 8>& lanes);
    // Handles a shuffle that gives these lanes an undefined value. Such a value is only
    // noted, and only if it is stored to global memory, because lanes that don't use
    // their result often receive one.
    void shuffle(Executor& executor, const Instruction& instruction, std::uint32_t lanes);
    // Per element, the lanes whose stored values are undefined.
    std::array<std::uint32_t, 8> stored_lanes(const Executor& executor,
                                              const AccessEvent& event) const;
    // Bytes of the cell at `base` to which the access stores undefined values. Remembers their
    // origin. `allocation` is null for shared memory.
    std::uint64_t stored(const Executor& executor, const AccessEvent& event, std::uint64_t base,
                         const Allocation* allocation);
    // Handles a store to global memory, which counts as a result.
    void result(Executor& executor, const AccessEvent& event);

    // Noted faults, one per source line, in the order of their stores.
    std::vector<trace::Fault> results() const;

private:
    struct Values {
        // Frames are reused: values left by one call don't apply to the next function.
        const Function* function = nullptr;
        std::vector<std::uint32_t> registers; // lane masks, indexed like ptx::Function::registers
        std::string origin;                   // description of what was read, and where
        std::string root;                     // origin of the first read, before any stores
        bool from_shuffle = false;            // all of the values come from shuffles
    };
    using Key = std::array<std::uint64_t, 3>; // block, warp, frame
    // Undefined values of the next store, and the frame and instruction they belong to.
    struct Store {
        Key key{};
        const Instruction* instruction = nullptr;
        std::array<std::uint32_t, 8> lanes{}; // per vector element
        bool any = false;
    };
    struct Result {
        std::vector<const Instruction*> instructions; // all on one source line
        trace::Fault first;
        std::uint64_t lanes = 0;
        bool from_shuffle = false;
    };

    static Key key(const Executor& executor);
    void hold(Executor& executor, const AccessEvent& event,
              const std::array<std::uint32_t, 8>& lanes, const std::string& what,
              const std::string& root = {});
    bool is_stored(const Executor& executor, const AccessEvent& event) const;
    // True if all undefined values of the running frame come from shuffles.
    bool is_from_shuffle(const Executor& executor) const;
    static std::uint32_t flow(const Executor& executor, const Instruction& instruction,
                              const ptx::Instruction& source, const Values& values,
                              std::uint32_t mask);
    void store_result(Executor& executor, const Instruction& instruction, std::uint32_t lanes);
    [[noreturn]] static void report(Executor& executor, const Instruction& instruction,
                                    std::uint32_t lanes, const Values& values,
                                    std::string_view what);

    bool survives_;
    using Cell = std::pair<std::uint64_t, std::uint64_t>; // block (shared memory only), address
    static Cell cell_of(const Executor& executor, std::uint64_t base, const Allocation* allocation);

    std::map<Key, Values> values_;
    struct Root {
        std::uint64_t bits = 0; // bytes of the cell
        std::string text;
    };
    std::map<Cell, Root> roots_; // origins of undefined values in memory
    Store store_;
    std::vector<Result> results_;
};

} // namespace lanescope::simt
