// Caller-supplied options of the lockstep machine: cores, the simulated GPU, checks and limits on
// run time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "compute/counting/gpus.h"
#include "compute/simt/operations/rows/rows.h"
#include "compute/trace/findings.h"

namespace lanescope::ptx {
struct Module;
}

namespace lanescope::trace {
struct Sample;
}

namespace lanescope::simt {

// Optional checks, like compute-sanitizer's tools. Out-of-bounds and misaligned accesses are always
// faults.
struct Checks {
    bool uninitialised = false; // reads of shared or global memory that was never written
    // Shared memory touched by two warps between barriers, at least one of them writing.
    bool races = false;
    bool divergent_barriers = false; // an aligned barrier reached by only part of a warp

    static constexpr Checks all() { return {true, true, true}; }
    constexpr bool any() const { return uninitialised || races || divergent_barriers; }
    friend bool operator==(const Checks&, const Checks&) = default;
};

// Kinds of faults that only make results doubtful; see
// Options::survives_doubtful_results. A refused device-side launch whose error was never
// queried (lost_launch) is noted in every traced launch.
using trace::kind::either_value;
using trace::kind::lost_launch;
using trace::kind::partial_barrier;
using trace::kind::read_only_cache;
using trace::kind::undefined_result;
using trace::kind::undefined_shuffle;
using trace::kind::volatile_order;
using trace::kind::zero_division;

// Selects when functions run as native code instead of in the interpreter. Results, counts and
// faults do not depend on it.
enum class NativeCode : std::uint8_t {
    never,
    warm,      // after they have run for a while
    always,    // from the first instruction
    sometimes, // from the first instruction, but only every other time: for tests
};
// True if launches start under the precise checks, without trying the fast ones first: for tests,
// which compare both. LANESCOPE_CHECKS=precise sets it.
bool usual_precise_checks();

// Default of Options::native: the last value set; else LANESCOPE_NATIVE; else `warm`.
NativeCode usual_native_code();
void set_usual_native_code(NativeCode use);

// Progress of the running launch; any thread may read it. A launch whose fast checks give up starts
// over, as another attempt.
struct Progress {
    std::atomic<std::uint64_t> attempts{0};
    std::atomic<std::uint64_t> blocks{0}; // of the launch; 0: none is running
    std::atomic<std::uint64_t> ended{0};
    // All blocks are checked, and Options::sample would save time.
    std::atomic<bool> could_sample{false};
};

struct Options {
    int threads = 0; // 0: all cores
    // The simulated GPU: limits of blocks, and the device that programs see. Must outlive the
    // device.
    const counting::Gpu* gpu = &counting::simulated_gpu();
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
    // Stack size per thread (cudaLimitStackSize), in which recursive calls must fit; 0: no limit.
    // Calls that are not recursive get the stack that they need, as on a GPU.
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
    // 0: the usual order of blocks, warps and lanes. Any other number is the seed of a different
    // order that CUDA permits (other_order.h): on one core, interpreted, without `checks`.
    std::uint64_t order = 0;
    NativeCode native = usual_native_code();
    bool precise_checks = usual_precise_checks();
    // Launches run `checks` only on some blocks, as requested here, and store their number; then
    // all blocks run without them, up to the first fault. Null: all blocks are checked. Owned by
    // the caller.
    trace::Sample* sample = nullptr;
    // Filled while launches run, unless null; owned by the caller.
    Progress* progress = nullptr;
    std::optional<Isa> isa{}; // unset: the best one that this processor supports
    // Called for each loaded text; may set the reconvergence points of branches
    // (ptx::Function::meetings). The default is the branch's immediate post-dominator.
    std::function<void(ptx::Module&)> meetings{};
};

} // namespace lanescope::simt
