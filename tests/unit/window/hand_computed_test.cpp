// Numbers worked out by hand from the kernels and their sizes, against the headline on screen and
// the counts behind it.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <ostream>
#include <string>

#include "app/document/look/subject.h"
#include "app/draw/subjects/cost.h"
#include "tests/unit/window/window_fixture.h"

namespace lanescope::test {
namespace {

using namespace app;

struct ByHand {
    const char* lab;
    const char* variant;
    std::map<std::string, std::string> values;
    const char* headline;
    double exact; // the unrounded value
};

void PrintTo(const ByHand& one, std::ostream* out)
{
    *out << one.lab << "/" << one.variant;
}

// Opens the lab's own view of its cost, as the window does after a key press.
const Frame& opened(const std::string& lab_id, const std::string& variant,
                    const std::map<std::string, std::string>& values)
{
    WindowFixture& room = window_fixture();
    const labs::Lab& lab = labs::find(lab_id);
    room.document().look = {};
    open_on_subject(room.document().look, lab, variant);
    const Look look = room.document().look;
    room.open(lab_id, variant, values);
    room.document().look = look;
    room.apply(ShowSubject{look.subject});
    return room.frame();
}

class HandComputed : public ::testing::TestWithParam<ByHand> {};

TEST_P(HandComputed, HeadlineShowsIt)
{
    const ByHand& one = GetParam();
    opened(one.lab, one.variant, one.values);
    WindowFixture& room = window_fixture();
    const auto cost = cost_of(room.frame().a, room.document().look);
    ASSERT_TRUE(cost);
    EXPECT_EQ(cost->amount(), one.headline) << cost->meaning;
    EXPECT_NEAR(cost->value, one.exact, 1e-3 * one.exact) << cost->meaning;
    EXPECT_TRUE(room.look({1280, 720}).says(one.headline)) << cost->meaning;
}

INSTANTIATE_TEST_SUITE_P(
    Labs, HandComputed,
    ::testing::Values(
        // 79 sectors for the rows above and below, 3 × 64 for the row itself and its neighbours,
        // per row of 512; 79 + 79 + 3 × 64 + 64 stored sectors of 32 bytes over 512 cells.
        ByHand{"heat", "naive", {{"size", "512"}}, "25.9 bytes", 25.875},
        // 104 sectors per block of 512 cells, and 64 stored.
        ByHand{"heat", "shared_tile", {{"size", "512"}}, "10.5 bytes", 10.5},
        // One aligned load and two that are shifted by an element: (4 + 5 + 5) / 3.
        ByHand{"rod", "naive", {}, "4.67 sectors", 14.0 / 3},
        // (128 × 128 + 127 × 159 + 768 × 160) / 32,736 requests of rows of 1,023.
        ByHand{"coalescing", "unpitched", {{"size", "1023"}}, "4.87 sectors", 4.871},
        // 60 × 36 cells in 4 × 5 blocks of 16 × 8.
        ByHand{"hierarchy", "two_axes", {}, "84.4%", 100 * 2160.0 / 2560},
        ByHand{"hierarchy", "three_axes", {}, "70.3%", 70.3125},
        // Only 40 × 36 cells: a swapped block reaches x < 5 × 8.
        ByHand{"hierarchy", "swapped", {}, "56.3%", 100 * 1440.0 / 2560},
        // 3 of 4 blocks per row and 4 of 5 per column: 48 × 32 of 60 × 36 cells.
        ByHand{"hierarchy", "one_block_too_few", {}, "71.1%", 100 * 1536.0 / 2160},
        // 350 of 2,744 warp phases of a 100 × 100 product with tiles of 16.
        ByHand{"divergence", "matrix_edges", {{"matrix", "100"}}, "31.7 of 32 lanes", 31.7},
        // A column of a 32 × 32 tile lies in one bank.
        ByHand{"transpose", "tile", {}, "32 wavefronts", 32},
        // 16 bytes per lane: 512 bytes are 16 sectors.
        ByHand{"transpose", "copy", {}, "16 sectors", 16},
        // 75% of 64 warps: 40 registers allow 6 blocks of 8 warps.
        ByHand{"occupancy", "slots", {}, "75%", 75},
        // 8 blocks of 2 warps of 24.
        ByHand{"occupancy",
               "slots",
               {{"architecture", "G80"}, {"threads", "64"}, {"registers", "10"}, {"shared", "0"}},
               "66.7%",
               100 * 16.0 / 24},
        // Two blocks of 40 KB in 100 KB: 2 × 8 of 48 warps.
        ByHand{
            "occupancy",
            "slots",
            {{"architecture", "Ada"}, {"threads", "256"}, {"registers", "32"}, {"shared", "40960"}},
            "33.3%",
            100 * 16.0 / 48},
        // 4 KiB of the 6.04 KiB that saturate the memory of an H100.
        ByHand{"bytes_in_flight", "two", {}, "66.2%", 100 * 4 / 6.04},
        // Each row of a warp is a sector of its own.
        ByHand{"coalescing", "column_threads", {}, "32 sectors", 32},
        // 32 × 8 bytes apart: 256 bytes.
        ByHand{"coalescing", "strided", {{"stride", "2"}}, "8 sectors", 8},
        // 128 bytes that start 4 bytes into a sector.
        ByHand{"coalescing", "offset", {{"offset", "1"}}, "5 sectors", 5},
        ByHand{"coalescing", "same", {}, "1 sector", 1},
        // A store of a column: every lane in another row.
        ByHand{"transpose", "naive", {}, "32 sectors", 32},
        // Tiles of 16 in a product of 256: each element is loaded by 256 / 16 blocks.
        ByHand{"matmul", "tile_16", {}, "16 loads", 16},
        ByHand{"matmul", "tile_32", {}, "8 loads", 8},
        // One call per generation.
        ByHand{"graph_launches", "launches", {{"generations", "16"}}, "16 calls", 16},
        ByHand{"graph_launches", "graph", {{"generations", "16"}}, "1 call", 1},
        // Every lane reads another word of the table in constant memory, or all lanes the same.
        ByHand{"memory_spaces", "constant_uniform", {}, "1 pass", 1}));

} // namespace
} // namespace lanescope::test
