// Numbers worked out by hand from the kernels and their sizes, against the headline on screen and
// the counts behind it.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <ostream>
#include <string>

#include "app/document/look/subject.h"
#include "app/draw/subjects/cost.h"
#include "compute/trace/trace.h"
#include "tests/unit/window/window_fixture.h"

namespace lanescope::test {
namespace {

using namespace app;

struct ByHand {
    const char* lab;
    const char* variant;
    std::map<std::string, std::string> values; // other than the lab opens with
    const char* headline;
    std::string meaning{}; // its beginning
};

void PrintTo(const ByHand& one, std::ostream* out)
{
    *out << one.lab << "/" << one.variant;
}

// Opens the lab's own view of its cost, as the window does after a key press.
void open_cost(WindowFixture& room, const ByHand& one)
{
    const labs::Lab& lab = labs::find(one.lab);
    room.document().look = {};
    open_on_subject(room.document().look, lab, one.variant);
    room.document().look.compare.clear();
    const Look look = room.document().look;
    std::map<std::string, std::string> values = lab.opens.values;
    for (const auto& [id, text] : one.values) values[id] = text;
    room.open(one.lab, one.variant, values);
    room.document().look = look;
    room.apply(ShowSubject{look.subject});
}

class HandComputed : public ::testing::TestWithParam<ByHand> {};

TEST_P(HandComputed, IsHeadline)
{
    const ByHand& one = GetParam();
    WindowFixture& room = window_fixture();
    open_cost(room, one);
    const auto cost = cost_of(room.frame().a, room.document().look);
    ASSERT_TRUE(cost);
    EXPECT_EQ(cost->amount(), one.headline) << cost->meaning;
    EXPECT_EQ(cost->meaning.substr(0, one.meaning.size()), one.meaning);
    EXPECT_TRUE(room.look({1280, 720}).says(one.headline));
}

INSTANTIATE_TEST_SUITE_P(
    Labs, HandComputed,
    ::testing::Values(
        // Per row of 512: 79 sectors for either row beside it, 64 for itself and as many for both
        // neighbours and the store: 32 × (79 + 79 + 4 × 64) / 512 bytes.
        ByHand{"heat", "naive", {{"size", "512"}}, "25.9 bytes", "via L1 per cell"},
        // 104 sectors per block of 512 cells, and 64 stored.
        ByHand{"heat", "shared_tile", {{"size", "512"}}, "10.5 bytes"},
        // A load that is shifted by an element.
        ByHand{"rod", "naive", {}, "5 sectors", "for this global load"},
        // Rows of 1,023: one in eight is aligned.
        ByHand{
            "coalescing", "unpitched", {{"size", "1023"}}, "5 sectors", "for this load, mean 4.87"},
        // 60 × 36 cells in 4 × 5 blocks of 16 × 8.
        ByHand{"hierarchy", "two_axes", {}, "84.4%"},
        // 60 × 36 of 3,072 threads.
        ByHand{"hierarchy", "three_axes", {}, "70.3%"},
        // Swapped, only 40 × 36 of 2,560 threads have a cell: 56.25.
        ByHand{"hierarchy", "swapped", {}, "56.2%"},
        // A row and a column of blocks are missing: 48 × 32 of 60 × 36 cells have a thread.
        ByHand{"hierarchy", "one_block_too_few", {}, "71.1%"},
        // 350 of 2,744 warp phases: 12.755%.
        ByHand{"divergence",
               "matrix_edges",
               {{"matrix", "100"}},
               "31.7 of 32 lanes",
               "active; line 16: 12.8% diverge"},
        // A column of a 32 × 32 tile lies in one bank.
        ByHand{"transpose", "tile", {}, "32 wavefronts", "for this shared load"},
        // 16 bytes per lane.
        ByHand{"transpose", "copy", {}, "16 sectors", "for this global load"},
        // 40 registers allow 6 blocks of 8 warps: 48 of 64.
        ByHand{"occupancy", "slots", {}, "75%"},
        // 8 blocks of 2 warps: 16 of 24.
        ByHand{"occupancy",
               "slots",
               {{"architecture", "G80"}, {"threads", "64"}, {"registers", "10"}, {"shared", "0"}},
               "67%"},
        // Two blocks of 40 KB in 100 KB: 16 of 48 warps.
        ByHand{
            "occupancy",
            "slots",
            {{"architecture", "Ada"}, {"threads", "256"}, {"registers", "32"}, {"shared", "40960"}},
            "33%"},
        // (79.1 − 76.3) / 39.9 and 7.4 / 9.8, from the recorded timelines.
        ByHand{"streams", "pageable", {}, "7%"}, ByHand{"streams", "pinned", {}, "75%"},
        // 4 of the 6.04 KiB that an H200's memory needs per multiprocessor.
        ByHand{"bytes_in_flight", "two", {}, "66%"},

        // Every lane in a row of its own.
        ByHand{"coalescing", "column_threads", {}, "32 sectors"},
        // 32 elements, 8 bytes apart: 256 bytes.
        ByHand{"coalescing", "strided", {{"stride", "2"}}, "8 sectors"},
        // 128 bytes that start 4 bytes into a sector.
        ByHand{"coalescing", "offset", {{"offset", "1"}}, "5 sectors"},
        ByHand{"coalescing", "same", {}, "1 sector"},
        // A store of a column.
        ByHand{"transpose", "naive", {}, "32 sectors", "for this global store"},
        // Each element is loaded by 256 / 16 and 256 / 32 blocks.
        ByHand{"matmul", "tile_16", {{"size", "256"}}, "16 loads"},
        ByHand{"matmul", "tile_32", {{"size", "256"}}, "8 loads"},
        // Two loads and a store of 4 bytes.
        ByHand{"vector_add", "one_each", {}, "12 bytes"},
        // A call per generation, or one for all.
        ByHand{"graph_launches", "launches", {{"generations", "16"}}, "16 calls"},
        ByHand{"graph_launches", "graph", {{"generations", "16"}}, "1 call"},
        // One word for all lanes.
        ByHand{"memory_spaces", "constant_uniform", {}, "1 pass"},
        // A new launch finds L1 empty. In a chunk that L1 holds, all rounds but the first hit.
        ByHand{"caches", "launches", {{"size", "256"}}, "0%", "of the sectors from L1"},
        ByHand{"caches", "chunks", {{"size", "256"}, {"chunk", "64"}}, "87.5%"},
        // No number is loaded twice.
        ByHand{"caches", "registers", {{"size", "256"}}, "0 KiB"},
        // Copies in a tail launch wait for all children; a parent that reads at once copies none.
        ByHand{"launch_order", "tail_launch", {}, "8 of 8", "copies run after their child"},
        ByHand{"launch_order", "reads_at_once", {}, "0 of 8"},
        // Five rounds: a shuffle each, or a store, a load and two barriers of the warp.
        ByHand{"shuffle", "butterfly", {}, "5 instructions", "for the exchange between lanes"},
        ByHand{"shuffle", "through_shared", {}, "20 instructions"},
        // Sums of 8 lanes take three rounds, and one to hand out the sum.
        ByHand{"shuffle", "segments", {{"group", "8"}}, "4 instructions"},
        // Three stores of 4 bytes, 16 bytes apart: 16 sectors each for 32 vertices, and colour.
        ByHand{"waves", "one_store", {}, "16 bytes"}));

struct CountByHand {
    const char* lab;
    const char* variant;
    std::map<std::string, std::string> values;
    std::uint64_t (*count)(const trace::Totals&);
    std::uint64_t by_hand;
};

std::uint64_t load_sectors(const trace::Totals& totals)
{
    return totals.global_load.sectors;
}
std::uint64_t shared_loads(const trace::Totals& totals)
{
    return totals.shared_load.wavefronts;
}

TEST(HandComputed, TotalsBehindHeadlines)
{
    WindowFixture& room = window_fixture();
    for (const CountByHand& one : {
             CountByHand{
                 "heat", "naive", {{"size", "512"}}, load_sectors, 512 * (79 + 79 + 3 * 64)},
             {"heat", "shared_tile", {{"size", "512"}}, load_sectors, 104 * 512},
             {"coalescing",
              "unpitched",
              {{"size", "1023"}},
              load_sectors,
              2 * (128 * 128 + 127 * 159 + 768 * 160)},
             {"transpose", "tile", {{"size", "512"}}, shared_loads, 512 * 512 / 32 * 32},
         }) {
        room.document().look = {};
        room.open(one.lab, one.variant, one.values);
        const auto& totals = room.frame().of(one.variant).totals;
        ASSERT_TRUE(totals) << one.lab;
        EXPECT_EQ(one.count(*totals), one.by_hand) << one.lab << "/" << one.variant;
    }
}

} // namespace
} // namespace lanescope::test
