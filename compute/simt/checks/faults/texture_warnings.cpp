// Accuses only launches whose coordinates make no sense otherwise: with wrapping, coordinates
// beyond 1 are usual, and small images or few fetches may be a test of the borders.
#include "compute/simt/checks/faults/texture_warnings.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "compute/simt/machine/state/executor.h"

namespace lanescope::simt {

namespace {

constexpr std::array axis_names{"x", "y", "z"};
constexpr int min_texels = 8; // along an axis, for a warning

int texels_along(const TextureData& texture, int axis)
{
    const std::array sizes{texture.image.width, texture.image.height, texture.image.depth};
    return std::max(sizes[static_cast<std::size_t>(axis)], 1);
}

bool repeats(const TextureData& texture, int axis)
{
    const device::AddressMode mode = texture.sampling.address[static_cast<std::size_t>(axis)];
    return mode == device::AddressMode::wrap || mode == device::AddressMode::mirror;
}

} // namespace

void TextureWarnings::note(Axis& axis, float coordinate, bool is_first)
{
    axis.min = is_first ? coordinate : std::min(axis.min, coordinate);
    axis.max = is_first ? coordinate : std::max(axis.max, coordinate);
    axis.whole = axis.whole && coordinate == std::floor(coordinate);
    axis.half = axis.half && coordinate - std::floor(coordinate) == 0.5f;
}

void TextureWarnings::note_value(std::vector<float>& values, float value)
{
    if (values.size() == enough_values) return;
    const auto place = std::ranges::lower_bound(values, value);
    if (place == values.end() || *place != value) values.insert(place, value);
}

void TextureWarnings::fetched(const Executor& x, const Instruction& in, const ImageAccess& access,
                              const TextureData& texture, std::uint32_t lanes)
{
    if (access.cube) return;
    auto known = std::ranges::find_if(fetches_, [&](const Fetches& one) {
        return one.instruction == &in && one.texture == &texture;
    });
    if (known == fetches_.end())
        known = fetches_.insert(
            fetches_.end(),
            {.instruction = &in, .texture = &texture, .dimensions = access.dimensions});
    if (known->count == 0 || x.block->linear < known->block) {
        known->block = x.block->linear;
        known->fault =
            x.fault_at(*x.function, in, *x.warp, lowest_lane(lanes), "texture_coordinates",
                       "reads a texture at coordinates that do not fit it");
    }
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        for (int axis = 0; axis < access.dimensions; ++axis) {
            const float at =
                x.row<const float>(access.coordinates[static_cast<std::size_t>(axis)])[lane];
            note(known->axes[static_cast<std::size_t>(axis)], at, known->count == 0);
            if (axis == 0) note_value(known->values, at);
        }
        ++known->count;
    }
}

void TextureWarnings::add(const TextureWarnings& other)
{
    for (const Fetches& theirs : other.fetches_) {
        const auto mine = std::ranges::find_if(fetches_, [&](const Fetches& one) {
            return one.instruction == theirs.instruction && one.texture == theirs.texture;
        });
        if (mine == fetches_.end()) {
            fetches_.push_back(theirs);
            continue;
        }
        mine->count += theirs.count;
        for (std::size_t i = 0; i < mine->axes.size(); ++i) {
            Axis& axis = mine->axes[i];
            axis.min = std::min(axis.min, theirs.axes[i].min);
            axis.max = std::max(axis.max, theirs.axes[i].max);
            axis.whole = axis.whole && theirs.axes[i].whole;
            axis.half = axis.half && theirs.axes[i].half;
        }
        for (const float value : theirs.values) note_value(mine->values, value);
        if (theirs.block < mine->block) {
            mine->block = theirs.block;
            mine->fault = theirs.fault;
        }
    }
}

// True if the coordinates cover at least half of the image in texels, and none lies outside it.
bool TextureWarnings::has_texel_indices(const Fetches& of)
{
    bool covers = false;
    for (int i = 0; i < of.dimensions; ++i) {
        const Axis& axis = of.axes[static_cast<std::size_t>(i)];
        const auto texels = static_cast<float>(texels_along(*of.texture, i));
        if (!(axis.min >= -1 && axis.max <= texels)) return false;
        // A repeated image is the same at all integers, so only those make no sense.
        if (repeats(*of.texture, i) && !axis.whole && !axis.half) return false;
        covers = covers || (texels >= min_texels && axis.max >= texels / 2 && axis.min <= 1);
    }
    return covers && of.values.size() == enough_values;
}

// True if all coordinates lie in the first texel, at several places.
bool TextureWarnings::has_fractions(const Fetches& of)
{
    bool is_large = false;
    for (int i = 0; i < of.dimensions; ++i) {
        const Axis& axis = of.axes[static_cast<std::size_t>(i)];
        if (!(axis.min >= 0 && axis.max <= 1)) return false;
        is_large = is_large || (texels_along(*of.texture, i) >= min_texels && axis.min < 0.25f &&
                                axis.max > 0.75f);
    }
    return is_large && of.values.size() == enough_values;
}

// True if x runs through the image's height and y through its width, in texels.
bool TextureWarnings::has_swapped_axes(const Fetches& of)
{
    const int width = texels_along(*of.texture, 0), height = texels_along(*of.texture, 1);
    if (of.dimensions != 2 || width == height || std::max(width, height) < min_texels) return false;
    const auto runs_through = [](const Axis& axis, int texels) {
        return (axis.whole || axis.half) && axis.min >= 0 && axis.min < 1 &&
               axis.max >= static_cast<float>(texels - 1) && axis.max < static_cast<float>(texels);
    };
    return runs_through(of.axes[0], height) && runs_through(of.axes[1], width);
}

// Names the mistake and its cure; null: there is none.
const char* TextureWarnings::problem_of(const Fetches& of)
{
    if (of.texture->sampling.normalized_coordinates)
        return has_texel_indices(of)
                   ? "The texture has normalizedCoords = 1, so that its coordinates run from 0 to "
                     "1, but these are texel indices. Divide i + 0.5f by the size, or set "
                     "normalizedCoords = 0."
                   : nullptr;
    if (has_fractions(of))
        return "The texture has normalizedCoords = 0, so that its coordinates count texels, but "
               "these run from 0 to 1. Multiply by the size, or set normalizedCoords = 1.";
    return has_swapped_axes(of) ? "x runs through the height and y through the width: swap them."
                                : nullptr;
}

void TextureWarnings::report_into(std::vector<trace::Fault>& faults) const
{
    for (const Fetches& one : fetches_) {
        const char* const problem = problem_of(one);
        if (problem == nullptr) continue;
        const bool is_known = std::ranges::any_of(faults, [&](const trace::Fault& fault) {
            return fault.kind == one.fault.kind && fault.line == one.fault.line &&
                   fault.file == one.fault.file;
        });
        if (is_known) continue;
        trace::Fault fault = one.fault;
        std::string ranges, sizes;
        for (int i = 0; i < one.dimensions; ++i) {
            const Axis& axis = one.axes[static_cast<std::size_t>(i)];
            ranges += fmt::format("{}{} from {:g} to {:g}", i == 0 ? "" : ", ",
                                  axis_names[static_cast<std::size_t>(i)], axis.min, axis.max);
            sizes += fmt::format("{}{}", i == 0 ? "" : " × ", texels_along(*one.texture, i));
        }
        fault.message += fmt::format(
            " All {} fetches of this line in the launch have {}, in an image of {} texels. {}",
            one.count, ranges, sizes, problem);
        faults.push_back(std::move(fault));
    }
}

} // namespace lanescope::simt
