// Looks up what the labs registered, and defines the fills available to every record.
#include "compute/experiment/record/named.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "compute/experiment/inputs/drawings.h"
#include "compute/experiment/inputs/memory_limit.h"
#include "compute/experiment/inputs/parallel.h"
#include "compute/experiment/inputs/test_card.h"

namespace lanescope::labs {
namespace {

template <class T>
const T& find_named(std::string_view what, std::string_view name, std::string_view where)
{
    const auto& all = all_named<T>();
    if (const auto found = all.find(name); found != all.end()) return found->second;
    std::string known;
    for (const auto& [one, thing] : all) known += (known.empty() ? "" : ", ") + one;
    throw Error(ExitStatus::bad_usage,
                fmt::format("{}: there is no {} named '{}'.", where, what, name),
                fmt::format("Available: {}. Only in text: {{\"each\": …}}.", known));
}

std::uint64_t seed_of(const Scope& scope, const FillRequest& request)
{
    return scope.seed() + static_cast<std::uint64_t>(request.whole_option("seed", 0));
}

// Options: columns and rows, by default the first two extents; pitch between rows; scale; seed,
// which is added to the run's. `drawing` null: the test card.
Data make_scene(const Scope& scope, const FillRequest& request, const Drawing* drawing)
{
    constexpr std::int64_t max_extent = std::numeric_limits<int>::max();
    const std::int64_t columns =
        request.whole_option("columns", request.extents.at(0), 1, max_extent);
    const std::int64_t rows = request.whole_option(
        "rows", request.extents.size() > 1 ? request.extents[1] : 1, 1, max_extent);
    const std::int64_t pitch = request.whole_option("pitch", columns, columns, max_extent);
    const std::size_t count =
        fitting_count({static_cast<std::size_t>(pitch), static_cast<std::size_t>(rows)});
    const auto scale = static_cast<float>(request.option("scale", 1));
    std::vector<float> card = drawing ? drawn(*drawing, static_cast<int>(columns),
                                              static_cast<int>(rows), seed_of(scope, request))
                                      : test_card(static_cast<int>(columns), static_cast<int>(rows),
                                                  seed_of(scope, request));
    if (scale != 1)
        for (float& element : card) element *= scale;
    if (pitch == columns) return as_elements(request.type, std::move(card));
    std::vector<float> padded(count);
    for (std::int64_t y = 0; y < rows; ++y)
        std::copy_n(card.begin() + y * columns, columns, padded.begin() + y * pitch);
    return as_elements(request.type, std::move(padded));
}

Data make_test_card(const Scope& scope, const FillRequest& request)
{
    return make_scene(scope, request, nullptr);
}

// Numbers in [low, high), each determined by its index and the seed.
Data make_random(const Scope& scope, const FillRequest& request)
{
    const double low = request.option("low", 0);
    const double range = request.option("high", 1) - low;
    std::vector<float> numbers(request.count());
    const std::uint64_t stream = scramble(seed_of(scope, request));
    in_parallel(
        numbers.size(),
        [&](std::size_t i, std::size_t end) {
            for (; i < end; ++i)
                numbers[i] = static_cast<float>(low + range * scrambled_unit(stream + i));
        },
        65536);
    return as_elements(request.type, std::move(numbers));
}

// Evenly spaced from low to just below high.
Data make_ramp(const Scope&, const FillRequest& request)
{
    const double low = request.option("low", 0);
    std::vector<float> numbers(request.count());
    const double step = (request.option("high", 1) - low) / static_cast<double>(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<float>(low + step * static_cast<double>(i));
    return as_elements(request.type, std::move(numbers));
}

// A wave from low to high, with "cycles" periods.
Data make_wave(const Scope&, const FillRequest& request)
{
    const double low = request.option("low", 0);
    const double half = (request.option("high", 1) - low) / 2;
    std::vector<float> numbers(request.count());
    const double turn =
        2 * std::acos(-1.0) * request.option("cycles", 2) / static_cast<double>(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<float>(low + half * (1 + std::sin(turn * static_cast<double>(i))));
    return as_elements(request.type, std::move(numbers));
}

// Default picture: the test card, redder to the right and bluer upwards.
Rgba8Image coloured_card(int width, int height, std::uint64_t seed)
{
    const std::vector<float> card = test_card(width, height, seed);
    Rgba8Image image{width, height, std::vector<std::uint8_t>(card.size() * 4)};
    for (std::size_t i = 0; i < card.size(); ++i) {
        const float u = static_cast<float>(i % width) / static_cast<float>(width);
        const float v = static_cast<float>(i / width) / static_cast<float>(height);
        const float rgb[] = {card[i] * (0.4F + 0.6F * u), card[i] * 0.9F,
                             card[i] * (0.3F + 0.7F * v)};
        for (int c = 0; c < 3; ++c)
            image.pixels[4 * i + c] = static_cast<std::uint8_t>(std::min(rgb[c], 1.0F) * 255);
        image.pixels[4 * i + 3] = 255;
    }
    return image;
}

// The user's picture, or else a coloured test card. Options: channels; columns and rows in pixels,
// by default those of the extents.
Data make_image(const Scope& scope, const FillRequest& request)
{
    const Rgba8Image& picture = scope.kept<Rgba8Image>("picture", [&] {
        constexpr int side = 512;
        return scope.image().empty() ? coloured_card(side, side, scope.seed())
                                     : read_image(scope.image());
    });
    return image_elements(picture, request);
}

Data make_permutation(const Scope& scope, const FillRequest& request)
{
    const std::size_t count = request.count();
    require_fit(count <= std::numeric_limits<int>::max(), "at most 2^31 - 1 elements");
    std::vector<int> order(count);
    std::iota(order.begin(), order.end(), 0);
    const std::uint64_t stream = scramble(seed_of(scope, request));
    for (int i = static_cast<int>(order.size()) - 1; i > 0; --i)
        std::swap(order[i], order[scramble(stream + i) % (i + 1)]);
    return order;
}

const Named<Fill> test_card_fill{"test_card", {make_test_card}};
const std::vector<Named<Fill>> drawing_fills = [] {
    std::vector<Named<Fill>> all;
    for (const Drawing& drawing : drawings())
        all.emplace_back(drawing.name,
                         Fill{[&drawing](const Scope& scope, const FillRequest& request) {
                             return make_scene(scope, request, &drawing);
                         }});
    return all;
}();
const Named<Fill> random_fill{"random", {make_random}};
const Named<Fill> ramp_fill{"ramp", {make_ramp}};
const Named<Fill> wave_fill{"wave", {make_wave}};
const Named<Fill> image_fill{"image", {make_image}};
const Named<Fill> permutation_fill{"permutation", {make_permutation}};

} // namespace

Data as_elements(ElementType type, std::vector<float> numbers)
{
    if (type.element == Element::f32) return numbers;
    const auto [low, high] = range_of(type);
    std::vector<double> fitting(numbers.begin(), numbers.end());
    if (!type.is_real())
        for (double& number : fitting) number = std::clamp(std::floor(number), low, high);
    return bytes_of(type, fitting);
}

Data image_elements(const Rgba8Image& picture, const FillRequest& request)
{
    const ElementType type = request.type;
    const bool whole_pixels = type.bytes == 4 && !type.is_real();
    const auto count = static_cast<std::int64_t>(request.count());
    const std::int64_t channels =
        whole_pixels ? 4 : request.whole_option("channels", 1, 1, std::max<std::int64_t>(count, 1));
    const std::int64_t pixels = whole_pixels ? count : count / channels;
    const bool channels_first =
        !whole_pixels && channels > 1 && request.extents.front() == channels;
    const std::int64_t shown = whole_pixels || channels == 1 ? request.extents.front()
                               : channels_first && request.extents.size() > 1
                                   ? request.extents[1]
                                   : request.extents.front() / channels;
    const std::int64_t columns = std::clamp<std::int64_t>(request.whole_option("columns", shown), 1,
                                                          std::max<std::int64_t>(pixels, 1));
    const std::int64_t rows = std::max<std::int64_t>(pixels / columns, 1);
    const auto pixel = [&](std::int64_t i) {
        const std::int64_t x = i % columns * picture.width / columns;
        const std::int64_t y = std::min(i / columns, rows - 1) * picture.height / rows;
        return &picture.pixels[4 * (y * picture.width + x)];
    };
    if (whole_pixels) {
        std::vector<std::uint8_t> all(4 * count);
        for (std::int64_t i = 0; i < pixels; ++i) std::copy_n(pixel(i), 4, all.begin() + 4 * i);
        return all;
    }
    const double max = type.is_real() ? 255 : 1;
    std::vector<float> all(count);
    for (std::int64_t i = 0; i < pixels; ++i) {
        const std::uint8_t* const rgba = pixel(i);
        if (channels == 1)
            all[i] =
                static_cast<float>((0.299 * rgba[0] + 0.587 * rgba[1] + 0.114 * rgba[2]) / max);
        else
            for (std::int64_t c = 0; c < std::min<std::int64_t>(channels, 4); ++c)
                all[i * channels + c] = static_cast<float>(rgba[c] / max);
    }
    return as_elements(type, std::move(all));
}

void require_fit(bool fits, const std::string& needed)
{
    if (!fits) throw std::out_of_range("it needs " + needed);
}

std::size_t fitting_count(std::initializer_list<std::size_t> extents)
{
    const std::size_t max_elements = memory_limit() / sizeof(double);
    std::size_t count = 1;
    for (const std::size_t extent : extents) {
        require_fit(extent == 0 || count <= max_elements / extent,
                    "more than half of this machine's memory");
        count *= extent;
    }
    return count;
}

namespace {

template <class Whole>
Whole cut_off(std::string_view name, double number, Whole min, Whole max)
{
    // This form of the condition also refuses NaN.
    if (!(std::trunc(number) >= static_cast<double>(min) &&
          std::trunc(number) <= static_cast<double>(max)))
        throw std::out_of_range(
            fmt::format("{} is {}, where {} to {} is needed", name, number, min, max));
    return static_cast<Whole>(number);
}

} // namespace

int Scope::whole(std::string_view name, int min, int max) const
{
    return cut_off(name, number(name), min, max);
}

std::int64_t FillRequest::whole_option(std::string_view name, std::int64_t otherwise,
                                       std::int64_t min, std::int64_t max) const
{
    const auto found = options.find(name);
    return cut_off(name, found == options.end() ? static_cast<double>(otherwise) : found->second,
                   min, max);
}

std::size_t FillRequest::count() const
{
    std::size_t all = 1;
    for (const std::int64_t extent : extents) all *= static_cast<std::size_t>(extent);
    return all;
}

bool Scope::has(std::string_view name) const
{
    try {
        number(name);
        return true;
    } catch (const std::out_of_range&) {
        return false;
    }
}

const Fill& find_fill(std::string_view name, std::string_view where)
{
    return find_named<Fill>("fill", name, where);
}

const Reference& find_reference(std::string_view name, std::string_view where)
{
    return find_named<Reference>("reference", name, where);
}

const Computed& find_computed(std::string_view name, std::string_view where)
{
    return find_named<Computed>("computed number", name, where);
}

} // namespace lanescope::labs
