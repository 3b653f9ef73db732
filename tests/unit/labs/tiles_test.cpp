// Data of the tile view: the elements that one block loads and stores, recorded as its instructions
// execute.
#include <gtest/gtest.h>

#include "compute/simt/simt_device.h"
#include "tests/unit/labs/check_labs.h"

namespace lanescope::labs {
namespace {

using Watched = trace::WatchedBlock;

// Makes one step and returns the accesses of block `block`; its load `moment` is the current one.
Watched watched(std::string_view lab_id, std::string_view variant_id, const char* size,
                std::uint64_t block, std::uint32_t moment)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const Lab& lab = find(lab_id);
    const auto experiment = lab.start({.device = *device,
                                       .shown = shown,
                                       .lab = lab,
                                       .variant = find_variant(lab, variant_id),
                                       .values = values_of(lab, {{"size", size}}),
                                       .seed = 1,
                                       .image = {}});
    const Picture picture = experiment->picture("tiles");
    trace::Trace trace;
    trace.watched_block.block = block;
    trace.watched_block.moment = moment;
    for (const Tiles::Array& array : std::get<TilesPicture>(picture).tiles->arrays)
        trace.watched_block.arrays.push_back(
            {.address = array.memory->address() + array.offset_bytes,
             .bytes = static_cast<std::uint64_t>(array.width) * array.height * array.element_bytes,
             .element_bytes = array.element_bytes,
             .elements = {},
             .launch_loads = 0});
    experiment->step(&trace);
    return trace.watched_block;
}

// 48 × 48 elements in tiles of 16: block (2, 1) reads A's rows and B's columns 16 at a time.
TEST(Tiles, ShowCurrentReadsOfBlock)
{
    constexpr std::uint32_t n = 48;
    const Watched seen = watched("matmul", "tile_16", "48", 1 * 3 + 2, 1);
    EXPECT_EQ(seen.moments, 3u);
    for (std::uint32_t row = 0; row < n; ++row)
        for (std::uint32_t column = 0; column < n; ++column) {
            const std::size_t at = row * n + column;
            const bool in_rows = row / 16 == 1;
            const bool in_columns = column / 16 == 2;
            const std::uint32_t expected_a =
                in_rows ? 1 | (column / 16 == 1 ? Watched::now : 0) : 0;
            const std::uint32_t expected_b =
                in_columns ? 1 | (row / 16 == 1 ? Watched::now : 0) : 0;
            EXPECT_EQ(seen.arrays[0].elements[at], expected_a) << row << ", " << column;
            EXPECT_EQ(seen.arrays[1].elements[at], expected_b) << row << ", " << column;
            EXPECT_EQ(seen.arrays[2].elements[at], in_rows && in_columns ? Watched::stored : 0);
        }
    // Over all blocks, each element is loaded three times: once per tile in its row or column.
    EXPECT_EQ(seen.arrays[0].launch_loads, 3 * n * n);
    EXPECT_EQ(seen.arrays[1].launch_loads, 3 * n * n);
    EXPECT_EQ(seen.arrays[2].launch_loads, 0u);
}

// A request loads an element once, however many lanes read it.
TEST(Tiles, CountRequestsNotLanes)
{
    const Watched seen = watched("matmul", "naive", "64", 0, 0);
    const auto loads = [&](std::size_t array, std::size_t element) {
        return seen.arrays[array].elements[element] & Watched::count;
    };
    EXPECT_EQ(loads(0, 5), 1u);          // A: once, by the warp of its row
    EXPECT_EQ(loads(1, 3 * 64 + 7), 8u); // B: by each of the block's eight warps
    EXPECT_EQ(loads(1, 3 * 64 + 32), 0u);
    EXPECT_EQ(seen.arrays[0].launch_loads, 64u * 64 * (64 / 32));
    EXPECT_EQ(seen.arrays[1].launch_loads, 64u * 64 * 64);
}

TEST(Tiles, FourNumbersPerLane)
{
    const Watched seen = watched("matmul", "tuned", "256", 3, 0);
    EXPECT_EQ(seen.arrays[0].launch_loads, 256u * 256 * 2);
    EXPECT_EQ(seen.arrays[1].launch_loads, 256u * 256 * 2);
    for (std::size_t i = 0; i < 256; ++i) // C's last row: the last block stores half
        EXPECT_EQ(seen.arrays[2].elements[255 * 256 + i], i < 128 ? 0 : Watched::stored);
}

} // namespace
} // namespace lanescope::labs
