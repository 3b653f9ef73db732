// Tables of the colour maps, read once from the embedded JSON.
#include "render/views/colours/colour_maps.h"

#include <glm/common.hpp>
#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "assets/assets.h"

namespace lanescope::render {
namespace {

using Table = std::array<Colour, 256>;
constexpr std::array<std::string_view, all_colour_maps.size()> names{
    "viridis", "inferno", "plasma", "cividis", "excess", "shortfall", "levels", "grey"};

double to_linear(double srgb)
{
    return srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4);
}
double to_srgb(double linear)
{
    return linear <= 0.0031308 ? linear * 12.92 : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

// Conversion to and from OKLab: B. Ottosson, "A perceptual color space for image processing", 2020.
const glm::dmat3 cones_from_rgb{{0.4122214708, 0.2119034982, 0.0883024619},
                                {0.5363325363, 0.6806995451, 0.2817188376},
                                {0.0514459929, 0.1073969566, 0.6299787005}};
const glm::dmat3 lab_from_cones{{0.2104542553, 1.9779984951, 0.0259040371},
                                {0.7936177850, -2.4285922050, 0.7827717662},
                                {-0.0040720468, 0.4505937099, -0.8086757660}};

glm::dvec3 to_lab(std::string_view hex)
{
    const auto rgb = std::stoul(std::string(hex.substr(1)), nullptr, 16);
    const glm::dvec3 linear{to_linear(static_cast<double>(rgb >> 16 & 255) / 255),
                            to_linear(static_cast<double>(rgb >> 8 & 255) / 255),
                            to_linear(static_cast<double>(rgb & 255) / 255)};
    const glm::dvec3 cones = cones_from_rgb * linear;
    return lab_from_cones * glm::dvec3(std::cbrt(cones.x), std::cbrt(cones.y), std::cbrt(cones.z));
}

Colour from_lab(const glm::dvec3& lab)
{
    const glm::dvec3 root = glm::inverse(lab_from_cones) * lab;
    const glm::dvec3 linear = glm::inverse(cones_from_rgb) * (root * root * root);
    const auto byte = [](double value) {
        return static_cast<std::uint8_t>(
            std::lround(255 * to_srgb(std::min(std::max(value, 0.0), 1.0))));
    };
    return {byte(linear.x), byte(linear.y), byte(linear.z)};
}

// Interpolates the control points with a cubic (Catmull–Rom) in OKLab.
Table interpolate(const std::vector<std::string>& hexes)
{
    std::vector<glm::dvec3> points;
    for (const auto& hex : hexes) points.push_back(to_lab(hex));
    const auto point = [&](std::ptrdiff_t i) {
        const auto last = static_cast<std::ptrdiff_t>(points.size()) - 1;
        // Extrapolates linearly past the ends.
        if (i < 0) return 2.0 * points[0] - points[1];
        if (i > last)
            return 2.0 * points[static_cast<std::size_t>(last)] -
                   points[static_cast<std::size_t>(last - 1)];
        return points[static_cast<std::size_t>(i)];
    };
    Table table;
    for (std::size_t i = 0; i < table.size(); ++i) {
        const double place =
            static_cast<double>(i) / 255.0 * static_cast<double>(points.size() - 1);
        const auto segment = std::min(static_cast<std::ptrdiff_t>(place),
                                      static_cast<std::ptrdiff_t>(points.size()) - 2);
        const double t = place - static_cast<double>(segment);
        const glm::dvec3 a = point(segment - 1), b = point(segment), c = point(segment + 1),
                         d = point(segment + 2);
        table[i] = from_lab(
            b + 0.5 * t *
                    (c - a + t * (2.0 * a - 5.0 * b + 4.0 * c - d + t * (3.0 * (b - c) + d - a))));
    }
    return table;
}

const std::array<Table, names.size()>& tables()
{
    static const auto all = [] {
        const auto json = nlohmann::json::parse(assets::find("assets/colour_maps.json").value());
        std::array<Table, names.size()> made;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (names[i] == name(ColourMap::shortfall)) continue;
            made[i] = interpolate(json.at(std::string(names[i])).get<std::vector<std::string>>());
        }
        const Table& excess = made[static_cast<std::size_t>(ColourMap::excess)];
        std::ranges::reverse_copy(excess,
                                  made[static_cast<std::size_t>(ColourMap::shortfall)].begin());
        return made;
    }();
    return all;
}

} // namespace

std::string_view name(ColourMap map)
{
    return names[static_cast<std::size_t>(map)];
}

std::span<const Colour, 256> colours(ColourMap map)
{
    return tables()[static_cast<std::size_t>(map)];
}

Colour colour_at(ColourMap map, float position)
{
    if (std::isnan(position)) return {255, 0, 255};
    const float clamped = std::min(std::max(position, 0.0f), 1.0f);
    return colours(map)[static_cast<std::size_t>(clamped * 255.0f + 0.5f)];
}

Colour mixed_levels(double first, double second, double third)
{
    const auto map = colours(ColourMap::levels);
    const auto mixed = [&](std::uint8_t Colour::*part) {
        return static_cast<std::uint8_t>(std::lround(
            first * map.front().*part + second * map[127].*part + third * map.back().*part));
    };
    return {mixed(&Colour::red), mixed(&Colour::green), mixed(&Colour::blue)};
}

} // namespace lanescope::render
