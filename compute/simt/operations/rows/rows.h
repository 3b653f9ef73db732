// Arithmetic of a whole warp at once: an instruction's operands are rows of 32 lanes, and one call
// executes it for every active lane. The machine decodes, fetches and stores; what the bits become
// is decided here.
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
// register wants that, a 16-bit one ignores it). A predicate is one std::uint32_t, a bit a lane. A
// negated predicate source (!%p) is inverted by the machine. A destination may be the same row as a
// source of the same width; rows never overlap otherwise.
//
// The operands that few instructions have stand apart, as loops keep their RowOperands at hand.
struct MoreOperands {
    void* d2 = nullptr; // p|q, or the second element of a vector destination; null when not wanted
    void* d3 = nullptr; // third and fourth element of a vector destination
    void* d4 = nullptr;
    const void* e = nullptr;
    std::uint32_t* carry = nullptr; // the warp's CC bits, one a lane
};
inline constexpr MoreOperands no_more_operands{};

struct RowOperands {
    void* d = nullptr;
    const void* a = nullptr;
    const void* b = nullptr;
    const void* c = nullptr; // null when the instruction leaves out its optional predicate
    const MoreOperands* more = &no_more_operands;
};

// Lanes outside `active` keep their d (and their carry).
using RowFunction = void (*)(const RowOperands& operands, std::uint32_t active);

// An instruction ready to run. Destinations are listed as d, d2, d3, d4, sources as a, b, c, e; the
// elements of a vector operand ({a, b}) and of a pair (p|q) count singly. Immediates are to be
// converted to the source's type.
struct RowOperation {
    RowFunction run = nullptr;
    std::array<ptx::Type, 4> destinations{};
    std::array<ptx::Type, 4> sources{};
    int destination_count = 0;
    int source_count = 0;
    bool uses_carry = false;
};

enum class Isa : std::uint8_t { baseline, avx2, avx512 };

// Whether this build has row functions for the set and this processor executes them.
bool is_available(Isa isa);

// The widest available set. Throws DeviceError where there is none: a build for one processor alone
// (LANESCOPE_ROWS=native) was moved to an older one.
Isa best_isa();

// How an instruction runs; nullopt for one that is not arithmetic (mov of special registers and
// addresses included: those are rows by then) or not supported. Reads the opcode, the modifiers and
// the kinds of the operands only.
std::optional<RowOperation> find_row_operation(const ptx::Instruction& instruction, Isa isa);

} // namespace lanescope::simt
