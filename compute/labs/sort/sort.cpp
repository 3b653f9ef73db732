// Keys and checks for the sort lab. The keys of a picture are its pixels, shuffled: the upper 24
// bits hold the pixel's position, the lower 8 its brightness, so that sorting restores the picture.
#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "compute/experiment/inputs/drawings.h"
#include "compute/experiment/inputs/parallel.h"
#include "compute/experiment/inputs/test_card.h"
#include "compute/experiment/record/named.h"

namespace lanescope::labs::sort {
namespace {

using Key = std::uint32_t;

constexpr int picture = 0; // values of the parameter "keys"
constexpr int random = 1;
constexpr int reversed = 2;

std::vector<Key> pixels(const Scope& scope, std::size_t count)
{
    const std::vector<float> scene = drawn(drawing_named("umbrella"), scope.whole("columns", 1),
                                           scope.whole("lines", 1), scope.seed());
    require_fit(scene.size() >= count, "columns x lines of at least count");
    std::vector<Key> keys(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto place = static_cast<Key>((std::uint64_t{i} << 24) / count);
        keys[i] = place << 8 | static_cast<Key>(std::clamp(255 * scene[i], 0.0F, 255.0F));
    }
    const std::uint64_t stream = scramble(scope.seed());
    for (std::size_t left = count; left > 1; --left)
        std::swap(keys[left - 1], keys[scramble(stream + left) % left]);
    return keys;
}

// Padded with the largest key, which sorts to the end.
Data keys(const Scope& scope, const FillRequest& request)
{
    const std::size_t count = scope.count("count");
    require_fit(request.count() >= count, "at least count keys");
    const int kind = scope.whole("keys", picture, reversed);
    std::vector<Key> all;
    if (kind == picture) {
        all = pixels(scope, count);
    } else {
        all.resize(count);
        const std::uint64_t stream = scramble(scope.seed());
        in_parallel(count, [&](std::size_t i, std::size_t end) {
            for (; i < end; ++i) all[i] = static_cast<Key>(scramble(stream + i));
        });
        if (kind == reversed) std::ranges::sort(all, std::greater{});
    }
    all.resize(request.count(), std::numeric_limits<Key>::max());
    return all;
}

// Sorts on all cores: pieces, then pairs of neighbouring pieces, which are merged.
void sort_in_parallel(std::vector<Key>& keys)
{
    constexpr std::size_t min_piece = 1 << 16;
    const auto at = [&](std::size_t i) {
        return keys.begin() + static_cast<std::ptrdiff_t>(std::min(i, keys.size()));
    };
    std::size_t piece = std::max(min_piece, (keys.size() + cores() - 1) / cores());
    const auto for_each_start = [&](std::size_t length, const auto& work) {
        in_parallel((keys.size() + length - 1) / length, [&](std::size_t i, std::size_t end) {
            for (; i < end; ++i) work(i * length);
        });
    };
    for_each_start(piece, [&](std::size_t i) { std::sort(at(i), at(i + piece)); });
    for (; piece < keys.size(); piece *= 2)
        for_each_start(2 * piece, [&](std::size_t i) {
            std::inplace_merge(at(i), at(i + piece), at(i + 2 * piece));
        });
}

// Keys are compared one by one; those of a sort that was stopped may be in any order.
Check compare(const Scope& scope, std::span<const std::byte> bytes, double)
{
    const std::size_t count = scope.count("count");
    std::vector<Key> want = scope.input_of<Key>("from");
    require_fit(bytes.size() >= count * sizeof(Key) && want.size() >= count,
                "a result of count keys");
    want.resize(count);
    sort_in_parallel(want);
    std::vector<Key> got(count);
    std::memcpy(got.data(), bytes.data(), count * sizeof(Key));
    const bool stopped = scope.number("stop") > 0;
    if (stopped) sort_in_parallel(got);
    const auto wrong = std::ranges::mismatch(got, want).in1 - got.begin();
    if (static_cast<std::size_t>(wrong) == count) return {.correct = true};
    return {.max_error = 1,
            .message = stopped ? std::string("keys were lost or occur more often than before")
                               : fmt::format("key {} is {} instead of {}", wrong, got[wrong],
                                             want[wrong])};
}

const Named<Fill> fill{"sort_keys", {keys}};
const Named<Reference> reference{"sort", {.check = compare}};

} // namespace
} // namespace lanescope::labs::sort
