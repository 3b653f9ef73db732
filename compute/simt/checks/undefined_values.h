// Values that were read from memory which nothing has written, or from registers which nothing has
// set, followed from register to register.
// They may be moved and stored: what they are stored to is then as unwritten as before, as valgrind
// has it. A branch, an address or an atomic that depends on one is a fault; a store to global
// memory is one, too, or noted only. Arguments of functions are not followed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compute/ptx/text/module.h"
#include "compute/simt/machine/observer.h"
#include "compute/trace/trace.h"

namespace lanescope::simt {

class UndefinedValues {
public:
    // `survives`: undefined values that are stored to global memory are noted only.
    explicit UndefinedValues(bool survives) : survives_(survives) {}

    // Whether the running warp holds undefined values: before() then wants each instruction.
    bool follows(const Executor& executor) const;
    // The running path may stand at the beginning of a function: its registers hold nothing yet.
    void begins(Executor& executor);
    void before(Executor& executor, const Instruction& instruction, std::uint32_t mask);
    // Whether the instruction of the last before() is about to store some.
    bool stores_any() const { return store_.any; }
    void block_ends(const Executor& executor);

    // The access reads the bytes `unset` of the cell at `base`, which nothing has written; the
    // allocation is null in shared memory.
    void read(Executor& executor, const AccessEvent& event, std::uint64_t base, std::uint64_t unset,
              const Allocation* allocation);
    // The same of local memory: by element, the lanes that have not written what they read.
    void read_local(Executor& executor, const AccessEvent& event,
                    const std::array<std::uint32_t, 8>& lanes);
    // By element, the lanes whose stored values are undefined.
    std::array<std::uint32_t, 8> stored_lanes(const Executor& executor,
                                              const AccessEvent& event) const;
    // The bytes of the cell at `base` to which the access stores undefined values.
    std::uint64_t stored(const Executor& executor, const AccessEvent& event,
                         std::uint64_t base) const;
    // A store to global memory: a result.
    void result(Executor& executor, const AccessEvent& event);

    // What was noted, one for each source line, in the order in which they stored.
    std::vector<trace::Fault> results() const;

private:
    struct Values {
        // Frames are used again: what a call has left is nothing to the next function there.
        const Function* function = nullptr;
        std::vector<std::uint32_t> registers; // lanes, by ptx::Function::registers
        std::string origin;                   // what was read, and where
    };
    using Key = std::array<std::uint64_t, 3>; // block, warp, frame
    // What the store that comes next stores, and whose it is.
    struct Store {
        Key key{};
        const Instruction* instruction = nullptr;
        std::array<std::uint32_t, 8> lanes{}; // by element of a vector
        bool any = false;
    };
    struct Result {
        std::vector<const Instruction*> instructions; // of one source line
        trace::Fault first;
        std::uint64_t lanes = 0;
    };

    static Key key(const Executor& executor);
    void hold(Executor& executor, const AccessEvent& event,
              const std::array<std::uint32_t, 8>& lanes, const std::string& what);
    bool is_stored(const Executor& executor, const AccessEvent& event) const;
    static std::uint32_t flow(const Executor& executor, const Instruction& instruction,
                              const ptx::Instruction& source, const Values& values,
                              std::uint32_t mask);
    void store_result(Executor& executor, const Instruction& instruction, std::uint32_t lanes);
    [[noreturn]] static void report(Executor& executor, const Instruction& instruction,
                                    std::uint32_t lanes, const Values& values,
                                    std::string_view what);

    bool survives_;
    std::map<Key, Values> values_;
    Store store_;
    std::vector<Result> results_;
};

} // namespace lanescope::simt
