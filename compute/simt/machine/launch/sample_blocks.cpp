// The spread blocks are drawn one per stretch of the grid, so that no region is left out, and at
// random within it, so that no period of the grid matches theirs.
#include "compute/simt/machine/launch/sample_blocks.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lanescope::simt {

namespace {

constexpr std::uint64_t min_spread = 64;
constexpr std::uint64_t max_spread = 2048;
constexpr std::uint64_t one_in = 50;
constexpr int blocks_per_edge = 8; // per side of each dimension

// SplitMix64: the same numbers with every compiler.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t below(std::uint64_t end)
    {
        state_ += 0x9E3779B97F4A7C15U;
        std::uint64_t bits = state_;
        bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
        return (bits ^ (bits >> 31)) % end;
    }

private:
    std::uint64_t state_;
};

using Coordinates = std::array<std::uint64_t, 3>; // x, y, z

class Chooser {
public:
    Chooser(const Dim3& grid, std::uint64_t seed) : size_{grid.x, grid.y, grid.z}, random_(seed) {}

    void add_corners()
    {
        for (unsigned corner = 0; corner < 8; ++corner) {
            Coordinates at{};
            for (std::size_t d = 0; d < 3; ++d) at[d] = (corner >> d & 1u) != 0 ? size_[d] - 1 : 0;
            add(at);
        }
    }
    void add_edges()
    {
        for (std::size_t d = 0; d < 3; ++d) {
            if (size_[d] == 1) continue;
            for (const std::uint64_t side : {std::uint64_t{0}, size_[d] - 1})
                for (int i = 0; i < blocks_per_edge; ++i) {
                    Coordinates at{};
                    for (std::size_t other = 0; other < 3; ++other)
                        at[other] = other == d ? side : random_.below(size_[other]);
                    add(at);
                }
        }
    }
    void add_spread()
    {
        const std::uint64_t blocks = size_[0] * size_[1] * size_[2];
        std::vector<std::uint64_t> steps; // to the next block in x, y and z
        if (size_[0] > 1) steps.push_back(1);
        if (size_[1] > 1) steps.push_back(size_[0]);
        if (size_[2] > 1) steps.push_back(size_[0] * size_[1]);
        const std::uint64_t pairs = std::clamp(blocks / one_in, min_spread, max_spread) / 2;
        const std::uint64_t stretch = blocks / pairs;
        for (std::uint64_t i = 0; i < pairs; ++i) {
            const std::uint64_t begin = i * stretch;
            const std::uint64_t length = i + 1 == pairs ? blocks - begin : stretch;
            const std::uint64_t block = begin + random_.below(length);
            chosen_.push_back(block);
            chosen_.push_back((block + steps[i % steps.size()]) % blocks);
        }
    }
    std::vector<std::uint64_t> chosen()
    {
        std::ranges::sort(chosen_);
        const auto repeated = std::ranges::unique(chosen_);
        chosen_.erase(repeated.begin(), repeated.end());
        return std::move(chosen_);
    }

private:
    void add(const Coordinates& at)
    {
        chosen_.push_back(at[0] + size_[0] * (at[1] + size_[1] * at[2]));
    }

    Coordinates size_;
    Random random_;
    std::vector<std::uint64_t> chosen_;
};

} // namespace

std::vector<std::uint64_t> sample_blocks(const Dim3& grid, std::uint64_t seed)
{
    Chooser chooser(grid, seed);
    chooser.add_corners();
    chooser.add_edges();
    chooser.add_spread();
    return chooser.chosen();
}

} // namespace lanescope::simt
