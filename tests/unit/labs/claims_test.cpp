// Numbers that the lessons state, counted by the lockstep machine. The tests say which of them were
// also read from hardware counters on an H100.
#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "compute/counting/occupancy.h"
#include "compute/simt/simt_device.h"
#include "tests/unit/labs/check_labs.h"

namespace lanescope::labs {
namespace {

using Chosen = std::map<std::string, std::string>;

trace::Trace trace_of(std::string_view lab_id, std::string_view variant_id, const Chosen& chosen)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const Lab& lab = find(lab_id);
    const auto experiment = lab.start({.device = *device,
                                       .shown = shown,
                                       .lab = lab,
                                       .variant = find_variant(lab, variant_id),
                                       .values = values_of(lab, chosen),
                                       .seed = 1,
                                       .image = {}});
    trace::Trace trace;
    experiment->step(&trace);
    return trace;
}

TEST(Claims, StrideSectorsMatchHardware)
{
    constexpr std::array<std::pair<const char*, std::uint64_t>, 5> measured{
        {{"1", 131072}, {"2", 262144}, {"4", 524288}, {"8", 1048576}, {"32", 1048576}}};
    for (const auto& [stride, sectors] : measured) {
        const auto trace =
            trace_of("coalescing", "strided", {{"size", "1024"}, {"stride", stride}});
        EXPECT_EQ(trace.totals().global_load.requests, 32768u);
        EXPECT_EQ(trace.totals().global_load.sectors, sectors) << "stride " << stride;
    }
    const auto shifted = trace_of("coalescing", "offset", {{"size", "1024"}, {"offset", "2"}});
    EXPECT_EQ(shifted.totals().global_load.sectors, 163840u);
}

TEST(Claims, PitchSavingsMatchHardware)
{
    const auto unpitched = trace_of("coalescing", "unpitched", {{"size", "1023"}}).totals();
    const auto pitched = trace_of("coalescing", "pitched", {{"size", "1023"}}).totals();
    EXPECT_EQ(unpitched.global_load.requests, 65472u);
    EXPECT_EQ(unpitched.global_load.sectors, 318914u);
    EXPECT_EQ(pitched.global_load.requests, 65472u);
    EXPECT_EQ(pitched.global_load.sectors, 261888u);
}

TEST(Claims, ColumnAccessReadsEightTimesTheSectors)
{
    const auto rows = trace_of("coalescing", "row_threads", {{"size", "256"}}).totals();
    const auto columns = trace_of("coalescing", "column_threads", {{"size", "256"}}).totals();
    EXPECT_EQ(rows.global_load.sectors, 4 * rows.global_load.requests);
    EXPECT_EQ(columns.global_load.sectors, 32 * columns.global_load.requests);
    EXPECT_EQ(columns.global_store.sectors, 32 * columns.global_store.requests);
}

TEST(Claims, TileConflictsMatchHardware)
{
    const Chosen size{{"size", "1024"}};
    EXPECT_EQ(trace_of("transpose", "tile", size).totals().shared_load.wavefronts, 1048576u);
    EXPECT_EQ(trace_of("transpose", "tile_padded", size).totals().shared_load.wavefronts, 32768u);
    for (const auto* variant : {"tile_swizzled", "tile_float4"}) {
        const auto totals = trace_of("transpose", variant, size).totals();
        EXPECT_EQ(totals.shared_load.wavefronts, totals.shared_load.ideal_wavefronts) << variant;
        EXPECT_EQ(totals.shared_store.wavefronts, totals.shared_store.ideal_wavefronts) << variant;
    }
    const auto naive = trace_of("transpose", "naive", size).totals();
    EXPECT_EQ(naive.global_store.sectors, 32 * naive.global_store.requests);
}

TEST(Claims, GhostCellCostsOneFifth)
{
    const Chosen size{{"size", "2048000"}};
    EXPECT_EQ(trace_of("rod", "shared", size).totals().global_store.sectors, 320000u);
    EXPECT_EQ(trace_of("rod", "shared_aligned", size).totals().global_store.sectors, 256000u);
}

// Sum of the counts of one kind of access in the line that contains `text`.
trace::Counts counts_at(const trace::Trace& trace, std::string_view source, std::string_view text,
                        trace::Op op)
{
    const std::size_t place = source.find(text);
    EXPECT_NE(place, std::string_view::npos) << text;
    if (place == std::string_view::npos) return {};
    const auto line = 1 + std::count(source.begin(), source.begin() + place, '\n');
    trace::Counts sum;
    for (std::size_t i = 0; i < trace.sites.size(); ++i)
        if (trace.sites[i].op == op && trace.sites[i].line == line) sum += trace.counts[i];
    return sum;
}

TEST(Claims, MatrixEdgesDivergeIn12_76Percent)
{
    const auto trace = trace_of("divergence", "matrix_edges", {{"matrix", "100"}});
    const Lab& lab = find("divergence");
    const trace::Counts at_load = counts_at(trace, lab.source(find_variant(lab, "matrix_edges")),
                                            "if (row < size && phase", trace::Op::branch);
    EXPECT_EQ(at_load.executions, 2744u);
    EXPECT_EQ(at_load.divergent, 350u);
}

TEST(Claims, SortingFillsWarps)
{
    const auto efficiency = [](const char* variant) {
        const auto totals = trace_of("divergence", variant, {{"size", "64"}}).totals();
        return static_cast<double>(totals.thread_instructions) /
               (32.0 * static_cast<double>(totals.warp_instructions));
    };
    EXPECT_LT(efficiency("unsorted"), 0.5);
    EXPECT_GT(efficiency("sorted"), 0.9);
    EXPECT_LT(efficiency("lane_parity"), 0.6);
    EXPECT_EQ(efficiency("warp_aligned"), 1);
    EXPECT_EQ(efficiency("block_aligned"), 1);
}

TEST(Claims, OwnBanksNeverConflict)
{
    for (const auto* source : {"uniform", "one value"}) {
        const Chosen chosen{{"size", "100000"}, {"source", source}};
        const auto totals = trace_of("histogram", "per_lane", chosen).totals();
        EXPECT_EQ(totals.shared_atomic.wavefronts, totals.shared_atomic.ideal_wavefronts) << source;
    }
    const auto one =
        trace_of("histogram", "vector_loads", {{"size", "100000"}, {"source", "one value"}});
    EXPECT_GT(one.totals().shared_atomic.wavefronts,
              20 * one.totals().shared_atomic.ideal_wavefronts);
}

TEST(Claims, PartitionsReadOneSectorPerLane)
{
    const Chosen chosen{{"size", "262144"}, {"source", "uniform"}};
    const auto partitioned = trace_of("histogram", "partitioned", chosen).totals();
    const auto interleaved = trace_of("histogram", "interleaved", chosen).totals();
    EXPECT_EQ(partitioned.global_load.sectors, 32 * partitioned.global_load.requests);
    EXPECT_EQ(interleaved.global_load.sectors, interleaved.global_load.requests);
}

// The second rung of the lecture notes touches as many sectors as the first; only swapping rows and
// columns reduces them.
TEST(Claims, TransposedCopyIsUncoalesced)
{
    const Chosen size{{"size", "128"}};
    for (const auto* variant : {"naive", "notes_coalesced"}) {
        const trace::Counts loads = trace_of("min_plus", variant, size).totals().global_load;
        EXPECT_EQ(2 * loads.sectors, (32 + 1) * loads.requests) << variant;
    }
    const trace::Counts loads = trace_of("min_plus", "coalesced", size).totals().global_load;
    EXPECT_EQ(2 * loads.sectors, (4 + 1) * loads.requests);
}

TEST(Claims, TilesDivideFetchedBytes)
{
    const Chosen size{{"size", "128"}};
    const auto fetched = [&](const char* variant) {
        return trace_of("matmul", variant, size).totals().global_load.lanes;
    };
    const std::uint64_t each_product_its_own = 2 * 128 * 128 * 128;
    EXPECT_EQ(fetched("naive"), each_product_its_own);
    EXPECT_EQ(fetched("tile_16"), each_product_its_own / 16);
    EXPECT_EQ(fetched("tile_32"), each_product_its_own / 32);
    EXPECT_EQ(fetched("registers_2d"), each_product_its_own / 128);
    EXPECT_EQ(fetched("tuned"), each_product_its_own / 128 / 4); // four numbers per lane and load
}

TEST(Claims, PartialBlocksLeaveThreadsAndLanesIdle)
{
    const auto grid = trace_of("hierarchy", "two_axes", {{"width", "60"}, {"height", "36"}});
    EXPECT_EQ(grid.grid.count(), 20u);
    EXPECT_EQ(grid.grid.count() * grid.block.count() - 60u * 36u, 400u);
    // Blocks of 5 × 5 threads use 25 lanes of a warp.
    const auto small =
        trace_of("hierarchy", "two_axes",
                 {{"width", "50"}, {"height", "50"}, {"block_x", "5"}, {"block_y", "5"}})
            .totals();
    EXPECT_EQ(small.thread_instructions, small.warp_instructions * 25);
}

TEST(Claims, VectorLoadsHaveQuarterOfTheRequests)
{
    const auto one = trace_of("vector_add", "one_each", {{"size", "65536"}}).totals();
    const auto four = trace_of("vector_add", "float4", {{"size", "65536"}}).totals();
    EXPECT_EQ(one.global_load.requests, 4 * four.global_load.requests);
    EXPECT_EQ(one.global_store.requests, 4 * four.global_store.requests);
    EXPECT_EQ(one.global_load.sectors, four.global_load.sectors);
}

TEST(Claims, SmallTableCostsInSharedAndGlobalMemory)
{
    const std::map<std::string, std::string> size{
        {"size", "64"}, {"lookups", "1"}, {"index", "random"}};
    const auto shared = trace_of("memory_spaces", "shared", size).totals();
    EXPECT_GT(shared.shared_load.wavefronts, shared.shared_load.ideal_wavefronts);
    EXPECT_LE(shared.shared_load.wavefronts, 2 * shared.shared_load.requests);
    const auto global = trace_of("memory_spaces", "global", size);
    bool found = false;
    for (std::size_t i = 0; i < global.sites.size(); ++i) {
        const trace::Counts& counts = global.counts[i];
        if (counts.requests == 0) continue;
        if (global.sites[i].op != trace::Op::load || global.sites[i].width_bytes != 4) continue;
        found = true;
        EXPECT_LE(counts.sectors, 8 * counts.requests);
        EXPECT_GT(counts.sectors, 7 * counts.requests);
    }
    EXPECT_TRUE(found);
}

// A filter of 5 × 5 on 256 × 256 pixels: 8 warps per row, 2048 in all. A tap of the middle column
// touches 4 sectors, any other 5, except where the picture ends: 6 warps of a row touch 4 + 4 * 5
// sectors in a row of taps, the two at its ends 2 fewer, 188 together.
TEST(Claims, TapsOfConvolutionTouchFourOrFiveSectors)
{
    const Chosen size{{"size", "256"}, {"radius", "2"}};
    const auto naive = trace_of("convolution", "naive", size).totals();
    const auto constant = trace_of("convolution", "constant", size).totals();
    EXPECT_EQ(naive.global_load.requests, 2u * 2048 * 25);
    EXPECT_EQ(constant.global_load.requests, 2048u * 25);
    EXPECT_EQ(constant.global_load.sectors, 256u * 5 * 188);
    EXPECT_EQ(naive.global_load.sectors, 256u * 5 * 188 + 2048 * 25);
    EXPECT_EQ(constant.global_store.sectors, 2048u * 4);
}

// Blocks of 32 × 16 pixels, 8 × 16 of them. Below and above a block lie 3 + 3 rows of taps outside,
// except at the picture's edge: 16 * 6 - 6 = 90 for each of the 8 columns of blocks. In the others,
// the 2 taps to the left and the 2 to the right load one sector each, except at the edge.
TEST(Claims, InnerTileLoadsHaloPerTap)
{
    const auto totals =
        trace_of("convolution", "tile_inner", {{"size", "256"}, {"radius", "2"}}).totals();
    constexpr unsigned inside = 16 * 16 * 5 - 90; // rows of taps within the block's rows
    EXPECT_EQ(totals.global_load.sectors, 2048u * 4 + 90 * 188 + inside * (8 * 4 - 4));
    EXPECT_EQ(totals.global_load.requests, 2048u + 90 * 8 * 5 + inside * (8 * 4 - 4));
}

// A row of 36 pixels takes two requests of 5 and 2 sectors, one fewer at each end of the picture.
TEST(Claims, HaloIsLoadedOncePerBlock)
{
    const Chosen size{{"size", "256"}, {"radius", "2"}};
    const auto halo = trace_of("convolution", "tile_halo", size).totals();
    EXPECT_EQ(halo.global_load.requests, 16u * (16 + 4) * 8 * 2);
    EXPECT_EQ(halo.global_load.sectors, 16u * (16 + 4) * (8 * 7 - 2));
    const auto four = trace_of("convolution", "four_rows", size).totals();
    EXPECT_EQ(four.global_load.sectors, 8u * (32 + 4) * (8 * 7 - 2));
    // 25 loads from shared memory for a pixel, or 5 * (5 + 3) for four pixels.
    EXPECT_EQ(halo.shared_load.requests, 2048u * 25);
    EXPECT_EQ(four.shared_load.requests, 2048u / 4 * 5 * (5 + 3));
    EXPECT_EQ(halo.shared_load.wavefronts, halo.shared_load.requests);
    // 10 × 22 blocks for 28 × 12 pixels each: 5 sectors in a row, 4 and 1 at the picture's ends.
    const auto idle = trace_of("convolution", "block_halo", size).totals();
    EXPECT_EQ(idle.global_load.requests, 10u * 22 * 16);
    EXPECT_EQ(idle.global_load.sectors, 22u * 16 * (4 + 8 * 5 + 1));
}

// 1024 rows, 16 of which have 8 + 512 entries and all others 8: a warp with a long row loops 520
// times, 512 of them with a single lane, and one without 8 times.
TEST(Claims, LongRowKeepsWarp)
{
    const Chosen chosen{{"size", "32"}, {"mean", "16"}, {"lengths", "few long"}};
    const Lab& lab = find("spmv");
    constexpr unsigned entries = 16 * 520 + 1008 * 8;
    constexpr std::string_view line = "sum += values[i] * x[columns[i]];";
    const auto loads = [&](const char* variant) {
        return counts_at(trace_of("spmv", variant, chosen), lab.source(find_variant(lab, variant)),
                         line, trace::Op::load);
    };
    const trace::Counts scalar = loads("csr_scalar");
    EXPECT_EQ(scalar.requests, 3u * 16 * (520 + 8));
    EXPECT_EQ(scalar.lanes, 3u * entries);
    // A warp per row: 17 rounds for 520 entries, one for 8.
    const trace::Counts vector = loads("csr_vector");
    EXPECT_EQ(vector.requests, 3u * (16 * 17 + 1008));
    EXPECT_EQ(vector.lanes, 3u * entries);
    const trace::Counts padded = loads("ell");
    EXPECT_EQ(padded.requests, 3u * 32 * 520);
    EXPECT_EQ(padded.lanes, 3u * 1024 * 520);
}

// Rows of 16 entries: every entry is an atomic lane, or every row of two in a warp.
TEST(Claims, SegmentsLeaveOneAtomicPerRow)
{
    const Chosen chosen{{"size", "32"}, {"mean", "16"}, {"lengths", "equal"}};
    const auto coo = trace_of("spmv", "coo", chosen).totals();
    EXPECT_EQ(coo.global_atomic.requests, 512u);
    EXPECT_EQ(coo.global_atomic.lanes, 1024u * 16);
    const auto segments = trace_of("spmv", "segments", chosen).totals();
    EXPECT_EQ(segments.global_atomic.requests, 512u);
    EXPECT_EQ(segments.global_atomic.lanes, 1024u);
    // A thread per row: entries of 32 rows, 64 bytes apart, lie in 32 sectors.
    const Lab& lab = find("spmv");
    const auto scalar = trace_of("spmv", "csr_scalar", chosen);
    const trace::Counts loads = counts_at(scalar, lab.source(find_variant(lab, "csr_scalar")),
                                          "sum += values[i] * x[columns[i]];", trace::Op::load);
    EXPECT_EQ(loads.requests, 3u * 32 * 16);
    EXPECT_GE(loads.sectors, 2u * 32 * 16 * 32 + 32 * 16 * 4);
    EXPECT_LE(loads.sectors, 2u * 32 * 16 * 32 + 32 * 16 * 5);
}

// 256 vertices of 8 edges, all of which are reached; the source has 32. Each edge is one lane of
// the load of its neighbour and one of the atomic that marks it.
TEST(Claims, SearchesFollowEachEdgeOnce)
{
    const Chosen chosen{{"size", "16"}, {"mean", "8"}, {"degrees", "equal"}};
    constexpr unsigned edges = 255 * 8 + 32;
    for (const auto* variant : {"queue", "block_queue", "warp", "edges"}) {
        const auto trace = trace_of("bfs", variant, chosen);
        const Variant& found = find_variant(find("bfs"), variant);
        const std::string_view source = find("bfs").source(found);
        EXPECT_EQ(counts_at(trace, source, "neighbours[", trace::Op::load).lanes, edges) << variant;
        EXPECT_EQ(counts_at(trace, source, "atomicExch(", trace::Op::atomic).lanes, edges)
            << variant;
        EXPECT_EQ(counts_at(trace, source, "level[to] =", trace::Op::store).lanes, 255u) << variant;
    }
}

// A warp per vertex: one round for 8 edges, and one for the 32 of the source.
TEST(Claims, WarpPerVertexTakesOneRoundPerVertex)
{
    const Chosen chosen{{"size", "16"}, {"mean", "8"}, {"degrees", "equal"}};
    const Lab& lab = find("bfs");
    const trace::Counts loads =
        counts_at(trace_of("bfs", "warp", chosen), lab.source(find_variant(lab, "warp")),
                  "neighbours[", trace::Op::load);
    EXPECT_EQ(loads.requests, 256u);
}

// A sum of 32 numbers: five rounds of 16, 8, 4, 2 and 1 lanes, each of which loads two numbers and
// stores one.
TEST(Claims, SumsHalveTheirLanes)
{
    const auto totals = trace_of("independent_threads", "synced_sum", {{"size", "8"}}).totals();
    constexpr unsigned warps = 64;
    EXPECT_EQ(totals.shared_store.lanes, warps * (32 + 16 + 8 + 4 + 2 + 1));
    EXPECT_EQ(totals.shared_store.requests, warps * 6);
    EXPECT_EQ(totals.global_store.lanes, warps);
    // Atomics: one request per warp, in which each lane adds its number.
    const auto add = trace_of("independent_threads", "add", {{"size", "8"}}).totals();
    EXPECT_EQ(add.global_atomic.requests, warps);
    EXPECT_EQ(add.global_atomic.lanes, warps * 32);
    // Under a lock, 32 lanes take 32 rounds; each releases it once.
    const Lab& lab = find("independent_threads");
    const auto inside = trace_of("independent_threads", "inside", {{"size", "8"}});
    const auto releases = counts_at(inside, lab.source(find_variant(lab, "inside")), "atomicExch(",
                                    trace::Op::atomic);
    EXPECT_EQ(releases.requests, warps * 32);
    EXPECT_EQ(releases.lanes, warps * 32);
}

// 4096 keys: 12 doublings of 1 to 12 steps, each of which loads all keys twice 32 at a time. Steps
// with a distance of 1, 2 and 4 (12, 11 and 10 of them) touch 8 sectors per load, all others 4.
TEST(Claims, BitonicStepsReadAllKeys)
{
    const Chosen count{{"count", "4096"}};
    const auto global = trace_of("sort", "bitonic_global", count).totals();
    constexpr unsigned steps = 12 * 13 / 2;
    constexpr unsigned strided = 12 + 11 + 10;
    EXPECT_EQ(global.global_load.requests, steps * 2 * 64);
    EXPECT_EQ(global.global_load.sectors, (strided * 8 + (steps - strided) * 4) * 2 * 64);
    // Two tiles are sorted; the last doubling takes one step between them and the rest within.
    const auto shared = trace_of("sort", "bitonic_shared", count).totals();
    EXPECT_EQ(shared.global_load.sectors, 3u * 4096 / 8);
}

// Keys whose eight digits differ from lane to lane would be 32 sectors per store; sorted by digit
// first, 4096 keys of at most 256 digits take at most one sector more per digit than their bytes.
TEST(Claims, StagedKeysAreStoredInRuns)
{
    const Chosen chosen{{"count", "65536"}, {"keys", "random"}};
    const Lab& lab = find("sort");
    const auto scattered =
        counts_at(trace_of("sort", "radix_256", chosen), lab.source(find_variant(lab, "radix_256")),
                  "if (inside) to[", trace::Op::store);
    EXPECT_EQ(scattered.lanes, 4u * 65536);
    EXPECT_GT(scattered.sectors, 25 * scattered.requests);
    const auto staged =
        counts_at(trace_of("sort", "radix_staged", chosen),
                  lab.source(find_variant(lab, "radix_staged")), "to[offsets[", trace::Op::store);
    EXPECT_EQ(staged.lanes, 4u * 65536);
    EXPECT_LT(staged.sectors, 4 * (65536 / 8 + 16 * 256 * 2));
}

// A token has 4 sectors of halves in each of queries, keys and values, and 8 sectors of floats in
// the result. A score is an eighth of a sector. Where scores are stored, each goes through memory
// six times.
TEST(Claims, AttentionMovesScoresUntilTheyStayInTheBlock)
{
    constexpr unsigned tokens = 384;
    constexpr unsigned results = 8 * tokens;
    const Chosen chosen{{"tokens", "384"}};
    const auto sectors = [&](const char* variant) {
        const auto totals = trace_of("attention", variant, chosen).totals();
        return totals.global_load.sectors + totals.global_store.sectors;
    };
    constexpr unsigned scores = 6 * tokens * tokens / 8;
    // A warp loads one query and 32 keys, 4 bytes of each at a time; then one weight and 64 bytes
    // of values for 32 numbers.
    constexpr unsigned first = tokens * tokens / 32 * 32 * (1 + 32);
    constexpr unsigned last = tokens * tokens * 2 * (1 + 2);
    EXPECT_EQ(sectors("three_passes"), scores * 5 / 6 + first + last + results);
    constexpr unsigned blocks = tokens / 64;
    // Queries and keys for each square of 64 × 64 scores, values for each 64 rows of them.
    EXPECT_EQ(sectors("tiles"), scores + 3 * blocks * tokens * 4 + results);
    // Keys and values for each 16 queries, or each 64.
    EXPECT_EQ(sectors("fused"), (1 + 2 * tokens / 16) * tokens * 4 + results);
    EXPECT_EQ(sectors("online"), (1 + 2 * blocks) * tokens * 4 + results);
    EXPECT_EQ(sectors("tensor_cores"), sectors("online"));
    // Block i needs the first i + 1 of the tiles.
    EXPECT_EQ(sectors("causal"), (tokens + 2 * 64 * blocks * (blocks + 1) / 2) * 4 + results);
}

// 2 × 2 blocks, each with 8 slices of 2 × 64 × 16 floats; 128 × 128 floats of C.
TEST(Claims, PipelinesMoveTheSameSectors)
{
    for (const char* variant : {"synchronous", "double_buffered", "async", "bulk", "producer"}) {
        const auto totals = trace_of("pipelines", variant, {{"tiles", "2"}}).totals();
        EXPECT_EQ(totals.global_load.sectors, 4u * 8 * 2 * 64 * 16 / 8) << variant;
        EXPECT_EQ(totals.global_store.sectors, 128u * 128 / 8) << variant;
    }
}

// 65,536 samples in 16 blocks, 1024 bins. Neighbours are 7,919 places apart in the ramp, so that
// all lanes of a warp add to different sectors. Then each block, or each cluster of 8, adds its
// counters.
TEST(Claims, ClustersAddTheirCountersOnce)
{
    const auto atomics = [](const char* variant, const Chosen& chosen = {}) {
        return trace_of("clusters", variant, chosen).totals().global_atomic;
    };
    EXPECT_EQ(atomics("global").requests, 65536u / 32);
    EXPECT_EQ(atomics("global").sectors, 65536u);
    EXPECT_EQ(atomics("block").requests, 16u * 1024 / 32);
    EXPECT_EQ(atomics("block").sectors, 16u * 1024 / 8);
    for (const char* variant : {"divided", "gathered"}) {
        EXPECT_EQ(atomics(variant).sectors, 2u * 1024 / 8) << variant;
        EXPECT_EQ(atomics(variant, {{"cluster", "2"}}).sectors, 8u * 1024 / 8) << variant;
    }
}

// 256³ with tiles of 128 × 128: 4 blocks of 8 warps, 4 slices of 4 steps, and in a step 4 + 2 times
// four matrices of 8 rows of 16 bytes. Rows of 128 bytes are in the same bank, swizzled ones in
// all.
TEST(Claims, SwizzleTakesAnEighthOfTheWavefronts)
{
    constexpr unsigned loads = 4 * 8 * 4 * 4 * (4 + 2);
    const auto plain = trace_of("tensor_cores", "mma", {}).totals().shared_load;
    const auto swizzled = trace_of("tensor_cores", "swizzled", {}).totals().shared_load;
    EXPECT_EQ(plain.requests, loads);
    EXPECT_EQ(swizzled.requests, loads);
    EXPECT_EQ(plain.wavefronts, loads * 32);
    EXPECT_EQ(swizzled.wavefronts, loads * 4);
}

// A product of 256³ in bf16: 4 × 4 blocks read 4 slices of 64 rows of 128 bytes of A and B each;
// with tiles of 128 × 256 two blocks read 4 slices of 384 rows.
TEST(Claims, LargerTilesCopyLess)
{
    const auto sectors = [](const char* variant) {
        return trace_of("tensor_cores", variant, {}).totals().global_load.sectors;
    };
    EXPECT_EQ(sectors("wgmma"), 16u * 4 * (64 + 64) * 4);
    EXPECT_EQ(sectors("pipeline"), 2u * 4 * (128 + 256) * 4);
}

// 512 × 256 weights; four blocks load the vector of 512 floats, and 256 floats are stored one by
// one, a sector each.
TEST(Claims, WeightsMoveAsManyBytesAsTheyHave)
{
    constexpr unsigned weights = 512 * 256;
    constexpr unsigned others = 4 * 512 / 8 + 256 / 8;
    const auto sectors = [](const char* variant) {
        const auto totals = trace_of("quantised", variant, {{"tiles", "4"}}).totals();
        return totals.global_load.sectors + totals.global_store.sectors;
    };
    EXPECT_EQ(sectors("f32"), weights / 8 + others);
    EXPECT_EQ(sectors("f16"), weights / 16 + others);
    EXPECT_EQ(sectors("fp8"), weights / 32 + others);
    // The 16 scales of a row are one sector.
    EXPECT_EQ(sectors("int4"), weights / 64 + 256 + others);
}

// 64 tiles of 16 × 16 pixels. A thread per pixel tests all 1,024 circles; with lists, a warp tests
// those of its tile, whichever way the list was built. A tile has 8 warps.
TEST(Claims, ListsLeaveTheCirclesThatTouchATile)
{
    const Lab& lab = find("circles");
    const auto loads = [&](const char* variant, std::string_view line) {
        const auto trace = trace_of("circles", variant, {});
        return counts_at(trace, lab.source(find_variant(lab, variant)), line, trace::Op::load)
            .requests;
    };
    EXPECT_EQ(loads("per_pixel", "float4 disc = circles[2 * i];"), 512u * 1024);
    const auto listed = loads("bins", "int i = list[k];");
    EXPECT_EQ(listed % 8, 0u);
    EXPECT_EQ(loads("scan", "float4 disc = discs[k];"), listed);
    EXPECT_LT(loads("by_warp", "float4 disc = discs[next];"), listed);
    // Only circles that cover a pixel of the warp load their colour: the same for all.
    const auto covering = loads("per_pixel", "float4 colour = circles[2 * i + 1];");
    EXPECT_EQ(loads("bins", "float4 colour = circles[2 * i + 1];"), covering);
    EXPECT_EQ(loads("scan", "float4 colour = colours[k];"), covering);
}

// 1,024 bodies, 32 warps: four loads per pair from global memory, then from shared memory, then one
// of 16 bytes, which a second and a fourth body share.
TEST(Claims, PairsOfBodiesShareLoads)
{
    const Chosen count{{"count", "1024"}};
    const auto totals = [&](const char* variant) {
        return trace_of("nbody", variant, count).totals();
    };
    constexpr unsigned pairs = 1024 * 1024 / 32;
    // A body also loads its own position, its velocity and, at the end, its mass.
    EXPECT_EQ(totals("naive").global_load.requests, 4u * pairs + 32 * (3 + 3 + 1));
    EXPECT_EQ(totals("shared_tile").shared_load.requests, 4u * pairs);
    EXPECT_EQ(totals("shared_tile").global_load.requests, 32u * (4 * 4 + 3 + 3 + 1));
    EXPECT_EQ(totals("float4").shared_load.requests, pairs);
    EXPECT_EQ(totals("two_bodies").shared_load.requests, pairs / 2);
    EXPECT_EQ(totals("four_bodies").shared_load.requests, pairs / 4);
    EXPECT_EQ(totals("segments").shared_load.requests, pairs / 4);
}

// 4,096 boids, 128 warps: all lanes load the same boid, one sector. With a grid there are few
// loads, but of boids anywhere; sorted by cell, they are side by side.
TEST(Claims, BoidsSortedByCellLoadFewSectors)
{
    const auto loads = [](const char* variant) {
        return trace_of("boids", variant, {{"count", "4096"}}).totals().global_load;
    };
    const trace::Counts all = loads("all_pairs");
    EXPECT_EQ(all.requests, 128u * 4096 + 128);
    EXPECT_EQ(all.sectors, 128u * 4096 + 128 * 16);
    const trace::Counts grid = loads("grid");
    EXPECT_LT(grid.requests, all.requests / 16);
    EXPECT_GT(grid.sectors, all.sectors);
    EXPECT_LT(loads("sorted").sectors, grid.sectors / 8);
}

// 160 × 160 vertices of 16 bytes, 800 warps: 16 sectors for the vertices of a warp.
TEST(Claims, VerticesStoredByNumberTouchEachSectorFourTimes)
{
    const Chosen size{{"size", "160"}};
    EXPECT_EQ(trace_of("waves", "one_store", size).totals().global_store.sectors, 800u * 16);
    EXPECT_EQ(trace_of("waves", "four_stores", size).totals().global_store.sectors, 4u * 800 * 16);
    const auto two = trace_of("waves", "two_launches", size).totals();
    EXPECT_EQ(two.global_store.sectors, 800u * (16 + 4));
    EXPECT_EQ(two.global_load.sectors, 800u * 4);
}

// The occupancy lab offers the architectures of the table, in its order.
TEST(Claims, OccupancyLabOffersEveryArchitecture)
{
    std::vector<std::string> titles;
    for (const auto& one : counting::multiprocessors()) titles.emplace_back(one.title);
    EXPECT_EQ(find("occupancy").find_parameter("architecture")->choices, titles);
}

} // namespace
} // namespace lanescope::labs
