// The caches line by line, in sequences short enough to follow by hand.
#include "compute/caches/hierarchy.h"

#include <gtest/gtest.h>

namespace lanescope::caches {
namespace {

constexpr std::size_t one_set = SectoredCache::ways * 128; // bytes of a cache of one set

TEST(SectoredCache, EvictsTheLeastRecentlyUsedLine)
{
    SectoredCache cache(one_set);
    for (Line line = 1; line <= SectoredCache::ways; ++line) {
        const SectoredCache::Found found = cache.use(line);
        EXPECT_FALSE(found.hit);
        EXPECT_EQ(found.evicted.valid(), 0u);
        found.line.fill(static_cast<Sectors>(line) % 16);
    }
    EXPECT_TRUE(cache.use(1).hit); // now line 2 is the oldest
    const SectoredCache::Found found = cache.use(100);
    EXPECT_FALSE(found.hit);
    EXPECT_EQ(found.line.valid(), 0u);
    EXPECT_EQ(found.evicted.valid(), 2u);
    EXPECT_TRUE(cache.use(1).hit);
    EXPECT_TRUE(cache.use(3).hit);
    const SectoredCache::Found back = cache.use(2);
    EXPECT_FALSE(back.hit);
    EXPECT_EQ(back.line.valid(), 0u);
    EXPECT_EQ(back.evicted.valid(), 4u);
}

TEST(SectoredCache, KeepsValidAndDirtySectorsOfEachLine)
{
    SectoredCache cache(one_set);
    cache.use(7).line.fill(0b0101);
    cache.use(8).line.write(0b1000);
    cache.use(7).line.write(0b0010);
    EXPECT_EQ(cache.use(7).line.valid(), 0b0111u);
    EXPECT_EQ(cache.use(7).line.dirty(), 0b0010u);
    EXPECT_EQ(cache.use(8).line.valid(), 0b1000u);
    EXPECT_EQ(cache.use(8).line.dirty(), 0b1000u);
}

TEST(SectoredCache, HoldsAsManyLinesAsItHasBytes)
{
    for (const std::size_t sets : {1, 2, 14, 124, 12800}) {
        const Line lines = sets * SectoredCache::ways;
        for (const Line first : {Line{0}, Line{0x7000'0000'0000 >> 7} + 77}) {
            SectoredCache cache(sets * one_set);
            for (Line line = 0; line < lines; ++line) EXPECT_FALSE(cache.use(first + line).hit);
            // Consecutive lines fill nearly all sets evenly.
            Line kept = 0;
            for (Line line = 0; line < lines; ++line) kept += cache.use(first + line).hit ? 1 : 0;
            EXPECT_GE(kept, lines / 2) << sets;
            for (Line line = 0; line < 4 * lines; ++line) cache.use(first + lines + line);
            EXPECT_FALSE(cache.use(first).hit);
        }
    }
}

// Half of the capacity, in lines that are a power of two apart.
TEST(SectoredCache, SpreadsStridesOverItsSets)
{
    const std::size_t sets = 124;
    for (const Line stride : {2, 8, 64, 1024, 4096}) {
        SectoredCache cache(sets * one_set);
        const Line lines = sets * SectoredCache::ways / 2;
        for (Line line = 0; line < lines; ++line) cache.use(line * stride);
        Line kept = 0;
        for (Line line = 0; line < lines; ++line) kept += cache.use(line * stride).hit ? 1 : 0;
        EXPECT_GT(kept, lines * 9 / 10) << stride;
    }
}

Hierarchy started(const Sizes& sizes)
{
    Hierarchy caches(sizes);
    caches.begin_launch(one_set);
    return caches;
}

// Two multiprocessors, each cache with one set.
Hierarchy small(int partitions = 1)
{
    const auto l2 = static_cast<std::size_t>(partitions) * one_set;
    return started({.multiprocessors = 2, .l2_bytes = l2, .l2_partitions = partitions});
}

Served from_l1(std::uint64_t sectors)
{
    return {.l1 = sectors};
}
Served from_l2(std::uint64_t sectors)
{
    return {.l2 = sectors};
}
Served from_dram(std::uint64_t sectors)
{
    return {.dram = sectors};
}
Served written(std::uint64_t sectors)
{
    return {.written = sectors};
}

TEST(Hierarchy, LoadsFillOnlyTheSectorsTheyTouch)
{
    Hierarchy caches = small();
    EXPECT_EQ(caches.access(0, Access::load, 5, 0b0011), from_dram(2));
    EXPECT_EQ(caches.access(0, Access::load, 5, 0b0011), from_l1(2));
    EXPECT_EQ(caches.access(0, Access::load, 5, 0b0110), (Served{.l1 = 1, .dram = 1}));
    EXPECT_EQ(caches.access(1, Access::load, 5, 0b1111), (Served{.l2 = 3, .dram = 1}));
    EXPECT_EQ(caches.access(0, Access::load, 5, 0b1111), (Served{.l1 = 3, .l2 = 1}));
    const Traffic& sum = caches.traffic();
    EXPECT_EQ(sum.l1_loads, 14u);
    EXPECT_EQ(sum.l1_load_hits, 6u);
    EXPECT_EQ(sum.l2_reads, 8u);
    EXPECT_EQ(sum.l2_read_lookups, 8u);
    EXPECT_EQ(sum.l2_read_hits, 4u);
    EXPECT_EQ(sum.dram_reads, 4u);
    EXPECT_EQ(sum.dram_writes, 0u);
}

TEST(Hierarchy, ALineThatL1EvictedIsServedByL2)
{
    Hierarchy caches = started({.l2_bytes = 64 * one_set});
    for (Line line = 0; line <= SectoredCache::ways; ++line)
        EXPECT_EQ(caches.access(0, Access::load, line, 0b0001), from_dram(1));
    EXPECT_EQ(caches.access(0, Access::load, 0, 0b0001), from_l2(1));
    EXPECT_EQ(caches.access(0, Access::load, SectoredCache::ways, 0b0001), from_l1(1));
}

TEST(Hierarchy, StoresGoThroughL1AndAreNotReadFromMemory)
{
    Hierarchy caches = small();
    EXPECT_EQ(caches.access(0, Access::store, 5, 0b0001), written(1));
    EXPECT_EQ(caches.access(0, Access::store, 5, 0b0010), written(1)); // hits: L1 has the line
    EXPECT_EQ(caches.access(0, Access::load, 5, 0b0011), from_l1(2));
    EXPECT_EQ(caches.access(1, Access::load, 5, 0b0011), from_l2(2));
    const Traffic& sum = caches.traffic();
    EXPECT_EQ(sum.l1_stores, 2u);
    EXPECT_EQ(sum.l1_store_hits, 1u);
    EXPECT_EQ(sum.l2_writes, 2u);
    EXPECT_EQ(sum.l2_write_lookups, 2u);
    EXPECT_EQ(sum.l2_write_hits, 2u);
    EXPECT_EQ(sum.dram_reads, 0u);
}

TEST(Hierarchy, MemoryIsWrittenWhenL2EvictsDirtySectors)
{
    Hierarchy caches = small();
    caches.access(0, Access::store, 1, 0b0111);
    caches.access(0, Access::load, 2, 0b1111);
    for (Line line = 3; line <= SectoredCache::ways; ++line)
        caches.access(0, Access::store, line, 0b0001);
    EXPECT_EQ(caches.traffic().dram_writes, 0u);
    caches.access(0, Access::store, 100, 0b0001);
    EXPECT_EQ(caches.traffic().dram_writes, 3u); // line 1
    caches.access(0, Access::store, 101, 0b0001);
    EXPECT_EQ(caches.traffic().dram_writes, 3u); // line 2 is clean
    caches.access(0, Access::store, 102, 0b0001);
    EXPECT_EQ(caches.traffic().dram_writes, 4u); // line 3
}

TEST(Hierarchy, LaunchStartsWithEmptyL1AndL2OfPreviousLaunch)
{
    Hierarchy caches = small();
    caches.access(0, Access::load, 5, 0b1111);
    caches.begin_launch(one_set);
    EXPECT_EQ(caches.access(0, Access::load, 5, 0b1111), from_l2(4));
}

TEST(Hierarchy, SomeLoadsBypassL1)
{
    Hierarchy caches = small();
    EXPECT_EQ(caches.access(0, Access::load_at_l2, 5, 0b0001), from_dram(1));
    EXPECT_EQ(caches.access(0, Access::load, 5, 0b0001), from_l2(1));
    EXPECT_EQ(caches.access(0, Access::load_at_l2, 5, 0b0001), from_l2(1));
    EXPECT_EQ(caches.traffic().l1_loads, 3u);
    EXPECT_EQ(caches.traffic().l1_load_hits, 0u);
}

TEST(Hierarchy, AtomicsReadAndWriteL2)
{
    Hierarchy caches = small();
    EXPECT_EQ(caches.access(0, Access::atomic, 5, 0b0001), (Served{.dram = 1, .written = 1}));
    EXPECT_EQ(caches.access(1, Access::atomic, 5, 0b0001), (Served{.l2 = 1, .written = 1}));
    const Traffic& sum = caches.traffic();
    EXPECT_EQ(sum.l1_loads, 0u);
    EXPECT_EQ(sum.l2_reads, 2u);
    EXPECT_EQ(sum.l2_writes, 2u);
    for (Line line = 100; line < 100 + SectoredCache::ways; ++line)
        caches.access(0, Access::load, line, 0b0001);
    EXPECT_EQ(caches.traffic().dram_writes, 1u); // the atomics' sector
}

TEST(Hierarchy, TheFarPartitionIsLookedUpUntilTheNearOneHasTheSector)
{
    // The multiprocessors are near different partitions, so the line is far from one of them:
    // whichever it is, three lookups bring it to both, and the second of them hits.
    Hierarchy caches = small(2);
    EXPECT_EQ(caches.access(0, Access::load, 5, 0b0001), from_dram(1));
    EXPECT_EQ(caches.access(1, Access::load, 5, 0b0001), from_l2(1));
    EXPECT_EQ(caches.traffic().l2_read_lookups, 3u);
    EXPECT_EQ(caches.traffic().l2_read_hits, 1u);
    EXPECT_EQ(caches.traffic().l2_reads, 2u);
    EXPECT_EQ(caches.traffic().dram_reads, 1u);
    caches.begin_launch(one_set);
    caches.forget_traffic();
    EXPECT_EQ(caches.traffic(), Traffic{});
    caches.access(0, Access::load, 5, 0b0001);
    caches.access(1, Access::load, 5, 0b0001);
    EXPECT_EQ(caches.traffic().l2_read_lookups, 2u);
    EXPECT_EQ(caches.traffic().l2_read_hits, 2u);
    caches.access(0, Access::store, 5, 0b0001);
    caches.access(1, Access::store, 5, 0b0001);
    EXPECT_EQ(caches.traffic().l2_write_lookups, 3u);
    EXPECT_EQ(caches.traffic().l2_writes, 2u);
}

TEST(Hierarchy, HalfOfTheLinesBelongToEitherPartition)
{
    for (const Line stride : {1, 2, 32, 1024}) {
        Hierarchy caches = started({.l2_bytes = 4096 * one_set, .l2_partitions = 2});
        const std::uint64_t lines = 4096;
        for (Line i = 0; i < lines; ++i) caches.access(0, Access::load, i * stride, 0b0001);
        const double far = static_cast<double>(caches.traffic().l2_read_lookups - lines);
        EXPECT_NEAR(far / static_cast<double>(lines), 0.5, 0.05) << stride;
    }
}

} // namespace
} // namespace lanescope::caches
