// Native code of a program's functions, stored with the program. A function is compiled for the
// variant that is running, once it has run for a while.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "compute/simt/machine/state/program.h"
#include "compute/simt/native/activation.h"
#include "compute/simt/native/code_memory.h"
#include "compute/simt/native/plan.h"

namespace lanescope::simt::native {

// True if this computer can run native code: the processor has AVX2, and the
// program was built with support.
bool is_possible();
// Why launches don't use native code here, as a sentence; empty if they do.
std::string why_not();

class FunctionCode {
public:
    FunctionCode(std::span<const std::byte> bytes, std::vector<std::uint32_t> entry, Plan plan = {},
                 std::uint32_t generic_entry = 0xffffffffu);
    // Entry point for the pc; null if the interpreter must continue there.
    const void* entry(int pc) const
    {
        const std::uint32_t offset = entry_[static_cast<std::size_t>(pc)];
        return offset == 0xffffffffu ? nullptr : memory_.data() + offset;
    }
    // Entry point for a warp that native::Straight could not run.
    const void* generic_entry() const { return memory_.data() + generic_entry_; }
    Enter enter() const;
    // One more than the highest form number of its octet regions.
    std::size_t octet_forms() const { return octet_forms_; }
    // Number of counted instructions if native::Straight can run the kernel; else 0.
    std::uint32_t straight_steps() const { return plan_.straight_steps; }
    bool usable() const { return memory_.data() != nullptr; }

private:
    CodeMemory memory_;
    std::vector<std::uint32_t> entry_;
    Plan plan_; // kept because the code refers to its regions
    std::uint32_t generic_entry_;
    std::size_t octet_forms_ = 0;
};

// Native code of one program; shared by all threads.
class ProgramCode {
public:
    explicit ProgramCode(const Program& program);

    // Returns null until the code exists. Compiles it when called after ran() has reported enough
    // instructions. `now`: compiles at once.
    const FunctionCode* code(const Program& program, const Function& function, bool observed,
                             bool masked, bool now)
    {
        Slot& slot = slots_[slot_of(program, function, observed, masked)];
        if (const FunctionCode* made = slot.code.load(std::memory_order_acquire)) return made;
        if (slot.abandoned.load(std::memory_order_relaxed)) return nullptr;
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
        std::atomic<bool> abandoned{false};
        std::atomic<std::uint64_t> steps{0};
        std::unique_ptr<FunctionCode> owned;
    };
    static std::size_t slot_of(const Program& program, const Function& function, bool observed,
                               bool masked)
    {
        return static_cast<std::size_t>(&function - program.functions.data()) * 4 +
               (observed ? 2 : 0) + (masked ? 1 : 0);
    }
    // Compiling takes about as long as running this many instructions, and the compiler itself must
    // first be paged in.
    static std::uint64_t steps_before(const Function& function)
    {
        return 250'000 + function.code.size() * 1000;
    }
    const FunctionCode* make(const Program& program, const Function& function, bool observed,
                             bool masked, Slot& slot);

    std::vector<Slot> slots_;
    std::uint32_t octet_regions_ = 0; // total of all code so far
    std::mutex making_;
};

// The function's native code, or null if there is none or it is not to be used.
const FunctionCode* code_of(const Executor& executor, const Function& function, bool observed,
                            bool masked);
// True if the interpreter should run next although there is native code (NativeCode::sometimes).
// Deterministic, so that runs can be repeated.
bool interpret_this_time(const Executor& executor, std::uint64_t steps);
// Executor::zero_divisor_lanes, with an entry for each pc of the function.
std::uint32_t* zero_divisor_lanes_of(Executor& executor, const Function& function);
// Returns Activation::misses for this code.
std::uint32_t* misses_of(Executor& executor, const FunctionCode& code);

// Runs the executor's current path from `entry`. Rethrows exceptions of handlers. Afterwards
// `steps` includes the executed instructions; after Leave::jump and Leave::slice_over the path's pc
// is the instruction to continue at.
Leave run(Executor& executor, const FunctionCode& code, const void* entry, std::uint64_t slice,
          std::uint64_t& steps);

} // namespace lanescope::simt::native
