// Generator for coalescing's record: pixels of several numbers each, interleaved or array by array.
#include "compute/experiment/inputs/drawings.h"
#include "compute/experiment/inputs/test_card.h"
#include "compute/experiment/record/named.h"

namespace lanescope::labs::coalescing {
namespace {

constexpr int components_per_pixel = 8;

// The first three numbers, and hence their mean, are brightness plus
// noise; the others are only noise.
float pixel_component(const std::vector<float>& card, std::size_t pixel, int number,
                      std::uint64_t seed)
{
    const double grain = scrambled_unit(scramble(seed) + pixel * components_per_pixel + number);
    return number < 3 ? static_cast<float>(0.8 * card[pixel] + 0.2 * grain)
                      : static_cast<float>(grain);
}

// Options: `numbers` per pixel stored together, or `arrays` stored one after another.
Data pixels(const Scope& scope, const FillRequest& request)
{
    const int size = scope.whole("size", 1);
    const auto numbers = static_cast<std::size_t>(request.whole_option("numbers", 0));
    const auto arrays = static_cast<std::size_t>(request.whole_option("arrays", 0));
    fitting_count({scope.count("size"), scope.count("size"), numbers + arrays});
    const std::vector<float> card = drawn(drawing_named("cat"), size, size, scope.seed());
    std::vector<float> all(card.size() * (numbers + arrays));
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::size_t pixel = numbers ? i / numbers : i % card.size();
        const std::size_t number = numbers ? i % numbers : i / card.size();
        all[i] = pixel_component(card, pixel, static_cast<int>(number), scope.seed());
    }
    return all;
}

const Named<Fill> pixel_fill{"coalescing_pixels", {pixels}};

} // namespace
} // namespace lanescope::labs::coalescing
