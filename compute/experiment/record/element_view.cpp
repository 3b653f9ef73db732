// Rows keep their order: the first is at the bottom.
#include "compute/experiment/record/element_view.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace lanescope::labs {
namespace {

constexpr int max_vertices_per_side = 256; // of a surface
constexpr int max_points = 8192;           // of a curve

std::vector<double> numbers_of(const ElementShape& shape, std::span<const std::byte> elements)
{
    const std::size_t count = elements.size() / shape.type.bytes;
    std::vector<double> numbers(count);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = element_at(shape.type, elements, i);
    return numbers;
}

template <class T>
std::vector<std::byte> bytes_from(const std::vector<T>& all)
{
    const auto bytes = std::as_bytes(std::span(all));
    return {bytes.begin(), bytes.end()};
}

// Rounds up to 1, 2 or 5 times a power of ten.
double round_width(double width)
{
    const double power = std::pow(10, std::floor(std::log10(width)));
    for (const double step : {1.0, 2.0, 5.0})
        if (step * power >= width) return step * power;
    return 10 * power;
}

std::vector<float> surface(const ElementShape& shape, const std::vector<double>& numbers,
                           const Range& range)
{
    const ElementCanvas canvas = canvas_of(ViewKind::surface, shape);
    const double longest = std::max(shape.width, shape.height);
    std::vector<float> vertices;
    vertices.reserve(static_cast<std::size_t>(canvas.width) * canvas.height * 4);
    for (int row = 0; row < canvas.height; ++row)
        for (int column = 0; column < canvas.width; ++column) {
            const double across = double(column) / std::max(canvas.width - 1, 1);
            const double along = double(row) / std::max(canvas.height - 1, 1);
            const auto x = static_cast<std::size_t>(across * (shape.width - 1) + 0.5);
            const auto y = static_cast<std::size_t>(along * (shape.height - 1) + 0.5);
            const double number = numbers[y * shape.width + x];
            const double rise =
                std::clamp((number - range.low) / (range.high - range.low), -1.0, 2.0);
            for (const double part : {(2 * across - 1) * shape.width / longest,
                                      (2 * along - 1) * shape.height / longest, 0.5 * rise, number})
                vertices.push_back(static_cast<float>(part));
        }
    return vertices;
}

// With more elements than points: alternates the minimum and maximum of each section.
std::vector<float> curve(const ElementShape& shape, const std::vector<double>& numbers,
                         const Range& range)
{
    const int points = canvas_of(ViewKind::curve, shape).width;
    std::vector<float> vertices;
    vertices.reserve(2 * static_cast<std::size_t>(points));
    for (int i = 0; i < points; ++i) {
        const std::size_t begin = numbers.size() * i / points;
        const std::size_t end = std::max(numbers.size() * (i + 1) / points, begin + 1);
        const auto [smallest, largest] =
            std::minmax_element(numbers.begin() + begin, numbers.begin() + end);
        const double number = i % 2 == 0 ? *smallest : *largest;
        vertices.push_back(static_cast<float>(2.0 * i / std::max(points - 1, 1) - 1));
        vertices.push_back(
            static_cast<float>(2 * (number - range.low) / (range.high - range.low) - 1));
    }
    return vertices;
}

std::vector<std::byte> image(const ElementShape& shape, std::span<const std::byte> elements)
{
    const std::size_t count = static_cast<std::size_t>(shape.width) * shape.height;
    std::vector<std::byte> pixels(4 * count, std::byte{255});
    const bool whole = shape.channels == 1 && (shape.type.bytes == 4 || shape.type.bytes == 3) &&
                       !shape.type.is_real();
    const std::size_t channels = shape.channels;
    for (std::size_t i = 0; i < count; ++i) {
        if (whole) {
            std::copy_n(elements.data() + i * shape.type.bytes, 3, &pixels[4 * i]);
            continue;
        }
        for (std::size_t c = 0; c < 3; ++c) {
            const double number =
                element_at(shape.type, elements, i * channels + std::min(c, channels - 1));
            const double level = shape.type.is_real() ? 255 * number : number;
            pixels[4 * i + c] = static_cast<std::byte>(
                std::isnan(level) ? 0 : static_cast<int>(std::clamp(level, 0.0, 255.0)));
        }
    }
    return pixels;
}

} // namespace

ElementCanvas canvas_of(ViewKind kind, const ElementShape& shape)
{
    ElementCanvas canvas{shape.width, shape.height};
    const std::size_t count = static_cast<std::size_t>(shape.width) * shape.height;
    if (kind == ViewKind::surface) {
        canvas.width = std::min(canvas.width, max_vertices_per_side);
        canvas.height = std::min(canvas.height, max_vertices_per_side);
        canvas.bytes = 16 * static_cast<std::size_t>(canvas.width) * canvas.height;
    } else if (kind == ViewKind::curve) {
        canvas.width = static_cast<int>(std::min<std::size_t>(count, max_points));
        canvas.height = 1;
        canvas.bytes = 8 * static_cast<std::size_t>(canvas.width);
    } else if (kind == ViewKind::image) {
        canvas.bytes = 4 * count;
    } else {
        if (kind == ViewKind::bars) canvas.width = static_cast<int>(count), canvas.height = 1;
        canvas.bytes = 4 * count;
    }
    return canvas;
}

Range range_of_elements(const ElementShape& shape, std::span<const std::byte> elements)
{
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (std::size_t i = 0; i < elements.size() / shape.type.bytes; ++i) {
        const double number = element_at(shape.type, elements, i);
        if (!std::isfinite(number)) continue;
        low = std::min(low, number);
        high = std::max(high, number);
    }
    if (!(low <= high)) return {};
    if (low == high) return low == 0 ? Range{0, 1} : Range{std::min(low, 0.0), std::max(high, 0.0)};
    // Ranges near 0 start at 0; others are covered by ten steps.
    const double step = round_width((high - low) / 10);
    if (low > 0 && low < (high - low) / 2) low = 0;
    return {std::floor(low / step) * step, std::ceil(high / step) * step};
}

std::vector<std::byte> drawn(ViewKind kind, const ElementShape& shape,
                             std::span<const std::byte> elements, Range range)
{
    if (!(range.low < range.high)) range.high = range.low + 1;
    if (kind == ViewKind::image) return image(shape, elements);
    const std::vector<double> numbers = numbers_of(shape, elements);
    if (kind == ViewKind::surface) return bytes_from(surface(shape, numbers, range));
    if (kind == ViewKind::curve) return bytes_from(curve(shape, numbers, range));
    if (kind == ViewKind::bars) {
        std::vector<std::uint32_t> counts(numbers.size());
        for (std::size_t i = 0; i < counts.size(); ++i)
            counts[i] = static_cast<std::uint32_t>(
                std::isnan(numbers[i]) ? 0 : std::clamp(numbers[i], 0.0, 4294967295.0));
        return bytes_from(counts);
    }
    return bytes_from(std::vector<float>(numbers.begin(), numbers.end()));
}

} // namespace lanescope::labs
