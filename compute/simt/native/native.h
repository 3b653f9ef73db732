// Functions of a program as native code: made when they have run for a while, for the variant that
// is running, and kept with the program.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "compute/simt/machine/program.h"
#include "compute/simt/native/activation.h"
#include "compute/simt/native/code_memory.h"
#include "compute/simt/native/plan.h"

namespace lanescope::simt::native {

// Whether this computer runs native code: its processor has AVX2, and the program was built with
// it.
bool is_possible();
// Why launches do not use native code here, as a sentence; empty when they do.
std::string why_not();

class FunctionCode {
public:
    FunctionCode(std::span<const std::byte> bytes, std::vector<std::uint32_t> entry, Plan plan = {},
                 std::uint32_t generic_entry = 0xffffffffu);
    // Where to enter at the pc; null where the interpreter has to go on.
    const void* entry(int pc) const
    {
        const std::uint32_t offset = entry_[static_cast<std::size_t>(pc)];
        return offset == 0xffffffffu ? nullptr : memory_.data() + offset;
    }
    // Where a warp begins that native::Straight has found not to be as expected.
    const void* generic_entry() const { return memory_.data() + generic_entry_; }
    Enter enter() const;
    // One more than the highest number of a form of its octet regions.
    std::size_t octet_forms() const { return octet_forms_; }
    // Counted instructions of a kernel that native::Straight can run; else 0.
    std::uint32_t straight_steps() const { return plan_.straight_steps; }
    bool usable() const { return memory_.data() != nullptr; }

private:
    CodeMemory memory_;
    std::vector<std::uint32_t> entry_;
    Plan plan_; // whose regions the code names
    std::uint32_t generic_entry_;
    std::size_t octet_forms_ = 0;
};

// The native code of one program. Threads share it.
class ProgramCode {
public:
    explicit ProgramCode(const Program& program);

    // Null while there is none; asking for it with the warp instructions that have run since brings
    // it about. `now`: at once.
    const FunctionCode* code(const Program& program, const Function& function, bool observed,
                             bool masked, bool now)
    {
        Slot& slot = slots_[slot_of(program, function, observed, masked)];
        if (const FunctionCode* made = slot.code.load(std::memory_order_acquire)) return made;
        if (slot.given_up.load(std::memory_order_relaxed)) return nullptr;
        if (!now && slot.steps.load(std::memory_order_relaxed) < steps_before(function))
            return nullptr;
        return make(program, function, observed, masked, slot);
    }
    void ran(const Program& program, const Function& function, bool observed, bool masked,
             std::uint64_t steps)
    {
        Slot& slot = slots_[slot_of(program, function, observed, masked)];
        if (slot.code.load(std::memory_order_relaxed) == nullptr)
            slot.steps.fetch_add(steps, std::memory_order_relaxed);
    }

private:
    struct Slot {
        std::atomic<const FunctionCode*> code{nullptr};
        std::atomic<bool> given_up{false};
        std::atomic<std::uint64_t> steps{0};
        std::unique_ptr<FunctionCode> owned;
    };
    static std::size_t slot_of(const Program& program, const Function& function, bool observed,
                               bool masked)
    {
        return static_cast<std::size_t>(&function - program.functions.data()) * 4 +
               (observed ? 2 : 0) + (masked ? 1 : 0);
    }
    // Making code takes about as long as running so many instructions, and each so often again:
    // what makes it has to be brought into memory first.
    static std::uint64_t steps_before(const Function& function)
    {
        return 250'000 + function.code.size() * 1000;
    }
    const FunctionCode* make(const Program& program, const Function& function, bool observed,
                             bool masked, Slot& slot);

    std::vector<Slot> slots_;
    std::uint32_t octet_regions_ = 0; // of all code so far
    std::mutex making_;
};

// The function's native code, if it is to be used and there is any.
const FunctionCode* code_of(const Executor& executor, const Function& function, bool observed,
                            bool masked);
// Whether the interpreter has its turn although there is native code: by what comes, so that a run
// can be repeated.
bool interpret_this_time(const Executor& executor, std::uint64_t steps);
// Activation::misses for this code.
std::uint32_t* misses_of(Executor& executor, const FunctionCode& code);

// Runs the path of the executor that is entered, from `pc` on. Throws what a handler throws.
// Afterwards `steps` counts what has run; Leave::jump and Leave::slice_over leave the place to go
// on in the path's pc.
Leave run(Executor& executor, const FunctionCode& code, const void* entry, std::uint64_t slice,
          std::uint64_t& steps);

} // namespace lanescope::simt::native
