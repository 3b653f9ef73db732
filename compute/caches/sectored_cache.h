// A set-associative cache of 128-byte lines that consist of four sectors of 32 bytes. A line is
// allocated whole and filled sector by sector; the least recently used line of its set is evicted.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lanescope::caches {

using Line = std::uint64_t;    // address / 128
using Sectors = std::uint32_t; // one bit per sector of a line

constexpr int line_sectors = 4;
constexpr Sectors all_sectors = (1U << line_sectors) - 1;

// Number of sectors. Processors without an instruction for this are still common targets.
constexpr std::uint64_t count(Sectors sectors)
{
    return 0x4332'3221'3221'2110u >> 4 * sectors & 0xfu;
}

// A line in a cache, in one word: its tag and, per sector, whether it is valid and dirty.
class CachedLine {
public:
    using Tag = std::uint32_t;

    CachedLine() = default;
    explicit CachedLine(Tag tag) : bits_(tag << shift) {}

    bool has(Tag tag) const { return bits_ >> shift == (tag & tag_mask); }
    Sectors valid() const { return bits_ & all_sectors; }
    Sectors dirty() const { return bits_ >> line_sectors & all_sectors; }
    void fill(Sectors sectors) { bits_ |= sectors; }
    void write(Sectors sectors) { bits_ |= sectors | sectors << line_sectors; }

private:
    static constexpr int shift = 2 * line_sectors;
    // Lines of one set with equal tags are at least 2 GiB times the number of sets apart.
    static constexpr Tag tag_mask = ~Tag{0} >> shift;
    std::uint32_t bits_ = ~std::uint32_t{0} << shift; // the tag of an empty slot
};

class SectoredCache {
public:
    // Published associativities are rare. One set fills one cache line of the simulating CPU.
    static constexpr std::size_t ways = 16;

    explicit SectoredCache(std::size_t bytes)
        : sets_(std::max<std::size_t>(bytes / 128 / ways, 1)),
          reciprocal_(~std::uint64_t{0} / sets_.size() + 1)
    {
    }

    struct Found {
        CachedLine& line;
        bool hit;           // the line was in the cache, possibly without the requested sectors
        CachedLine evicted; // the evicted line; without sectors if there was none
    };
    // Finds or allocates the line, and makes it the most recently used one of its set.
    Found use(Line line)
    {
        const Place place = place_of(line);
        auto& set = sets_[place.set].lines;
        if (set[0].has(place.tag)) return {set[0], true, {}};
        std::size_t way = 1;
        while (way < ways - 1 && !set[way].has(place.tag)) ++way;
        const CachedLine last = set[way];
        const bool hit = last.has(place.tag);
        std::copy_backward(set.begin(), set.begin() + static_cast<std::ptrdiff_t>(way),
                           set.begin() + static_cast<std::ptrdiff_t>(way) + 1);
        set[0] = hit ? last : CachedLine(place.tag);
        return {set[0], hit, hit ? CachedLine() : last};
    }
    // Fetches the line's set, for a use() that follows soon.
    void prefetch(Line line) const { __builtin_prefetch(&sets_[place_of(line).set]); }

private:
    struct alignas(64) Set {
        std::array<CachedLine, ways> lines; // most recently used first
    };
    struct Place {
        std::size_t set;
        CachedLine::Tag tag;
    };
    // Consecutive lines map to consecutive sets, wrapping around. Each wrap starts at a hashed set,
    // so that power-of-two strides spread over the sets.
    Place place_of(Line line) const
    {
        const std::uint64_t sets = sets_.size();
        const std::uint64_t row = sets == 1 ? line : divided_by_sets(line);
        const std::uint64_t hash = row * 0x9e3779b97f4a7c15u >> 32;
        const std::uint64_t set = line - row * sets + (hash * sets >> 32);
        return {static_cast<std::size_t>(set < sets ? set : set - sets),
                static_cast<CachedLine::Tag>(row)};
    }
    std::uint64_t divided_by_sets(Line line) const
    {
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::uint64_t>(Wide{line} * reciprocal_ >> 64);
    }

    std::vector<Set> sets_;
    std::uint64_t reciprocal_; // 2^64 / sets, rounded up: exact for lines below 2^42
};

} // namespace lanescope::caches
