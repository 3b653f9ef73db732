// Lanes execute one after another, lowest first. f32 additions flush subnormals in global memory
// and keep them in shared memory, as the PTX manual specifies for atom.add.
#include "compute/simt/operations/memory/atomic_operations.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "compute/simt/operations/lanes/half.h"

namespace lanescope::simt {

namespace {

struct Add {
    template <class T>
    static T apply(T old, T b, T)
    {
        return static_cast<T>(old + b);
    }
};
struct Min {
    template <class T>
    static T apply(T old, T b, T)
    {
        return std::min(old, b);
    }
};
struct Max {
    template <class T>
    static T apply(T old, T b, T)
    {
        return std::max(old, b);
    }
};
struct And {
    template <class T>
    static T apply(T old, T b, T)
    {
        return old & b;
    }
};
struct Or {
    template <class T>
    static T apply(T old, T b, T)
    {
        return old | b;
    }
};
struct Xor {
    template <class T>
    static T apply(T old, T b, T)
    {
        return old ^ b;
    }
};
struct Exchange {
    template <class T>
    static T apply(T, T b, T)
    {
        return b;
    }
};
struct CompareAndSwap {
    template <class T>
    static T apply(T old, T b, T c)
    {
        return old == b ? c : old;
    }
};
struct Increment {
    template <class T>
    static T apply(T old, T b, T)
    {
        return old >= b ? T{0} : static_cast<T>(old + 1);
    }
};
struct Decrement {
    template <class T>
    static T apply(T old, T b, T)
    {
        return old == 0 || old > b ? b : static_cast<T>(old - 1);
    }
};

float flushed(float value)
{
    return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}
// f32 has a single NaN.
float settled(float value)
{
    return std::isnan(value) ? std::bit_cast<float>(0x7fffffffu) : value;
}
struct AddFloat {
    static float apply(float old, float b, float) { return settled(old + b); }
};
// f64 propagates the addend's NaN, else the NaN in memory, unchanged.
struct AddDouble {
    static double apply(double old, double b, double)
    {
        if (std::isnan(b)) return b;
        if (std::isnan(old)) return old;
        const double sum = old + b;
        return std::isnan(sum) ? std::bit_cast<double>(std::uint64_t{0xfff8000000000000}) : sum;
    }
};
struct AddFlushed {
    static float apply(float old, float b, float)
    {
        return settled(flushed(flushed(old) + flushed(b)));
    }
};

// bf16 is the upper half of an f32; the f32 sum of two bf16 is precise enough
// that rounding it again is correct.
struct AddBfloat {
    static std::uint16_t apply(std::uint16_t old, std::uint16_t b, std::uint16_t)
    {
        const auto widen = [](std::uint16_t half) {
            return std::bit_cast<float>(std::uint32_t{half} << 16);
        };
        const float sum = widen(old) + widen(b);
        if (std::isnan(sum)) return 0x7fff;
        const auto bits = std::bit_cast<std::uint32_t>(sum);
        return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
    }
};
struct AddHalf {
    static std::uint16_t apply(std::uint16_t old, std::uint16_t b, std::uint16_t)
    {
        return round_to_half(widen_half(old) + widen_half(b));
    }
};
// Min and max of halves: -0 is below +0; of a NaN and a number, the result is the number.
template <std::uint16_t Infinity, bool IsMax>
struct ExtremeHalf {
    static std::uint16_t apply(std::uint16_t old, std::uint16_t b, std::uint16_t)
    {
        const auto is_nan = [](std::uint16_t bits) { return (bits & 0x7fff) > Infinity; };
        if (is_nan(b)) return is_nan(old) ? std::uint16_t{0x7fff} : old;
        if (is_nan(old)) return b;
        // Maps the bits to integers of the same order.
        const auto place = [](std::uint16_t bits) {
            return (bits & 0x8000) != 0 ? 0x7fff - bits : int{bits};
        };
        return (place(old) < place(b)) == IsMax ? b : old;
    }
};
template <class Single>
struct OnPair {
    static std::uint32_t apply(std::uint32_t old, std::uint32_t b, std::uint32_t)
    {
        const auto low = [](std::uint32_t bits) { return static_cast<std::uint16_t>(bits); };
        const auto high = [](std::uint32_t bits) { return static_cast<std::uint16_t>(bits >> 16); };
        return std::uint32_t{Single::apply(low(old), low(b), 0)} |
               std::uint32_t{Single::apply(high(old), high(b), 0)} << 16;
    }
};

template <std::size_t Bytes>
struct BitsOf;
template <>
struct BitsOf<2> {
    using type = std::uint16_t;
};
template <>
struct BitsOf<4> {
    using type = std::uint32_t;
};
template <>
struct BitsOf<8> {
    using type = std::uint64_t;
};

template <class Operation, class T, bool Parallel>
void update(std::byte* base, const std::uint64_t* offsets, std::uint32_t mask, const void* b,
            const void* c, void* d)
{
    using Bits = typename BitsOf<sizeof(T)>::type;
    using Lane = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    const auto value = [](Bits bits) { return std::bit_cast<T>(bits); };
    for (; mask != 0; mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        auto* place =
            reinterpret_cast<Bits*>(reinterpret_cast<std::uintptr_t>(base) + offsets[lane]);
        const T second = value(static_cast<Bits>(static_cast<const Lane*>(b)[lane]));
        const T third =
            c == nullptr ? T{} : value(static_cast<Bits>(static_cast<const Lane*>(c)[lane]));
        Bits old;
        if constexpr (Parallel) {
            // Like std::atomic_ref, which not every C++20 library provides.
            old = __atomic_load_n(place, __ATOMIC_RELAXED);
            while (!__atomic_compare_exchange_n(
                place, &old,
                std::bit_cast<Bits>(Operation::template apply<T>(value(old), second, third)), true,
                __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            }
        } else {
            old = *place;
            if constexpr (requires { Operation::template apply<T>(T{}, T{}, T{}); })
                *place =
                    std::bit_cast<Bits>(Operation::template apply<T>(value(old), second, third));
            else
                *place = std::bit_cast<Bits>(Operation::apply(value(old), second, third));
        }
        if (d != nullptr) static_cast<Lane*>(d)[lane] = old;
    }
}

// exch and cas on 128 bits.
template <bool Compares>
void update_wide(std::byte* base, const std::uint64_t* offsets, std::uint32_t mask, const void* b,
                 const void* c, void* d)
{
    using Wide = std::array<std::uint64_t, 2>;
    const auto lane_of = [](const void* row, int lane) {
        Wide value;
        std::memcpy(&value, static_cast<const std::byte*>(row) + sizeof(Wide) * lane, sizeof value);
        return value;
    };
    for (; mask != 0; mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        auto* place =
            reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(base) + offsets[lane]);
        const Wide second = lane_of(b, lane);
        const Wide value = Compares ? lane_of(c, lane) : second;
        Wide old;
        std::memcpy(&old, place, sizeof old);
        if (!Compares || old == second) std::memcpy(place, &value, sizeof value);
        if (d != nullptr)
            std::memcpy(static_cast<std::byte*>(d) + sizeof(Wide) * lane, &old, sizeof old);
    }
}

template <class Operation, class T>
AtomicOperation commuting()
{
    return {update<Operation, T, false>, update<Operation, T, false>, update<Operation, T, true>,
            1};
}

template <class Operation, class T>
AtomicOperation ordered(int operands = 1)
{
    return {update<Operation, T, false>, update<Operation, T, false>, nullptr, operands};
}

template <class Sum, std::uint16_t Infinity>
AtomicOperation halves(AtomicKind kind)
{
    switch (kind) {
    case AtomicKind::add: return ordered<Sum, std::uint16_t>();
    case AtomicKind::min: return ordered<ExtremeHalf<Infinity, false>, std::uint16_t>();
    case AtomicKind::max: return ordered<ExtremeHalf<Infinity, true>, std::uint16_t>();
    default: return {};
    }
}
template <class Sum, std::uint16_t Infinity>
AtomicOperation pairs_of_halves(AtomicKind kind)
{
    switch (kind) {
    case AtomicKind::add: return ordered<OnPair<Sum>, std::uint32_t>();
    case AtomicKind::min: return ordered<OnPair<ExtremeHalf<Infinity, false>>, std::uint32_t>();
    case AtomicKind::max: return ordered<OnPair<ExtremeHalf<Infinity, true>>, std::uint32_t>();
    default: return {};
    }
}

AtomicOperation wide_bits(AtomicKind kind)
{
    switch (kind) {
    case AtomicKind::exchange: return {update_wide<false>, update_wide<false>, nullptr, 1};
    case AtomicKind::compare_and_swap: return {update_wide<true>, update_wide<true>, nullptr, 2};
    default: return {};
    }
}

template <class T>
AtomicOperation integer(AtomicKind kind)
{
    switch (kind) {
    case AtomicKind::add: return commuting<Add, T>();
    case AtomicKind::min: return commuting<Min, T>();
    case AtomicKind::max: return commuting<Max, T>();
    case AtomicKind::bit_and: return commuting<And, T>();
    case AtomicKind::bit_or: return commuting<Or, T>();
    case AtomicKind::bit_xor: return commuting<Xor, T>();
    case AtomicKind::exchange: return ordered<Exchange, T>();
    case AtomicKind::compare_and_swap: return ordered<CompareAndSwap, T>(2);
    case AtomicKind::increment: return ordered<Increment, T>();
    case AtomicKind::decrement: return ordered<Decrement, T>();
    }
    return {};
}

} // namespace

AtomicOperation find_atomic(AtomicKind kind, ptx::Type type)
{
    const bool adds = kind == AtomicKind::add;
    switch (type) {
    case ptx::Type::b16:
        return kind == AtomicKind::compare_and_swap ? ordered<CompareAndSwap, std::uint16_t>(2)
                                                    : AtomicOperation{};
    case ptx::Type::b32:
    case ptx::Type::u32: return integer<std::uint32_t>(kind);
    case ptx::Type::s32: return integer<std::int32_t>(kind);
    case ptx::Type::b64:
    case ptx::Type::u64: return integer<std::uint64_t>(kind);
    case ptx::Type::s64: return integer<std::int64_t>(kind);
    case ptx::Type::f32:
        return adds ? AtomicOperation{update<AddFloat, float, false>,
                                      update<AddFlushed, float, false>, nullptr, 1}
                    : AtomicOperation{};
    case ptx::Type::f64: return adds ? ordered<AddDouble, double>() : AtomicOperation{};
    case ptx::Type::f16: return halves<AddHalf, 0x7c00>(kind);
    case ptx::Type::bf16: return halves<AddBfloat, 0x7f80>(kind);
    case ptx::Type::f16x2: return pairs_of_halves<AddHalf, 0x7c00>(kind);
    case ptx::Type::bf16x2: return pairs_of_halves<AddBfloat, 0x7f80>(kind);
    case ptx::Type::b128: return wide_bits(kind);
    default: return {};
    }
}

} // namespace lanescope::simt
