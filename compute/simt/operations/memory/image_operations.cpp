// tex, tld4, suld, sust, txq and suq: maps handles to images and lanes to texels. Texel values are
// computed in texture.h.
#include <bit>
#include <optional>

#include <fmt/format.h>

#include "compute/device/formats.h"
#include "compute/simt/checks/faults/texture_warnings.h"
#include "compute/simt/machine/state/executor.h"
#include "compute/simt/operations/handlers.h"
#include "compute/simt/operations/images/images.h"
#include "compute/simt/operations/images/texture.h"
#include "compute/simt/operations/lanes/half.h"

namespace lanescope::simt {

namespace {

// All of these keep their operands in Function::images.

const TextureData& texture_of(Executor& x, const Instruction& in, std::uint64_t handle, int lane)
{
    if (const TextureData* found = x.launch.images.texture(handle)) return *found;
    x.fault(
        in, "bad_handle", lane, handle,
        fmt::format("reads a texture through the handle {:#x}, which belongs to no live texture",
                    handle));
}

const ImageData& surface_of(Executor& x, const Instruction& in, std::uint64_t handle, int lane)
{
    if (const ImageData* found = x.launch.images.surface(handle)) return *found;
    x.fault(in, "bad_handle", lane, handle,
            fmt::format("uses a surface through the handle {:#x}, which belongs to no live image",
                        handle));
}

template <class T>
std::array<T, 3> coordinates(Executor& x, const ImageAccess& access, int lane)
{
    std::array<T, 3> at{};
    for (int i = 0; i < access.dimensions; ++i)
        at[static_cast<std::size_t>(i)] = x.row<const T>(access.coordinates[i])[lane];
    return at;
}

std::array<float, 3> step(Executor& x, const ImageAccess& access, std::size_t first, int lane)
{
    std::array<float, 3> values{};
    for (std::size_t i = 0; i < 3; ++i)
        if (const RowRef ref = access.steps[first + i]; ref != no_row)
            values[i] = x.row<const float>(ref)[lane];
    return values;
}

Texel read_float(Executor& x, const ImageAccess& access, const TextureData& texture, int lane)
{
    TexturePlace place{coordinates<float>(x, access, lane)};
    if (access.layer != no_row) place.layer = x.row<const std::uint32_t>(access.layer)[lane];
    if (access.channel >= 0) return gather(texture, place, access.channel);
    if (access.level == LevelChoice::given)
        place.level = x.row<const float>(access.steps[0])[lane];
    else if (access.level == LevelChoice::gradients)
        place.level =
            level_of_gradients(texture, step(x, access, 0, lane), step(x, access, 3, lane));
    return sample(texture, access.cube ? 2 : access.dimensions, place);
}

Texel read_integer(Executor& x, const ImageAccess& access, const TextureData& texture, int lane)
{
    const std::uint32_t layer =
        access.layer == no_row ? 0 : x.row<const std::uint32_t>(access.layer)[lane];
    const int level =
        access.level == LevelChoice::given ? x.row<const std::int32_t>(access.steps[0])[lane] : 0;
    return fetch(texture, access.dimensions, coordinates<std::int32_t>(x, access, lane), layer,
                 level);
}

// Converts floating-point channels to f16; texels that are read as integers stay unchanged.
Texel halved(const TextureData& texture, TexelForm form, Texel texel)
{
    const bool numbers =
        texture.sampling.normalized_reads || !device::has_integer_channels(texture.image.format);
    if (numbers)
        for (std::uint32_t& channel : texel) {
            const float value = std::bit_cast<float>(channel);
            channel = round_to_half(value);
        }
    if (form == TexelForm::half_pairs)
        return {(texel[0] & 0xffffu) | texel[1] << 16, (texel[2] & 0xffffu) | texel[3] << 16, 0, 0};
    return texel;
}

void notify(Executor& x, const Instruction& in, std::uint32_t mask, TexelSectors& sectors)
{
    const ImageEvent event{in, mask, sectors.count()};
    for (Observer* observer : x.observers) observer->image(x, event);
}

// Must run before results are stored, which may overwrite coordinates.
void note_coordinates(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const ImageAccess& access = x.function->images[in.extra];
    const auto* handles = x.row<const std::uint64_t>(access.handle);
    while (mask != 0) {
        const std::uint64_t handle = handles[lowest_lane(mask)];
        std::uint32_t same = 0;
        for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
            if (handles[lowest_lane(rest)] == handle) same |= rest & -rest;
        x.texture_warnings->fetched(x, in, access, *x.launch.images.texture(handle), same);
        mask &= ~same;
    }
}

template <bool Float, bool Reported>
Flow read_texture(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const ImageAccess& access = x.function->images[in.extra];
    const auto* handles = x.row<const std::uint64_t>(access.handle);
    std::array<Texel, warp_lanes> texels;
    std::optional<TexelSectors> sectors;
    if constexpr (Reported) sectors.emplace();
    const TextureData* texture = nullptr;
    std::uint64_t handle = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        if (texture == nullptr || handles[lane] != handle) {
            handle = handles[lane];
            texture = &texture_of(x, in, handle, lane);
            if (access.cube != texture->image.cube)
                x.fault(in, "bad_handle", lane, handle,
                        access.cube ? "reads a texture as a cube, which it is not"
                                    : "reads a texture that is a cube as an image");
        }
        texels[lane] =
            Float ? read_float(x, access, *texture, lane) : read_integer(x, access, *texture, lane);
        if (access.form != TexelForm::words)
            texels[lane] = halved(*texture, access.form, texels[lane]);
    }
    if (Float && x.texture_warnings != nullptr && texture != nullptr) note_coordinates(x, in, mask);
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        for (std::size_t i = 0; i < 4; ++i)
            if (access.values[i] != no_row)
                x.row<std::uint32_t>(access.values[i])[lane] = texels[lane][i];
    }
    if constexpr (Reported) notify(x, in, mask, *sectors);
    return Flow::next;
}

// Cache of the surface and row used last, since lanes mostly share them.
struct SurfaceInUse {
    const ImageData* image = nullptr;
    std::uint64_t handle = 0;
    std::size_t row_bytes = 1;
    std::size_t row = 0, row_begin = 0;

    void use(const ImageData& found, std::uint64_t by)
    {
        image = &found;
        handle = by;
        row_bytes = static_cast<std::size_t>(std::max(found.width, 1)) *
                    static_cast<std::size_t>(device::bytes_per_pixel(found.format));
        row = row_begin = 0;
    }
    // Offset of an access to the first layer; nullopt if it needs clamping or bounds handling.
    std::optional<std::size_t> inside(std::int32_t x, std::int32_t y, int width_bytes)
    {
        if (x < 0 || y < 0 || y >= std::max(image->height, 1) ||
            static_cast<std::size_t>(x) + static_cast<std::size_t>(width_bytes) > row_bytes)
            return std::nullopt;
        row = static_cast<std::size_t>(y);
        row_begin = row * row_bytes;
        return row_begin + static_cast<std::size_t>(x);
    }
    void go_to(std::size_t offset)
    {
        if (offset >= row_begin && offset - row_begin < row_bytes) return;
        row = offset / row_bytes;
        row_begin = row * row_bytes;
    }
};

// Address of the lane's bytes; null if the access is dropped (reads give zero). Reports stores to
// the observers.
template <bool Stored>
std::byte* texels_at(Executor& x, const Instruction& in, SurfaceInUse& surface, int lane,
                     TexelSectors* sectors)
{
    const ImageAccess& access = x.function->images[in.extra];
    const std::uint64_t handle = x.row<const std::uint64_t>(access.handle)[lane];
    if (surface.image == nullptr || handle != surface.handle)
        surface.use(surface_of(x, in, handle, lane), handle);
    const ImageData& image = *surface.image;
    const int width = access.element_bytes * access.elements;
    std::optional<std::size_t> offset;
    if (access.layer == no_row && access.dimensions <= 2)
        offset = surface.inside(
            x.row<const std::int32_t>(access.coordinates[0])[lane],
            access.dimensions < 2 ? 0 : x.row<const std::int32_t>(access.coordinates[1])[lane],
            width);
    if (!offset) offset = surface_access_offset(x, access, image, lane);
    if (offset) {
        const std::int32_t byte = x.row<const std::int32_t>(access.coordinates[0])[lane];
        if ((byte & (width - 1)) != 0) // widths are powers of two
            x.fault(in, "misaligned", lane, handle,
                    fmt::format("uses {} bytes of a surface at byte {} of a row, which is not a "
                                "multiple of {}: the x coordinate of a surface counts bytes, so "
                                "multiply the column by the size of an element",
                                width, byte, width));
        if constexpr (Stored)
            for (Observer* observer : x.observers)
                observer->surface_store(x, {handle, *offset, width});
        if (sectors != nullptr) {
            surface.go_to(*offset);
            sectors->touch(handle, static_cast<std::int64_t>(*offset - surface.row_begin),
                           static_cast<std::int64_t>(surface.row), 0, width);
        }
        return image.texels.data() + *offset;
    }
    const auto at = coordinates<std::int32_t>(x, access, lane);
    if (access.edge == SurfaceEdge::trap)
        x.fault(in, "out_of_bounds", lane, handle,
                fmt::format("uses {} bytes of a surface of {} x {} texels at byte {} of row {}, "
                            "which is outside",
                            width, image.width, std::max(image.height, 1), at[0], at[1]));
    return nullptr;
}

template <bool Load, bool Reported>
Flow use_surface(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const ImageAccess& access = x.function->images[in.extra];
    const std::array<std::byte, 16> nothing{};
    std::array<std::uint64_t, warp_lanes> places; // host addresses of the texels
    std::optional<TexelSectors> sectors;
    if constexpr (Reported) sectors.emplace();
    SurfaceInUse surface;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = lowest_lane(rest);
        std::byte* const place =
            texels_at < Reported && !Load > (x, in, surface, lane, Reported ? &*sectors : nullptr);
        places[static_cast<std::size_t>(lane)] =
            reinterpret_cast<std::uintptr_t>(place == nullptr ? nothing.data() : place);
        // Stores lane by lane, so that stores of lanes before a faulting one take effect.
        for (int i = 0; i < access.elements && !Load && place != nullptr; ++i)
            access.mover.store_lanes(
                std::bit_cast<std::byte*>(static_cast<std::uintptr_t>(i * access.element_bytes)),
                places.data(), 1u << lane, x.row<const void>(access.values[i]));
    }
    for (int i = 0; i < access.elements && Load; ++i)
        access.mover.load_lanes(
            std::bit_cast<const std::byte*>(static_cast<std::uintptr_t>(i * access.element_bytes)),
            places.data(), mask, x.row<void>(access.values[i]));
    if constexpr (Reported) notify(x, in, mask, *sectors);
    return Flow::next;
}

template <ImageQuery query>
Flow ask(Executor& x, const Instruction& in, std::uint32_t mask)
{
    const ImageAccess& access = x.function->images[in.extra];
    const auto* handles = x.row<const std::uint64_t>(access.handle);
    for (; mask != 0; mask &= mask - 1) {
        const int lane = lowest_lane(mask);
        const TextureData* texture = x.launch.images.texture(handles[lane]);
        const ImageData& image =
            texture != nullptr ? texture->image : surface_of(x, in, handles[lane], lane);
        const int value = query == ImageQuery::width    ? image.width
                          : query == ImageQuery::height ? image.height
                          : query == ImageQuery::depth  ? image.depth
                          : query == ImageQuery::layers ? image.layers
                                                        : image.levels;
        x.row<std::uint32_t>(access.values[0])[lane] = static_cast<std::uint32_t>(value);
    }
    return Flow::next;
}

} // namespace

std::optional<std::size_t> surface_access_offset(Executor& x, const ImageAccess& access,
                                                 const ImageData& image, int lane)
{
    const std::int32_t layer =
        access.layer == no_row ? 0 : x.row<const std::int32_t>(access.layer)[lane];
    return surface_offset(image, access.dimensions, coordinates<std::int32_t>(x, access, lane),
                          layer, access.element_bytes * access.elements, access.edge);
}

Handlers texture_handlers(bool float_coordinates)
{
    if (float_coordinates) return {{read_texture<true, false>, read_texture<true, true>}};
    return {{read_texture<false, false>, read_texture<false, true>}};
}

Handlers surface_handlers(bool load)
{
    if (load) return {{use_surface<true, false>, use_surface<true, true>}};
    return {{use_surface<false, false>, use_surface<false, true>}};
}

Handlers image_query_handlers(ImageQuery query)
{
    switch (query) {
    case ImageQuery::width: return same<ask<ImageQuery::width>>();
    case ImageQuery::height: return same<ask<ImageQuery::height>>();
    case ImageQuery::depth: return same<ask<ImageQuery::depth>>();
    case ImageQuery::layers: return same<ask<ImageQuery::layers>>();
    default: return same<ask<ImageQuery::levels>>();
    }
}

} // namespace lanescope::simt
