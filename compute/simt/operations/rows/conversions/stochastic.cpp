// cvt.rs: stochastic rounding of two f32 to f16 or bf16. Random bits are added to the discarded
// bits of the fraction, and a carry rounds away from zero. The upper half of the operand has the
// random bits of the upper value.
#include "compute/simt/operations/rows/floats/halves.h"
#include "compute/simt/operations/rows/selectors.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

// Number of random bits: those that a normal number loses.
template <class T>
constexpr int random_bits = 24 - HalfTraits<T>::precision;

// A result below the normal range loses more bits than there are random ones: the random bits are
// added to the highest of them.
template <class T>
u32 rounded_size(u32 size, u32 random)
{
    using Traits = HalfTraits<T>;
    const s32 biased = static_cast<s32>(size >> 23);
    const s32 exponent = (biased == 0 ? 1 : biased) - 127;
    const u32 digits = biased == 0 ? size : (size & 0x007fffffu) | 0x00800000u;
    const s32 below = exponent < Traits::lowest_exponent ? Traits::lowest_exponent - exponent : 0;
    const u32 kept = below > 31 ? 0u : digits >> below;
    const u32 quanta = (kept + random) >> random_bits<T>;
    const u32 above = static_cast<u32>(exponent + below - Traits::lowest_exponent);
    return quanta + (above << (Traits::precision - 1));
}

template <class T, bool Relu, bool SatFinite>
T round_at_random(float a, u32 bits)
{
    using Traits = HalfTraits<T>;
    const u32 size = bits_as<u32>(a) & 0x7fffffffu;
    const u32 sign = bits_as<u32>(a) >> 31;
    if (size > 0x7f800000u) return {Traits::nan};
    if (Relu && sign != 0) return {0};
    const u32 random = bits & ((1u << random_bits<T>)-1);
    const u32 rounded = size == 0x7f800000u ? u32{Traits::infinity} : rounded_size<T>(size, random);
    constexpr u32 infinity = Traits::infinity;
    const u32 limit = SatFinite ? infinity - 1 : infinity;
    return {static_cast<u16>((rounded > limit ? limit : rounded) | sign << 15)};
}

template <class T, bool Relu, bool SatFinite>
struct RoundTwo {
    Pair<T> operator()(float a, float b, u32 bits) const
    {
        return {round_at_random<T, Relu, SatFinite>(b, bits),
                round_at_random<T, Relu, SatFinite>(a, bits >> 16)};
    }
};

template <class T>
RowFunction select_two(const Key& key)
{
    return for_flag(key.relu, [&]<class Relu>(Relu) {
        return for_flag(key.satfinite, []<class SatFinite>(SatFinite) -> RowFunction {
            return &map3<RoundTwo<T, Relu::value, SatFinite::value>, Pair<T>, float, float, u32>;
        });
    });
}

} // namespace

RowFunction select_stochastic(const Key& key)
{
    if (key.source != ptx::Type::f32 || key.ftz || key.sat) return nullptr;
    switch (key.type) {
    case ptx::Type::f16x2: return select_two<Half>(key);
    case ptx::Type::bf16x2: return select_two<Bfloat>(key);
    default: return nullptr;
    }
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
