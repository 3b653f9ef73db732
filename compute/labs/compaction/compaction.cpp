// Generators and checks for the compaction record. Each number encodes its original position; the
// kept numbers are checked in order or in any order.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "compute/experiment/inputs/parallel.h"
#include "compute/experiment/inputs/test_card.h"
#include "compute/experiment/record/named.h"

namespace lanescope::labs::compaction {
namespace {

// Eight random bits, which decide whether the number is kept, above sixteen bits for the original
// position: 0 at the start, 65535 at the end. A float represents them exactly.
Data numbers(const Scope& scope, const FillRequest& request)
{
    const std::size_t size = request.count();
    std::vector<float> all(size);
    const std::uint64_t stream = scramble(scope.seed());
    in_parallel(
        size,
        [&](std::size_t i, std::size_t end) {
            for (; i < end; ++i) {
                const std::uint64_t chance = scramble(stream + i) >> 56;
                const std::uint64_t place = i * 65536 / size;
                all[i] = static_cast<float>(chance * 65536 + place) * 0x1p-24F;
            }
        },
        65536);
    return all;
}

std::vector<float> kept(const Scope& scope)
{
    auto numbers = scope.input_of<float>("from");
    numbers.resize(fitting_count({scope.count("count")}));
    const auto limit = static_cast<float>(scope.number("limit"));
    std::erase_if(numbers, [limit](float number) { return !(number < limit); });
    return numbers;
}

// Returns the number as a multiple of 2^-24, as all inputs are; nullopt for any other number.
std::optional<std::size_t> steps_of(float number)
{
    const float steps = number * 0x1p24F;
    if (!(steps >= 0 && steps < 0x1p24F) || steps != std::floor(steps)) return std::nullopt;
    return static_cast<std::size_t>(steps);
}

// Index of the first element of `got` that is not in `want`, or occurs more often than there;
// got.size() if there is none. Counts instead of sorting: about a second for 2^28 numbers.
std::size_t first_unexpected(std::span<const float> got, std::span<const float> want)
{
    std::vector<std::int32_t> left(std::size_t{1} << 24);
    for (const float number : want) {
        const auto steps = steps_of(number);
        require_fit(steps.has_value(), "numbers that compaction_numbers made");
        ++left[*steps];
    }
    const auto found = std::ranges::find_if(got, [&](float number) {
        const auto steps = steps_of(number);
        return !steps || left[*steps]-- == 0;
    });
    return static_cast<std::size_t>(found - got.begin());
}

// Memory past the kept elements must be untouched: it must still have the one value that it was
// filled with.
Check compare(const Scope& scope, std::span<const std::byte> bytes, bool in_order)
{
    const std::vector<float> want = kept(scope);
    std::vector<float> got(bytes.size() / sizeof(float));
    std::memcpy(got.data(), bytes.data(), got.size() * sizeof(float));
    require_fit(got.size() >= want.size(), "a result of count numbers");
    const std::span<const float> places = std::span(got).first(want.size());
    const std::size_t wrong =
        in_order
            ? static_cast<std::size_t>(std::ranges::mismatch(places, want).in1 - places.begin())
            : first_unexpected(places, want);
    if (wrong < want.size())
        return {.max_error = 1,
                .message =
                    in_order
                        ? fmt::format("element {} is {} instead of {}", wrong, places[wrong],
                                      want[wrong])
                        : fmt::format("element {} is {}, which should not be kept or appears twice",
                                      wrong, places[wrong])};
    const auto unused = std::span(got).subspan(want.size());
    const auto written =
        std::ranges::find_if(unused, [&](float number) { return !(number == got.back()); });
    if (written == unused.end()) return {.correct = true};
    return {.max_error = 1,
            .message = fmt::format("element {} is {}, though only {} are kept",
                                   want.size() + static_cast<std::size_t>(written - unused.begin()),
                                   *written, want.size())};
}

const Named<Fill> fill{"compaction_numbers", {numbers}};
const Named<Reference> any_order{"compaction",
                                 {.check = [](const Scope& scope, std::span<const std::byte> got,
                                              double) { return compare(scope, got, false); }}};
const Named<Reference> same_order{"compaction_ordered",
                                  {.check = [](const Scope& scope, std::span<const std::byte> got,
                                               double) { return compare(scope, got, true); }}};

} // namespace
} // namespace lanescope::labs::compaction
