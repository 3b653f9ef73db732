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

// A line in a cache, in one word: its number and, per sector, whether it is valid and dirty.
class CachedLine {
public:
    CachedLine() = default;
    explicit CachedLine(Line line) : bits_(line << shift) {}

    Line line() const { return bits_ >> shift; }
    Sectors valid() const { return static_cast<Sectors>(bits_) & all_sectors; }
    Sectors dirty() const { return static_cast<Sectors>(bits_ >> line_sectors) & all_sectors; }
    void fill(Sectors sectors) { bits_ |= sectors; }
    void write(Sectors sectors) { bits_ |= sectors | sectors << line_sectors; }

private:
    static constexpr int shift = 2 * line_sectors;
    std::uint64_t bits_ = ~std::uint64_t{0} << shift; // a line that no address has
};

class SectoredCache {
public:
    // Published associativities are rare; with hashed sets, 16 ways behave like more.
    static constexpr std::size_t ways = 16;

    explicit SectoredCache(std::size_t bytes) : sets_(std::max<std::size_t>(bytes / 128 / ways, 1))
    {
    }

    struct Found {
        CachedLine& line;
        bool hit;           // the line was in the cache, maybe without the wanted sectors
        CachedLine evicted; // the line that made room; without sectors if there was none
    };
    // Finds or allocates the line, and makes it the most recently used one of its set.
    Found use(Line line)
    {
        Set& set = set_of(line);
        if (set[0].line() == line) return {set[0], true, {}};
        std::size_t way = 1;
        while (way < ways - 1 && set[way].line() != line) ++way;
        const CachedLine last = set[way];
        const bool hit = last.line() == line;
        std::move_backward(set.begin(), set.begin() + static_cast<std::ptrdiff_t>(way),
                           set.begin() + static_cast<std::ptrdiff_t>(way) + 1);
        set[0] = hit ? last : CachedLine(line);
        return {set[0], hit, hit ? CachedLine() : last};
    }
    void clear() { std::fill(sets_.begin(), sets_.end(), Set{}); }

private:
    using Set = std::array<CachedLine, ways>;

    // Multiplicative hashing spreads power-of-two strides over the sets.
    Set& set_of(Line line)
    {
        const std::uint64_t hash = line * 0x9e3779b97f4a7c15u >> 32;
        return sets_[hash * sets_.size() >> 32];
    }

    std::vector<Set> sets_;
};

} // namespace lanescope::caches
