// Copies rows, and packs vectors into one register or unpacks them (element 0 is lowest).
#include "compute/simt/operations/rows/integers/integers.h"
#include "compute/simt/operations/rows/selectors.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

struct Same {
    template <class T>
    T operator()(T a) const
    {
        return a;
    }
};

void move_predicate(const RowOperands& o, u32 active)
{
    store_predicate(o.d, *static_cast<const Word32*>(o.a), active);
}

// A 128-bit lane is handled as two 64-bit halves; other types as themselves.
template <class T>
T join(T low, T high, int bits)
{
    return static_cast<T>(low | high << bits);
}

template <class D, class E, int Count>
void pack(const RowOperands& o, u32 active)
{
    const auto* a = words<E>(o.a);
    const auto* b = words<E>(o.b);
    const auto* c = words<E>(Count == 4 ? o.c : o.a);
    const auto* e = words<E>(Count == 4 ? o.more->e : o.a);
    for_lanes_in<D>(o.d, active, [=](int i) -> D {
        constexpr int bits = bit_width_of<E>;
        const D low = join(D(static_cast<E>(a[i])), D(static_cast<E>(b[i])), bits);
        if constexpr (Count == 2)
            return low;
        else
            return join(low, join(D(static_cast<E>(c[i])), D(static_cast<E>(e[i])), bits),
                        2 * bits);
    });
}

template <class S, class E, int Count>
void unpack(const RowOperands& o, u32 active)
{
    const auto* a = words<S>(o.a);
    void* const elements[4] = {o.d, o.more->d2, o.more->d3, o.more->d4};
    for (int k = 0; k < Count; ++k) {
        if (elements[k] == nullptr) continue;
        const int shift = k * bit_width_of<E>;
        for_lanes_in<E>(elements[k], active, [=](int i) { return static_cast<E>(a[i] >> shift); });
    }
}

template <int Count>
void pack_128(const RowOperands& o, u32 active)
{
    auto* d = words<Word128>(o.d);
    for (int i = 0; i < warp_lanes; ++i) {
        if ((active & lane_bits.bit[i]) == 0) continue;
        if constexpr (Count == 2) {
            d[i] = {words<u64>(o.a)[i], words<u64>(o.b)[i]};
        } else {
            d[i] = {words<u32>(o.a)[i] | u64{words<u32>(o.b)[i]} << 32,
                    words<u32>(o.c)[i] | u64{words<u32>(o.more->e)[i]} << 32};
        }
    }
}
template <int Count>
void unpack_128(const RowOperands& o, u32 active)
{
    const auto* a = words<Word128>(o.a);
    void* const elements[4] = {o.d, o.more->d2, o.more->d3, o.more->d4};
    for (int k = 0; k < Count; ++k) {
        if (elements[k] == nullptr) continue;
        if constexpr (Count == 2)
            for_lanes_in<u64>(elements[k], active,
                              [=](int i) { return k == 0 ? a[i].low : a[i].high; });
        else
            for_lanes_in<u32>(elements[k], active, [=](int i) {
                return static_cast<u32>((k < 2 ? a[i].low : a[i].high) >> (32 * (k & 1)));
            });
    }
}

// {d, d2, …} = {a, b, …}, which may be the same registers in a different order.
template <class T>
void move_vector(const RowOperands& o, u32 active)
{
    void* const to[4] = {o.d, o.more->d2, o.more->d3, o.more->d4};
    const void* const from[4] = {o.a, o.b, o.c, o.more->e};
    for (int i = 0; i < warp_lanes; ++i) {
        if ((active & lane_bits.bit[i]) == 0) continue;
        T values[4]{};
        for (int k = 0; k < 4; ++k)
            if (from[k] != nullptr) values[k] = words<T>(from[k])[i];
        for (int k = 0; k < 4; ++k)
            if (to[k] != nullptr) words<T>(to[k])[i] = values[k];
    }
}

RowFunction select_pack(int bits, int elements)
{
    switch (bits * 10 + elements) {
    case 162: return &pack<u16, u8, 2>;
    case 322: return &pack<u32, u16, 2>;
    case 324: return &pack<u32, u8, 4>;
    case 642: return &pack<u64, u32, 2>;
    case 644: return &pack<u64, u16, 4>;
    case 1282: return &pack_128<2>;
    case 1284: return &pack_128<4>;
    default: return nullptr;
    }
}
RowFunction select_unpack(int bits, int elements)
{
    switch (bits * 10 + elements) {
    case 162: return &unpack<u16, u8, 2>;
    case 322: return &unpack<u32, u16, 2>;
    case 324: return &unpack<u32, u8, 4>;
    case 642: return &unpack<u64, u32, 2>;
    case 644: return &unpack<u64, u16, 4>;
    case 1282: return &unpack_128<2>;
    case 1284: return &unpack_128<4>;
    default: return nullptr;
    }
}

int bits_of(ptx::Type type)
{
    using ptx::Type;
    switch (type) {
    case Type::b16:
    case Type::u16:
    case Type::s16:
    case Type::f16:
    case Type::bf16: return 16;
    case Type::b32:
    case Type::u32:
    case Type::s32:
    case Type::f32:
    case Type::f16x2:
    case Type::bf16x2: return 32;
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64: return 64;
    case Type::b128: return 128;
    default: return 0;
    }
}

} // namespace

RowFunction select_move(const Key& key)
{
    if (key.op == Op::pack) return select_pack(bits_of(key.type), key.elements);
    if (key.op == Op::unpack) return select_unpack(bits_of(key.type), key.elements);
    if (key.op == Op::move_vector)
        return bits_of(key.type) == 64                              ? &move_vector<u64>
               : bits_of(key.type) == 32 || bits_of(key.type) == 16 ? &move_vector<u32>
                                                                    : nullptr;
    if (key.type == ptx::Type::pred) return &move_predicate;
    switch (bits_of(key.type)) {
    case 16:
    case 32: return &map1<Same, u32, u32>;
    case 64: return &map1<Same, u64, u64>;
    case 128: return &map1<Same, Word128, Word128>;
    default: return nullptr;
    }
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
