// Caller-supplied options of the lockstep machine: cores, checks and limits on run time.
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

// Optional checks, like compute-sanitizer's tools. Out-of-bounds and misaligned accesses are always
// faults.
struct Checks {
    bool uninitialised = false; // reads of shared or global memory that was never written
    bool races = false; // shared memory touched by two warps between barriers, at least one write
    bool divergent_barriers = false; // an aligned barrier reached by only part of a warp

    static constexpr Checks all() { return {true, true, true}; }
    constexpr bool any() const { return uninitialised || races || divergent_barriers; }
    friend bool operator==(const Checks&, const Checks&) = default;
};

// Kinds of faults that only put results in doubt; see Options::survives_doubtful_results. The last
// one, a refused device-side launch whose error was never queried, is noted in every traced launch.
constexpr std::string_view undefined_result = "undefined_result";
constexpr std::string_view either_value = "either_value";
constexpr std::string_view lost_launch = "lost_launch";
constexpr std::string_view partial_barrier = "partial_barrier";
constexpr std::string_view zero_division = "zero_division";
constexpr std::string_view undefined_shuffle = "undefined_shuffle";
constexpr std::string_view volatile_order = "volatile_order";
constexpr std::string_view read_only_cache = "read_only_cache";
// Kinds that a GPU executes as intended, although no manual promises it.
constexpr bool is_tolerated(std::string_view kind)
{
    return kind == either_value || kind == partial_barrier || kind == undefined_shuffle ||
           kind == volatile_order || kind == read_only_cache || kind == zero_division;
}
constexpr bool is_doubt(std::string_view kind)
{
    return kind == undefined_result || kind == lost_launch || is_tolerated(kind);
}

// Kinds of faults that end a launch which would not have ended by itself, or too late.
constexpr bool is_stop(std::string_view kind)
{
    return kind == "endless" || kind == "time_limit" || kind == "step_budget";
}

// When functions run as native code instead of in the interpreter. Results, counts and faults are
// the same.
enum class NativeCode : std::uint8_t {
    never,
    warm,      // after they have run for a while
    always,    // from the first instruction
    sometimes, // from the first instruction, but only every other time: for tests
};
// Default of Options::native: the last value set; else LANESCOPE_NATIVE; else `warm`.
NativeCode usual_native_code();
void set_usual_native_code(NativeCode use);

struct Options {
    int threads = 0; // 0: all cores
    Checks checks{};
    // Maximum warp instructions per block, and across all blocks until one of them finishes; the
    // launch then stops with a fault. A block that reaches the limit in its last slice may still
    // finish.
    std::uint64_t step_budget = std::uint64_t{1} << 36;
    // After this many warp instructions without a finished block, the machine periodically checks
    // whether the state repeats, which is reported as a fault at once.
    std::uint64_t patience = std::uint64_t{1} << 24;
    // Time limit of a launch in seconds; 0 means none. Measures CPU time, so that a busy machine
    // does not end a launch early, but at most ten times as much wall-clock time.
    double time_limit_s = 0;
    // Stack of a thread (cudaLimitStackSize) that recursive calls must fit into; 0: no such limit.
    // As on a GPU, other calls get what they need.
    std::size_t stack_bytes = 0;
    // Number of faults that a traced launch survives: a faulting block stops, the others continue,
    // and all faults are in the trace. The launch then runs in order on one core and does not
    // throw. One more fault ends it, as does a step or time limit.
    int keep_going = 0;
    // A traced launch continues past faults that only put its result in doubt, and notes them in
    // the trace, once per source line. undefined_result: a value stored to global memory depends on
    // uninitialised memory. either_value: a block reads a location that another block stores to
    // without ordering, but every writer reads it first and stores the same value, as in a
    // level-synchronous search. partial_barrier: a __syncthreads() that only some threads of a
    // block reach. undefined_shuffle: a value stored to global memory depends on a shuffle from a
    // lane that does not take part. volatile_order: lanes of a warp exchange values through
    // volatile shared memory without meeting. read_only_cache: a load through the read-only cache
    // of data that the launch has written. zero_division: an integer division by zero.
    bool survives_doubtful_results = false;
    NativeCode native = usual_native_code();
    std::optional<Isa> isa{}; // unset: the best one that this processor supports
    // Called for each loaded text; may set the reconvergence points of branches
    // (ptx::Function::meetings). The default is the branch's immediate post-dominator.
    std::function<void(ptx::Module&)> meetings{};
};

} // namespace lanescope::simt
