// State that native code works on while a path runs, and the ways it can return.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>

#include "compute/simt/machine/state/program.h"
#include "compute/simt/native/octets.h"

namespace lanescope::simt {
struct Executor;
struct Region;
struct AddressGroup;
} // namespace lanescope::simt

namespace lanescope::simt::native {

struct LoadRegion;
struct OctetRegion;

// Addresses of a load's lanes, one per octet; the load adds its offset.
struct LoadSlot {
    std::array<const std::byte*, 4> at;
};
constexpr std::uint32_t max_slots = 32;

struct Activation {
    Executor* executor = nullptr;
    std::byte* frame = nullptr; // base addresses of the rows
    std::byte* constants = nullptr;
    std::byte* specials = nullptr;
    std::uint64_t steps = 0; // warp instructions executed in this slice
    std::uint64_t slice = 0;
    std::uint64_t* slice_steps = nullptr; // Executor::slice_steps
    std::exception_ptr* fault = nullptr;  // exception thrown by a handler
    std::uint32_t active = 0;
    std::int32_t pc = 0;             // Leave::slice_over: pc to continue at
    std::int32_t reconvergence = -1; // pc of the path's reconvergence point
    // All ones for active lanes. Uninitialised for full warps, since paths are entered often.
    alignas(32) std::uint32_t lanes[warp_lanes];
    RowOperands operands; // for calls of row functions
    // Indexed by load batch of the function; the last slot is for loads outside any batch.
    std::array<LoadSlot, max_slots> slots;
    std::array<std::array<std::uint8_t, 4>, max_slots> one_word; // per octet: lanes load one word
    std::array<bool, max_slots> valid{};
    // For octet regions: memory that accesses may reach, and the number of misses per region.
    Region* hits = nullptr;         // Executor::hits
    AddressGroup* groups = nullptr; // Executor::groups
    std::byte* shared = nullptr;
    std::uint64_t shared_bytes = 0;
    std::uint32_t* misses = nullptr;
    // Executor::branch_counts, and the number of branches the warp has added to it.
    std::uint64_t* branch_counts = nullptr;
    std::uint64_t branches = 0;
    // Executor::zero_divisor_lanes, and whether any have been noted.
    std::uint32_t* zero_divisor_lanes = nullptr;
    bool divided_by_zero = false;
    bool affine_threads = false; // Warp::affine_threads
    bool straight = false;       // the warp has no path: any result but Leave::ended means that
                                 // nothing was executed
    // The running region's values per octet, and the addresses of its accesses, in their space and
    // in the host. Initialised by the region.
    using Octet = std::array<std::uint64_t, 4>;
    alignas(32) std::array<Octet, max_octet_values> values;
    alignas(32) std::array<Octet, max_octet_accesses> addresses;
    alignas(32) std::array<Octet, max_octet_accesses> places;
    // Addresses of accesses by lanes, for observers.
    alignas(32) std::array<std::array<std::uint64_t, warp_lanes>, max_lane_accesses> lane_addresses;
};
// A region whose assumptions have failed `max_misses` times, minus half its successes, is skipped
// `turns_missed` times, because failures are clustered, for example at an edge.
constexpr std::uint32_t max_misses = 48;
constexpr std::uint32_t turns_missed = 64;

// The first three equal the handlers' results (Flow), so that native code can pass them on.
enum class Leave : std::uint32_t {
    next = 0,
    jump = 1,
    blocked = 2,
    fault = 3,
    slice_over = 4,
    ended = 5
};

using Enter = std::uint32_t (*)(Activation*, const void* entry);

// Functions called by native code; none of them lets an exception escape.
struct Helpers {
    std::uint32_t (*handler)(Activation*, const Instruction*, std::uint32_t mask);
    std::uint32_t (*uniform_branch)(Activation*, const Instruction*); // reports to observers
    // Checks the loads of a region, `steps` instructions into the slice. Leave::next: run them as a
    // stretch; Leave::jump: run them item by item.
    std::uint32_t (*check_loads)(Activation*, const LoadRegion*, std::uint64_t steps);
    // Reports the accesses of a region to observers, `steps` instructions into the slice, using the
    // addresses in the activation: per octet, or only the first one where whole warps are affine.
    // Leave::jump: an observer needs each access at its time.
    std::array<std::uint32_t (*)(Activation*, const OctetRegion*, std::uint64_t steps),
               region_forms>
        report_region;
};

} // namespace lanescope::simt::native
