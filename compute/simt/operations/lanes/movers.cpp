// One small loop per pair of element and lane size; strided movers are plain copies if stride and
// sizes agree.
#include "compute/simt/operations/lanes/movers.h"

#include <bit>
#include <cstring>
#include <type_traits>

namespace lanescope::simt {

namespace {

struct Wide {
    std::uint64_t low, high;
};

// Integer arithmetic: offsets may themselves be host addresses, with a base of 0.
const std::byte* at(const std::byte* base, std::uint64_t offset)
{
    return reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(base) + offset);
}

template <class Element, class Lane>
Lane widen(Element value)
{
    if constexpr (std::is_same_v<Element, Lane>)
        return value;
    else if constexpr (std::is_signed_v<Element>)
        return static_cast<Lane>(static_cast<std::make_signed_t<Lane>>(value));
    else
        return static_cast<Lane>(value);
}

template <class Element, class Lane>
Element narrow(Lane value)
{
    if constexpr (std::is_same_v<Element, Lane>)
        return value;
    else
        return static_cast<Element>(value);
}

template <class Element, class Lane>
OF_THE_KERNEL void load_strided(const std::byte* from, std::size_t stride, void* row)
{
    auto* lanes = static_cast<Lane*>(row);
    if (std::is_same_v<Element, Lane> && stride == sizeof(Element)) {
        std::memcpy(lanes, from, warp_lanes * sizeof(Element));
        return;
    }
    for (int lane = 0; lane < warp_lanes; ++lane) {
        Element value;
        std::memcpy(&value, from + static_cast<std::size_t>(lane) * stride, sizeof value);
        lanes[lane] = widen<Element, Lane>(value);
    }
}

template <class Element, class Lane>
OF_THE_KERNEL void load_lanes(const std::byte* from, const std::uint64_t* offsets,
                              std::uint32_t mask, void* row)
{
    auto* lanes = static_cast<Lane*>(row);
    if (mask == full_mask) {
#pragma GCC unroll 8
        for (int lane = 0; lane < warp_lanes; ++lane) {
            Element value;
            std::memcpy(&value, at(from, offsets[lane]), sizeof value);
            lanes[lane] = widen<Element, Lane>(value);
        }
        return;
    }
    for (; mask != 0; mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        Element value;
        std::memcpy(&value, at(from, offsets[lane]), sizeof value);
        lanes[lane] = widen<Element, Lane>(value);
    }
}

template <class Element, class Lane>
OF_THE_KERNEL void store_strided(std::byte* to, std::size_t stride, const void* row)
{
    const auto* lanes = static_cast<const Lane*>(row);
    if (std::is_same_v<Element, Lane> && stride == sizeof(Element)) {
        std::memcpy(to, lanes, warp_lanes * sizeof(Element));
        return;
    }
    for (int lane = 0; lane < warp_lanes; ++lane) {
        const Element value = narrow<Element, Lane>(lanes[lane]);
        std::memcpy(to + static_cast<std::size_t>(lane) * stride, &value, sizeof value);
    }
}

template <class Element, class Lane>
OF_THE_KERNEL void store_lanes(std::byte* to, const std::uint64_t* offsets, std::uint32_t mask,
                               const void* row)
{
    const auto* lanes = static_cast<const Lane*>(row);
    if (mask == full_mask) {
#pragma GCC unroll 8
        for (int lane = 0; lane < warp_lanes; ++lane) {
            const Element value = narrow<Element, Lane>(lanes[lane]);
            std::memcpy(const_cast<std::byte*>(at(to, offsets[lane])), &value, sizeof value);
        }
        return;
    }
    for (; mask != 0; mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        const Element value = narrow<Element, Lane>(lanes[lane]);
        std::memcpy(const_cast<std::byte*>(at(to, offsets[lane])), &value, sizeof value);
    }
}

template <class Element, class Lane>
Mover make()
{
    return {load_strided<Element, Lane>, load_lanes<Element, Lane>, store_strided<Element, Lane>,
            store_lanes<Element, Lane>, sizeof(Element) == 4 && sizeof(Lane) == 4};
}

template <class Lane>
Mover make_for(int element_bytes, bool is_signed)
{
    switch (element_bytes) {
    case 1: return is_signed ? make<std::int8_t, Lane>() : make<std::uint8_t, Lane>();
    case 2: return is_signed ? make<std::int16_t, Lane>() : make<std::uint16_t, Lane>();
    case 4:
        if constexpr (sizeof(Lane) == 4)
            return make<std::uint32_t, Lane>();
        else
            return is_signed ? make<std::int32_t, Lane>() : make<std::uint32_t, Lane>();
    default:
        if constexpr (sizeof(Lane) == 8)
            return make<std::uint64_t, Lane>();
        else
            return {};
    }
}

} // namespace

Mover mover(int element_bytes, bool is_signed, int row_bytes)
{
    switch (row_bytes) {
    case 4: return make_for<std::uint32_t>(element_bytes, is_signed);
    case 8: return make_for<std::uint64_t>(element_bytes, is_signed);
    default: return element_bytes == 16 ? make<Wide, Wide>() : Mover{};
    }
}

} // namespace lanescope::simt
