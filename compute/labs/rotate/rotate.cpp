// Generator and check for the rotate record: the user's picture or the chart, and the
// valid range of each pixel's colour.
#include <algorithm>

#include <fmt/format.h>

#include "compute/experiment/inputs/parallel.h"
#include "compute/experiment/record/named.h"
#include "compute/labs/rotate/chart.h"

namespace lanescope::labs::rotate {
namespace {

// In the order of the parameter's choices, which the kernels' `mode` follows.
constexpr std::array address_modes{device::AddressMode::border, device::AddressMode::clamp,
                                   device::AddressMode::wrap, device::AddressMode::mirror};

constexpr int max_chart_side = 16384;

const Rgba8Image& source(const Scope& scope)
{
    return scope.kept<Rgba8Image>("rotate_source", [&] {
        if (!scope.image().empty()) return read_image(scope.image());
        const int size = scope.whole("size", 1, max_chart_side);
        fitting_count({scope.count("size"), scope.count("size")});
        return chart(size);
    });
}

Check check(const Scope& scope, std::span<const std::byte> got, double tolerance)
{
    const Rgba8Image& picture = source(scope);
    const int size = scope.whole("size", 1, max_chart_side);
    require_fit(got.size() >= 4 * scope.count("size") * scope.count("size"),
                "a result of size x size pixels");
    const auto last_mode = static_cast<int>(address_modes.size()) - 1;
    const Sampler sampler{
        picture, address_modes.at(static_cast<std::size_t>(scope.whole("mode", 0, last_mode))),
        scope.whole("smooth") ? device::Filter::linear : device::Filter::point,
        scope.whole("texture_unit") != 0};
    const Turn turn{.cosine = static_cast<float>(scope.number("cosine")),
                    .sine = static_cast<float>(scope.number("sine")),
                    .shift = static_cast<float>(scope.number("shift"))};
    // Rounding to a level costs half a level; single-precision blending, and a texture unit's 16
    // bits for filtered bytes, add almost nothing.
    std::vector<Check> row_checks(size, {.max_error = 0, .tolerance = tolerance});
    in_parallel(size, [&](std::size_t begin, std::size_t end) {
        for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y)
            for (int x = 0; x < size; ++x) {
                const std::array<Range, 4> ranges = allowed(sampler, turn, size, size, x, y);
                for (int c = 0; c < 4; ++c) {
                    const auto level = static_cast<double>(std::to_integer<int>(
                        got[4 * (static_cast<std::size_t>(y) * size + x) + c]));
                    const double error =
                        std::max({0.0, ranges[c].low - level, level - ranges[c].high});
                    if (error <= row_checks[y].max_error) continue;
                    row_checks[y].max_error = error;
                    if (error <= tolerance) continue;
                    row_checks[y].message =
                        fmt::format("Channel {} of pixel ({}, {}) is {}, the reference allows "
                                    "{:.2f} to {:.2f}.",
                                    c, x, y, level, ranges[c].low, ranges[c].high);
                }
            }
    });
    Check check = *std::ranges::max_element(row_checks, {}, &Check::max_error); // first of equals
    check.correct = check.max_error <= tolerance;
    return check;
}

const Named<Fill> source_fill{"rotate_source", {[](const Scope& scope, const FillRequest&) -> Data {
                                  return source(scope).pixels;
                              }}};
const Named<Computed> source_width{
    "rotate_source_width", {[](const Scope& scope) -> double { return source(scope).width; }}};
const Named<Computed> source_height{
    "rotate_source_height", {[](const Scope& scope) -> double { return source(scope).height; }}};
const Named<Reference> reference{"rotate", {.check = check}};

} // namespace
} // namespace lanescope::labs::rotate
