// Rows as arrays of lanes: encoding and decoding of a lane's bits, and the loop that all row
// functions share. Everything is in a namespace named after the instruction set it is compiled for.
#pragma once

#include <cstdint>

#include "compute/simt/operations/rows/key.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using u128 = unsigned __int128;
using s128 = __int128;

// A 16-bit floating-point value as bits, and a pair of them in a word.
struct Half {
    u16 bits;
};
struct Bfloat {
    u16 bits;
};
template <class T>
struct Pair {
    T low;
    T high;
};

// Lanes in memory are words that may have been written as any type.
using Word32 [[gnu::may_alias]] = u32;
using Word64 [[gnu::may_alias]] = u64;
struct [[gnu::may_alias]] alignas(16) Word128 {
    u64 low;
    u64 high;
};

template <int Bytes>
struct WordOfSize {
    using type = Word32;
};
template <>
struct WordOfSize<8> {
    using type = Word64;
};
template <>
struct WordOfSize<16> {
    using type = Word128;
};
template <class T>
using WordOf = typename WordOfSize<sizeof(T)>::type;

template <class To, class From>
constexpr To bits_as(From from)
{
    return __builtin_bit_cast(To, from);
}

// Decodes a value of type T from the low bits of a word, and encodes it (narrow values are
// zero-extended).
template <class T>
struct Coding {
    static T decode(WordOf<T> word) { return static_cast<T>(word); }
    static WordOf<T> encode(T value)
    {
        if constexpr (sizeof(T) == 1)
            return static_cast<u8>(value);
        else if constexpr (sizeof(T) == 2)
            return static_cast<u16>(value);
        else
            return static_cast<WordOf<T>>(value);
    }
};
template <>
struct Coding<float> {
    static float decode(u32 word) { return bits_as<float>(word); }
    static u32 encode(float value) { return bits_as<u32>(value); }
};
template <>
struct Coding<double> {
    static double decode(u64 word) { return bits_as<double>(word); }
    static u64 encode(double value) { return bits_as<u64>(value); }
};
template <>
struct Coding<Half> {
    static Half decode(u32 word) { return {static_cast<u16>(word)}; }
    static u32 encode(Half value) { return value.bits; }
};
template <>
struct Coding<Bfloat> {
    static Bfloat decode(u32 word) { return {static_cast<u16>(word)}; }
    static u32 encode(Bfloat value) { return value.bits; }
};
template <class T>
struct Coding<Pair<T>> {
    static Pair<T> decode(u32 word)
    {
        return {Coding<T>::decode(word & 0xffff), Coding<T>::decode(word >> 16)};
    }
    static u32 encode(Pair<T> value)
    {
        return (Coding<T>::encode(value.low) & 0xffff) | Coding<T>::encode(value.high) << 16;
    }
};
template <>
struct Coding<Word128> {
    static Word128 decode(Word128 word) { return word; }
    static Word128 encode(Word128 value) { return value; }
};

template <class T>
const WordOf<T>* words(const void* row)
{
    return static_cast<const WordOf<T>*>(__builtin_assume_aligned(row, 64));
}
template <class T>
WordOf<T>* words(void* row)
{
    return static_cast<WordOf<T>*>(__builtin_assume_aligned(row, 64));
}

// Lane i has bit i set: a table, because not every instruction set has per-lane shifts.
struct alignas(64) LaneBits {
    u32 bit[warp_lanes];
    constexpr LaneBits() : bit()
    {
        for (int i = 0; i < warp_lanes; ++i) bit[i] = 1u << i;
    }
};
inline constexpr LaneBits lane_bits;

// Copies the active lanes of `from` to `to`.
template <class Word>
void blend(Word* to, const Word* from, u32 active)
{
    if constexpr (sizeof(Word) == 16) {
        for (int i = 0; i < warp_lanes; ++i)
            if ((active & lane_bits.bit[i]) != 0) to[i] = from[i];
    } else {
#pragma GCC ivdep
        for (int i = 0; i < warp_lanes; ++i)
            to[i] = (active & lane_bits.bit[i]) != 0 ? from[i] : to[i];
    }
}

// Computes all lanes with `lane(i)`. `scope` (a rounding mode) is active during the computation; it
// receives the destination so that no store moves past its end.
template <class T, class Scope, class Lane>
[[gnu::always_inline]] inline void for_all_lanes(WordOf<T>* destination, Lane lane)
{
    Scope scope(destination);
    auto* const d = static_cast<WordOf<T>*>(__builtin_assume_aligned(destination, 64));
#pragma GCC ivdep
    for (int i = 0; i < warp_lanes; ++i) d[i] = Coding<T>::encode(lane(i));
}

struct NoScope {
    explicit NoScope(void*) {}
};

// Computes all lanes, which must be safe for any input, and keeps the active ones.
template <class T, class Lane>
[[gnu::always_inline]] inline void for_lanes_in(void* destination, u32 active, Lane lane)
{
    alignas(64) WordOf<T> beside[warp_lanes];
    auto* const d = words<T>(destination);
    for_all_lanes<T, NoScope>(active == full_mask ? d : beside, lane);
    if (active != full_mask) blend(d, beside, active);
}

// Handles partial masks with a function that computes all lanes. Out of line, so that the common
// case of a full mask needs no stack frame.
template <class Word>
[[gnu::noinline]] void keep_active(RowFunction all, const RowOperands& operands, u32 active)
{
    alignas(64) Word beside[warp_lanes];
    RowOperands whole = operands;
    whole.d = beside;
    all(whole, full_mask);
    blend(static_cast<Word*>(__builtin_assume_aligned(operands.d, 64)), beside, active);
}

// Scope of a function object: F::Scope if it has one.
template <class F>
struct ScopeOf {
    using type = NoScope;
};
template <class F>
requires requires
{
    typename F::Scope;
}
struct ScopeOf<F> {
    using type = typename F::Scope;
};

// Row functions built from a function object that works on one lane's values.
template <class F, class D, class A>
void map1(const RowOperands& o, u32 active)
{
    if (active != full_mask) return keep_active<WordOf<D>>(&map1<F, D, A>, o, active);
    const auto* a = words<A>(o.a);
    for_all_lanes<D, typename ScopeOf<F>::type>(
        words<D>(o.d), [=](int i) -> D { return F{}(Coding<A>::decode(a[i])); });
}
template <class F, class D, class A, class B = A>
void map2(const RowOperands& o, u32 active)
{
    if (active != full_mask) return keep_active<WordOf<D>>(&map2<F, D, A, B>, o, active);
    const auto* a = words<A>(o.a);
    const auto* b = words<B>(o.b);
    for_all_lanes<D, typename ScopeOf<F>::type>(words<D>(o.d), [=](int i) -> D {
        return F{}(Coding<A>::decode(a[i]), Coding<B>::decode(b[i]));
    });
}
template <class F, class D, class A, class B = A, class C = A>
void map3(const RowOperands& o, u32 active)
{
    if (active != full_mask) return keep_active<WordOf<D>>(&map3<F, D, A, B, C>, o, active);
    const auto* a = words<A>(o.a);
    const auto* b = words<B>(o.b);
    const auto* c = words<C>(o.c);
    for_all_lanes<D, typename ScopeOf<F>::type>(words<D>(o.d), [=](int i) -> D {
        return F{}(Coding<A>::decode(a[i]), Coding<B>::decode(b[i]), Coding<C>::decode(c[i]));
    });
}
template <class F, class D, class A, class B = A, class C = A, class E = A>
void map4(const RowOperands& o, u32 active)
{
    if (active != full_mask) return keep_active<WordOf<D>>(&map4<F, D, A, B, C, E>, o, active);
    const auto* a = words<A>(o.a);
    const auto* b = words<B>(o.b);
    const auto* c = words<C>(o.c);
    const auto* e = words<E>(o.more->e);
    for_all_lanes<D, typename ScopeOf<F>::type>(words<D>(o.d), [=](int i) -> D {
        return F{}(Coding<A>::decode(a[i]), Coding<B>::decode(b[i]), Coding<C>::decode(c[i]),
                   Coding<E>::decode(e[i]));
    });
}

// Mask of the lanes for which `test(i)` holds.
template <class Lane>
[[gnu::always_inline]] inline u32 mask_of(Lane test)
{
    u32 mask = 0;
    for (int i = 0; i < warp_lanes; ++i) mask |= test(i) ? lane_bits.bit[i] : 0u;
    return mask;
}

inline void store_predicate(void* destination, u32 value, u32 active)
{
    auto* d = static_cast<Word32*>(destination);
    *d = (*d & ~active) | (value & active);
}

// Calls `make` with a value of the C++ type for a PTX type, or returns null if there is none.
template <class T>
struct Tag {
    using type = T;
};
template <class Make>
RowFunction for_integer(ptx::Type type, Make make)
{
    switch (type) {
    case ptx::Type::u16:
    case ptx::Type::b16: return make(Tag<u16>{});
    case ptx::Type::s16: return make(Tag<s16>{});
    case ptx::Type::u32:
    case ptx::Type::b32: return make(Tag<u32>{});
    case ptx::Type::s32: return make(Tag<s32>{});
    case ptx::Type::u64:
    case ptx::Type::b64: return make(Tag<u64>{});
    case ptx::Type::s64: return make(Tag<s64>{});
    default: return nullptr;
    }
}
template <class Make>
RowFunction for_bits(ptx::Type type, Make make)
{
    switch (type) {
    case ptx::Type::b16:
    case ptx::Type::u16:
    case ptx::Type::s16: return make(Tag<u16>{});
    case ptx::Type::b32:
    case ptx::Type::u32:
    case ptx::Type::s32: return make(Tag<u32>{});
    case ptx::Type::b64:
    case ptx::Type::u64:
    case ptx::Type::s64: return make(Tag<u64>{});
    default: return nullptr;
    }
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
