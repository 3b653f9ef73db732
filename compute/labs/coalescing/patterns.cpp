// Building inputs, and walking them the slow way.
#include "compute/labs/coalescing/patterns.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "compute/labs/test_card.h"

namespace lanescope::labs::coalescing {
namespace {

constexpr int numbers_in_pixel = 8;

bool adds_matrices(const Pattern& pattern)
{
    return pattern.variant == "pitched" || pattern.variant == "unpitched";
}

std::vector<float> padded(const std::vector<float>& rows, int width, int pitch)
{
    std::vector<float> matrix(rows.size() / width * pitch);
    for (std::size_t y = 0; y < rows.size() / width; ++y)
        std::copy_n(rows.begin() + y * width, width, matrix.begin() + y * pitch);
    return matrix;
}

std::vector<int> permutation(int count, std::uint64_t seed)
{
    std::vector<int> order(count);
    std::iota(order.begin(), order.end(), 0);
    const std::uint64_t stream = scramble(seed);
    for (int i = count - 1; i > 0; --i) std::swap(order[i], order[scramble(stream + i) % (i + 1)]);
    return order;
}

// Red is the picture itself, so that brightness shows it; the rest is a grain.
float number_of_pixel(const std::vector<float>& card, std::size_t pixel, int number,
                      std::uint64_t seed)
{
    const double grain = scrambled_unit(scramble(seed) + pixel * numbers_in_pixel + number);
    return number < 3 ? static_cast<float>(0.8 * card[pixel] + 0.2 * grain)
                      : static_cast<float>(grain);
}

} // namespace

Inputs make_inputs(const Pattern& pattern)
{
    Inputs inputs;
    const std::vector<float> card = test_card(pattern.size, pattern.size, pattern.seed);
    if (adds_matrices(pattern)) {
        const std::vector<float> other = test_card(pattern.size, pattern.size, pattern.seed + 1);
        inputs.first = padded(card, pattern.size, pattern.pitch());
        inputs.second = padded(other, pattern.size, pattern.pitch());
        for (auto* matrix : {&inputs.first, &inputs.second})
            for (float& element : *matrix) element *= 0.5F;
    } else if (pattern.variant == "array_of_structures") {
        inputs.first.resize(card.size() * numbers_in_pixel);
        for (std::size_t i = 0; i < inputs.first.size(); ++i)
            inputs.first[i] =
                number_of_pixel(card, i / numbers_in_pixel, i % numbers_in_pixel, pattern.seed);
    } else if (pattern.variant == "structure_of_arrays") {
        inputs.first.resize(card.size() * 3);
        for (std::size_t i = 0; i < inputs.first.size(); ++i)
            inputs.first[i] = number_of_pixel(card, i % card.size(),
                                              static_cast<int>(i / card.size()), pattern.seed);
    } else {
        inputs.first = card;
        // A stride that does not divide the picture, and an offset, lead past its end.
        inputs.first.resize(card.size() + std::max(largest_stride, largest_offset));
        if (pattern.variant == "random")
            inputs.order = permutation(pattern.elements(), pattern.seed);
    }
    return inputs;
}

std::vector<double> reference(const Pattern& pattern, const Inputs& inputs)
{
    const auto count = static_cast<std::size_t>(pattern.elements());
    const std::vector<float>& from = inputs.first;
    std::vector<double> to(static_cast<std::size_t>(pattern.pitch()) * pattern.size);
    if (adds_matrices(pattern)) {
        for (std::size_t i = 0; i < to.size(); ++i)
            to[i] = static_cast<double>(from[i]) + inputs.second[i];
        return to;
    }
    const std::size_t rows = (count + pattern.stride - 1) / pattern.stride;
    for (std::size_t i = 0; i < count; ++i) {
        if (pattern.variant == "strided")
            to[i] = from[i % rows * pattern.stride + i / rows];
        else if (pattern.variant == "offset")
            to[i] = from[i + pattern.offset];
        else if (pattern.variant == "random")
            to[i] = from[inputs.order[i]];
        else if (pattern.variant == "same")
            to[i] = from[i / 32];
        else if (pattern.variant == "array_of_structures")
            to[i] = 0.299 * from[8 * i] + 0.587 * from[8 * i + 1] + 0.114 * from[8 * i + 2];
        else if (pattern.variant == "structure_of_arrays")
            to[i] = 0.299 * from[i] + 0.587 * from[count + i] + 0.114 * from[2 * count + i];
        else
            to[i] = from[i];
    }
    return to;
}

double least_bytes(const Pattern& pattern)
{
    const double count = pattern.elements();
    if (adds_matrices(pattern) || pattern.variant == "random") return 12 * count;
    if (pattern.variant == "array_of_structures" || pattern.variant == "structure_of_arrays")
        return 16 * count;
    if (pattern.variant == "same") return 4 * count + count / 8;
    return 8 * count;
}

} // namespace lanescope::labs::coalescing
