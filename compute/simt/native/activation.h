// What native code works on while a path runs, and how it leaves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>

#include "compute/simt/machine/program.h"
#include "compute/simt/native/octets.h"

namespace lanescope::simt {
struct Executor;
struct Region;
struct AddressGroup;
} // namespace lanescope::simt

namespace lanescope::simt::native {

struct LoadRegion;
struct OctetRegion;

// Where the lanes of a load are, eight by eight; it adds its offset.
struct LoadSlot {
    std::array<const std::byte*, 4> at;
};
constexpr std::uint32_t max_slots = 32;

struct Activation {
    Executor* executor = nullptr;
    std::byte* frame = nullptr; // the rows of each base
    std::byte* constants = nullptr;
    std::byte* specials = nullptr;
    std::uint64_t steps = 0; // warp instructions of the slice so far
    std::uint64_t slice = 0;
    std::uint64_t* slice_steps = nullptr; // Executor::slice_steps
    std::exception_ptr* fault = nullptr;  // what a handler threw
    std::uint32_t active = 0;
    std::int32_t pc = 0;             // Leave::slice_over: where to go on
    std::int32_t reconvergence = -1; // of the path
    // All ones for active lanes; unset where all are, since paths are entered often.
    alignas(32) std::uint32_t lanes[warp_lanes];
    RowOperands operands; // of the row function that is called
    // By batch of the function, the last one for loads that are in none.
    std::array<LoadSlot, max_slots> slots;
    std::array<std::array<std::uint8_t, 4>, max_slots> one_word; // by eight lanes: all the same
    std::array<bool, max_slots> valid{};
    // Of octet regions: what accesses may reach, and how often each was not as expected.
    Region* hits = nullptr;         // Executor::hits
    AddressGroup* groups = nullptr; // Executor::groups
    std::byte* shared = nullptr;
    std::uint64_t shared_bytes = 0;
    std::uint32_t* misses = nullptr;
    // Executor::branch_counts, and how often the warp has added to them.
    std::uint64_t* branch_counts = nullptr;
    std::uint64_t branches = 0;
    bool affine_threads = false; // Warp::affine_threads
    bool straight = false;       // a warp without a path: what is not Leave::ended has done nothing
    // Of the region that runs: its values, by eight lanes, and where its accesses go, in their
    // space's addresses and on this machine. Unset before.
    using Octet = std::array<std::uint64_t, 4>;
    alignas(32) std::array<Octet, max_octet_values> values;
    alignas(32) std::array<Octet, max_octet_accesses> addresses;
    alignas(32) std::array<Octet, max_octet_accesses> places;
    // Of its accesses by lanes, where somebody observes.
    alignas(32) std::array<std::array<std::uint64_t, warp_lanes>, max_lane_accesses> lane_addresses;
};
// An octet region that was not as expected so often, less half as often as it was, misses turns:
// what is unusual, as an edge, comes in heaps.
constexpr std::uint32_t max_misses = 48;
constexpr std::uint32_t turns_missed = 64;

// The first three are what handlers say (Flow), so that native code hands them on.
enum class Leave : std::uint32_t {
    next = 0,
    jump = 1,
    blocked = 2,
    fault = 3,
    slice_over = 4,
    ended = 5
};

using Enter = std::uint32_t (*)(Activation*, const void* entry);

// What native code calls; none of these lets an exception pass.
struct Helpers {
    std::uint32_t (*handler)(Activation*, const Instruction*, std::uint32_t mask);
    std::uint32_t (*uniform_branch)(Activation*, const Instruction*); // for observers
    // Looks at the loads of a region after `steps` of the slice. Leave::next: they are a stretch;
    // Leave::jump: they are not.
    std::uint32_t (*check_loads)(Activation*, const LoadRegion*, std::uint64_t steps);
    // Tells observers of the accesses of a region after `steps` of the slice, by the addresses that
    // the activation has: of each eight lanes, or only of the first where whole warps are as far
    // apart. Leave::jump: they want to hear of each in its turn.
    std::array<std::uint32_t (*)(Activation*, const OctetRegion*, std::uint64_t steps),
               region_forms>
        report_region;
};

} // namespace lanescope::simt::native
