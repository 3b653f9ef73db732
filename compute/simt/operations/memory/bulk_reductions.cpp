// Most updates are those of red; the minimum and maximum of 16-bit floats exist only here.
#include "compute/simt/operations/memory/bulk_reductions.h"

#include <bit>
#include <cmath>

#include "compute/simt/operations/lanes/half.h"

namespace lanescope::simt {

namespace {

bool exists(AtomicKind kind, ptx::Type type, bool on_global)
{
    using ptx::Type;
    const bool word = type == Type::u32 || type == Type::s32;
    const bool half = type == Type::f16 || type == Type::bf16;
    switch (kind) {
    case AtomicKind::add:
        return word || type == Type::u64 ||
               (on_global && (half || type == Type::f32 || type == Type::f64));
    case AtomicKind::min:
    case AtomicKind::max:
        return word || (on_global && (half || type == Type::u64 || type == Type::s64));
    case AtomicKind::increment:
    case AtomicKind::decrement: return type == Type::u32;
    case AtomicKind::bit_and:
    case AtomicKind::bit_or:
    case AtomicKind::bit_xor: return type == Type::b32 || (on_global && type == Type::b64);
    default: return false;
    }
}

float widened(std::uint16_t bits, bool bfloat)
{
    return bfloat ? std::bit_cast<float>(std::uint32_t{bits} << 16) : widen_half(bits);
}

// The lesser or greater of two numbers; -0 is less than +0, and a number is preferred to NaN.
template <bool Greater, bool Bfloat>
void choose_half(std::byte* base, const std::uint64_t* offsets, std::uint32_t mask, const void* b,
                 const void*, void*)
{
    for (; mask != 0; mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        auto* place = reinterpret_cast<std::uint16_t*>(reinterpret_cast<std::uintptr_t>(base) +
                                                       offsets[lane]);
        const auto given = static_cast<std::uint16_t>(static_cast<const std::uint32_t*>(b)[lane]);
        const float old = widened(*place, Bfloat), other = widened(given, Bfloat);
        if (std::isnan(other)) {
            if (std::isnan(old)) *place = 0x7fff;
            continue;
        }
        const bool less = other < old || (other == old && std::signbit(other) > std::signbit(old));
        const bool greater =
            other > old || (other == old && std::signbit(other) < std::signbit(old));
        if (std::isnan(old) || (Greater ? greater : less)) *place = given;
    }
}

} // namespace

AtomicFunction find_bulk_reduction(AtomicKind kind, ptx::Type type, bool on_global)
{
    if (!exists(kind, type, on_global)) return nullptr;
    if (kind == AtomicKind::min || kind == AtomicKind::max) {
        const bool greater = kind == AtomicKind::max;
        if (type == ptx::Type::f16)
            return greater ? choose_half<true, false> : choose_half<false, false>;
        if (type == ptx::Type::bf16)
            return greater ? choose_half<true, true> : choose_half<false, true>;
    }
    const AtomicOperation found = find_atomic(kind, type);
    // Unlike an atomic addition to global memory, a bulk one keeps subnormals on an H200.
    const bool keeps_subnormals = type == ptx::Type::f32;
    return on_global && !keeps_subnormals ? found.on_global : found.on_shared;
}

} // namespace lanescope::simt
