// Reference for the hierarchy record: the thread that must have written each cell.
#include <map>

#include <fmt/format.h>

#include "compute/experiment/record/named.h"

namespace lanescope::labs::hierarchy {
namespace {

constexpr int warp_lanes = 32;
constexpr int max_block = 1024;
constexpr int max_side = 32768; // its square fits in an int

struct Place {
    int block = 0;
    int thread = 0; // index in its block
};

// With three axes, the slices are stacked vertically in the picture.
Place place_of(const Scope& scope, int axes, int x, int y)
{
    const int width = scope.whole("width", 1, max_side);
    const int block_x = scope.whole("block_x", 1, max_block);
    if (axes == 1) {
        const int threads = scope.whole("threads", 1, max_side);
        const int thread = y * width + x;
        return {thread / threads % scope.whole("blocks", 1), thread % threads};
    }
    const int block_y = scope.whole(axes == 3 ? "block_y2" : "block_y", 1, max_block);
    const int block_z = axes == 3 ? 2 : 1;
    const int rows = scope.whole(axes == 3 ? "slice" : "height", 1, max_side);
    const int z = y / rows;
    const int row = y % rows;
    const int blocks_x = (width + block_x - 1) / block_x;
    const int blocks_y = (rows + block_y - 1) / block_y;
    return {((z / block_z) * blocks_y + row / block_y) * blocks_x + x / block_x,
            ((z % block_z) * block_y + row % block_y) * block_x + x % block_x};
}

std::vector<double> numbers_of(const Place& place)
{
    return {double(place.block), double(place.thread), double(place.thread / warp_lanes),
            double(place.thread % warp_lanes)};
}

std::vector<double> cells(const Scope& scope)
{
    const int axes = scope.whole("axes");
    const int rows = scope.whole("rows", 0, max_side);
    const int width = scope.whole("width", 0, max_side);
    std::vector<double> all;
    all.reserve(fitting_count({scope.count("rows"), scope.count("width"), 4}));
    for (int y = 0; y < rows; ++y)
        for (int x = 0; x < width; ++x) {
            const auto numbers = numbers_of(place_of(scope, axes, x, y));
            all.insert(all.end(), numbers.begin(), numbers.end());
        }
    return all;
}

// The device is free to choose the multiprocessor, but all threads of a block must have the same.
Check on_multiprocessors(const Scope& scope, std::span<const std::byte> got, double tolerance)
{
    constexpr std::size_t layers = 5;
    std::vector<std::int32_t> numbers(got.size() / sizeof(std::int32_t));
    std::memcpy(numbers.data(), got.data(), numbers.size() * sizeof(std::int32_t));
    const int width = scope.whole("width", 1, max_side);
    require_fit(numbers.size() % layers == 0 &&
                    numbers.size() / layers <= std::numeric_limits<int>::max(),
                "a result with five numbers per cell");
    std::map<int, int> home;
    Check check{.max_error = 0, .tolerance = tolerance, .correct = true, .message = ""};
    for (std::size_t cell = 0; layers * cell < numbers.size(); ++cell) {
        const std::int32_t* const found = numbers.data() + layers * cell;
        const int x = static_cast<int>(cell) % width;
        const int y = static_cast<int>(cell) / width;
        const Place place = place_of(scope, 2, x, y);
        const auto wanted = numbers_of(place);
        const int sm = found[layers - 1];
        const bool same = std::equal(wanted.begin(), wanted.end(), found);
        if (same && sm >= 0 && sm < scope.whole("multiprocessors") &&
            home.emplace(place.block, sm).first->second == sm)
            continue;
        return {.max_error = 1,
                .tolerance = tolerance,
                .correct = false,
                .message = fmt::format("cell ({}, {}): block {}, thread {}, multiprocessor {}", x,
                                       y, found[0], found[1], sm)};
    }
    return check;
}

const Named<Reference> cells_reference{"hierarchy_cells", {.result = cells}};
const Named<Reference> multiprocessors_reference{"hierarchy_on_multiprocessors",
                                                 {.check = on_multiprocessors}};

} // namespace
} // namespace lanescope::labs::hierarchy
