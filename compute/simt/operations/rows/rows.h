// Arithmetic on whole warps: operands are rows of 32 lanes, and one call executes an instruction
// for every active lane. The machine decodes, loads and stores; this library computes the bits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "compute/ptx/text/module.h"

namespace lanescope::simt {

constexpr int warp_lanes = 32;
constexpr std::uint32_t full_mask = 0xffffffffu;

// Rows are 64-byte aligned. A lane takes 4 bytes for types of up to 32 bits, 8 for 64-bit types, 16
// for b128. Sources narrower than the lane are read from its low bits; results of 8 and 16 bits are
// zero-extended, except those of `cvt` to s8 and s16, which are sign-extended to the lane (a wider
// register requires that, a 16-bit one ignores it). A predicate is one std::uint32_t, one bit per
// lane. The machine inverts negated predicate sources (!%p). A destination may be the same row as a
// source of the same width; rows never overlap otherwise.
//
// Operands that few instructions have are stored separately, to keep RowOperands small in loops.
struct MoreOperands {
    void* d2 = nullptr; // p|q, or the second element of a vector destination; null if discarded
    void* d3 = nullptr; // third and fourth elements of a vector destination
    void* d4 = nullptr;
    const void* e = nullptr;
    std::uint32_t* carry = nullptr; // carry bits (CC) of the warp, one per lane
};
inline constexpr MoreOperands no_more_operands{};

struct RowOperands {
    void* d = nullptr;
    const void* a = nullptr;
    const void* b = nullptr;
    const void* c = nullptr; // null if the optional predicate is absent
    const MoreOperands* more = &no_more_operands;
};

// Lanes outside `active` keep their d (and their carry).
using RowFunction = void (*)(const RowOperands& operands, std::uint32_t active);

// An instruction ready to run. Destinations are d, d2, d3, d4 and sources are a, b, c, e, in order;
// elements of a vector operand ({a, b}) and of a pair (p|q) count individually. Immediates must be
// converted to the source type.
struct RowOperation {
    RowFunction run = nullptr;
    std::array<ptx::Type, 4> destinations{};
    std::array<ptx::Type, 4> sources{};
    int destination_count = 0;
    int source_count = 0;
    bool uses_carry = false;
};

enum class Isa : std::uint8_t { baseline, avx2, avx512 };

// True if this build has row functions for the set and this processor executes them.
bool is_available(Isa isa);

// Returns the widest available set. Throws DeviceError if there is none, because a build for one
// processor (LANESCOPE_ROWS=native) was moved to an older one.
Isa best_isa();

// Finds the row function of an instruction; nullopt if it is unsupported or not arithmetic.
// Includes mov of special registers and addresses, which the decoder has already turned into rows.
// Reads only the opcode, modifiers and operand kinds.
std::optional<RowOperation> find_row_operation(const ptx::Instruction& instruction, Isa isa);

} // namespace lanescope::simt
