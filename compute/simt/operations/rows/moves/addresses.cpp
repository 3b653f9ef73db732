// A warp's addresses: computed, compared with the pattern of 32 contiguous lanes, otherwise with
// each other. Signed comparison suffices, because addresses with the top bit set are always out of
// bounds; they invert the range, which the bounds check detects.
#include "compute/simt/operations/lanes/row_addresses.h"

#include <cstring>

#include "compute/simt/operations/lanes/movers.h"

namespace lanescope::simt::rows::LANESCOPE_ISA {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

template <class Row, class Sum>
void form(const Row* row, Sum offset, u32 mask, u32 width, Addresses& at)
{
    const u64 first = static_cast<Sum>(row[__builtin_ctz(mask)] + offset);
    if (mask == full_mask) {
        for (int lane = 0; lane < warp_lanes; ++lane)
            at.lane[lane] = static_cast<Sum>(row[lane] + offset);
    } else {
        for (int lane = 0; lane < warp_lanes; ++lane) {
            const u64 address = static_cast<Sum>(row[lane] + offset);
            at.lane[lane] = (mask >> lane & 1u) != 0 ? address : first;
        }
    }
    if (mask == full_mask) {
        u64 differences = 0;
        for (int lane = 0; lane < warp_lanes; ++lane)
            differences |= at.lane[lane] ^ (first + static_cast<u64>(lane) * width);
        at.contiguous = differences == 0;
        if (at.contiguous) {
            at.low = first;
            at.high = first + u64{warp_lanes} * width;
            at.all_bits = first; // the width divides the stride: enough for alignment
            return;
        }
    }
    u64 bits = 0;
    s64 low = static_cast<s64>(first);
    s64 high = low;
    for (int lane = 0; lane < warp_lanes; ++lane) {
        const auto number = static_cast<s64>(at.lane[lane]);
        bits |= at.lane[lane];
        low = number < low ? number : low;
        high = number > high ? number : high;
    }
    at.low = static_cast<u64>(low);
    at.high = static_cast<u64>(high) + width;
    at.all_bits = bits;
    at.contiguous = false;
}

void from64(const u64* row, u64 offset, u32 mask, u32 width, Addresses& at)
{
    form(row, offset, mask, width, at);
}
void from32(const u32* row, u32 offset, u32 mask, u32 width, Addresses& at)
{
    form(row, offset, mask, width, at);
}

void find_octets(const Addresses& at, Octets& octets)
{
    for (int octet = 0; octet < 4; ++octet) {
        const u64* lanes = at.lane.data() + 8 * octet;
        u64 apart = 0, different = 0;
        for (u64 i = 0; i < 8; ++i) {
            apart |= lanes[i] ^ (lanes[0] + 4 * i);
            different |= lanes[i] ^ lanes[0];
        }
        octets[octet] = apart == 0       ? Octet::neighbours
                        : different == 0 ? Octet::same
                                         : Octet::scattered;
    }
}

// Words of eight and of sixteen lanes, for which the compiler uses single instructions
// where available. Passed by reference, because the calling convention for values
// depends on the instruction set.
typedef u32 Eight __attribute__((vector_size(32)));
typedef u32 Sixteen __attribute__((vector_size(64)));

OF_THE_KERNEL void neighbours(const std::byte* from, Eight& words)
{
    std::memcpy(&words, from, sizeof words);
}

OF_THE_KERNEL void same(const std::byte* from, Eight& words)
{
    u32 value;
    std::memcpy(&value, from, sizeof value);
    words = value - Eight{};
}

// Stores in the widest vectors available: arithmetic reads rows that way, and loads that span
// several smaller stores stall on store forwarding.
void store(const Eight& first, const Eight& second, u32* row)
{
    const Sixteen both = __builtin_shufflevector(first, second, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
                                                 11, 12, 13, 14, 15);
    std::memcpy(row, &both, sizeof both);
}

constexpr u32 all_are(Octet kind)
{
    return 0x01010101u * static_cast<u32>(kind);
}

void load_words(const std::byte* from, const Addresses& at, const Octets& octets, u32* row)
{
    const auto place = [from, &at](int lane) {
        return reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(from) +
                                                  at.lane[lane]);
    };
    u32 kinds;
    std::memcpy(&kinds, &octets, sizeof kinds);
    Eight first, second;
    if (kinds == all_are(Octet::neighbours)) {
        for (int lane = 0; lane < warp_lanes; lane += 16) {
            neighbours(place(lane), first);
            neighbours(place(lane + 8), second);
            store(first, second, row + lane);
        }
        return;
    }
    if (kinds == all_are(Octet::same)) {
        for (int lane = 0; lane < warp_lanes; lane += 16) {
            same(place(lane), first);
            same(place(lane + 8), second);
            store(first, second, row + lane);
        }
        return;
    }
    const auto octet = [&](int lane, Eight& words) OF_THE_KERNEL {
        const Octet kind = octets[lane / 8];
        if (kind == Octet::neighbours)
            neighbours(place(lane), words);
        else if (kind == Octet::same)
            same(place(lane), words);
        else
            for (int i = 0; i < 8; ++i) {
                u32 word;
                std::memcpy(&word, place(lane + i), sizeof word);
                words[i] = word;
            }
    };
    for (int lane = 0; lane < warp_lanes; lane += 16) {
        octet(lane, first);
        octet(lane + 8, second);
        store(first, second, row + lane);
    }
}

void load_row(const std::byte* from, u32* row)
{
    for (int lane = 0; lane < warp_lanes; lane += 16) {
        Sixteen words;
        std::memcpy(&words, from + 4 * lane, sizeof words);
        std::memcpy(row + lane, &words, sizeof words);
    }
}

template <class Row, class Sum>
bool moved(const Row* row, Sum offset, const Addresses& at, u64& by)
{
    const u64 distance = static_cast<Sum>(row[0] + offset) - at.lane[0];
    u64 differences = 0;
    for (int lane = 0; lane < warp_lanes; ++lane)
        differences |= (static_cast<Sum>(row[lane] + offset) - at.lane[lane]) ^ distance;
    by = distance;
    return differences == 0;
}

bool moved64(const u64* row, u64 offset, const Addresses& at, u64& by)
{
    return moved(row, offset, at, by);
}
bool moved32(const u32* row, u32 offset, const Addresses& at, u64& by)
{
    return moved(row, offset, at, by);
}

} // namespace

AddressFunctions address_functions()
{
    return {from64, from32, moved64, moved32, find_octets, load_words, load_row};
}

} // namespace lanescope::simt::rows::LANESCOPE_ISA
