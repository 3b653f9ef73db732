// What a caller can ask of the lockstep machine: cores, checks and how long a kernel may run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "compute/simt/operations/rows/rows.h"

namespace lanescope::ptx {
struct Module;
}

namespace lanescope::simt {

// Like compute-sanitizer's tools. Out of bounds and misaligned accesses are always faults.
struct Checks {
    bool uninitialised = false; // reads of shared or global memory that nothing has written
    bool races = false; // shared memory touched by two warps between barriers, one of them writing
    bool divergent_barriers = false; // an aligned barrier reached by part of a warp

    static constexpr Checks all() { return {true, true, true}; }
    constexpr bool any() const { return uninitialised || races || divergent_barriers; }
    friend bool operator==(const Checks&, const Checks&) = default;
};

// Kinds of faults that leave nothing but results in doubt; see Options::survives_doubtful_results.
// The last one, a launch from the device that was refused while nobody looked, is noted by every
// traced launch.
constexpr std::string_view undefined_result = "undefined_result";
constexpr std::string_view either_value = "either_value";
constexpr std::string_view lost_launch = "lost_launch";
constexpr bool is_doubt(std::string_view kind)
{
    return kind == undefined_result || kind == either_value || kind == lost_launch;
}

// When functions run as native code instead of instruction by instruction; results, counts and
// faults are the same.
enum class NativeCode : std::uint8_t {
    never,
    warm,      // once they have run for a while
    always,    // from their first instruction
    sometimes, // from the first, but every other time by the interpreter: for tests
};
// What Options have unless they say otherwise: `warm`, or what LANESCOPE_NATIVE names, until
// somebody sets it.
NativeCode usual_native_code();
void set_usual_native_code(NativeCode use);

struct Options {
    int threads = 0; // 0: all cores
    Checks checks{};
    // Warp instructions that one block may run, or that all blocks may run without one of them
    // ending; then the launch is stopped and says so. A block that takes as many may still end.
    std::uint64_t step_budget = std::uint64_t{1} << 36;
    // After so many without one of the blocks ending, the machine looks now and then whether what
    // runs only repeats itself: that is a fault at once.
    std::uint64_t patience = std::uint64_t{1} << 24;
    // As long may a launch take, in seconds; 0: as long as it likes. It is the time for which a
    // core was at work on it, so that a busy machine does not end it early, but never more than ten
    // times as much by the clock.
    double time_limit_s = 0;
    // Faults that do not end a traced launch: the block that has one ends there, the others go on,
    // and all faults are in the trace. The launch then runs in order on one core, and throws
    // nothing. One more than that ends it, as does a stop by budget or time.
    int keep_going = 0;
    // A traced launch goes on where nothing but its result is in doubt, which is then among the
    // trace's faults, once for a line of source: undefined_result, where a value is stored to
    // global memory that depends on memory which nothing has written; either_value, where a block
    // reads what another one stores in no order, but whoever stores there has looked before and
    // stores the same, as searches by levels do.
    bool survives_doubtful_results = false;
    NativeCode native = usual_native_code();
    std::optional<Isa> isa{}; // unset: the best one of this processor
    // Called for each text that is loaded: may say of branches where their lanes meet
    // (ptx::Function::meetings). Unset, or where it says nothing: at the branch's immediate
    // post-dominator.
    std::function<void(ptx::Module&)> meetings{};
};

} // namespace lanescope::simt
