// Texture fetches and surface addresses of one lane, as the GPU does them. Linear filtering weighs
// in steps of 1/256, rounded to nearest. Textures have 1 to 3 dimensions, layers, the faces of a
// cube and levels; coordinates beyond what they have are not looked at.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compute/simt/operations/images/images.h"

namespace lanescope::simt {

// Four channels as the registers receive them: f32 bits for float formats and normalised reads,
// else integers. Channels that the format lacks are 0.
using Texel = std::array<std::uint32_t, 4>;

// How the coordinates of a lane say what is read.
struct TexturePlace {
    std::array<float, 3> at{}; // of a cube: the direction
    std::uint32_t layer = 0;   // beyond the last: the last
    double level = 0;          // fractions between levels; beyond both ends: the ends
};

// tex with f32 coordinates: in texels, or in [0, 1] across the image when the sampling says so.
// Linear filtering needs float texels or normalised reads, wrap and mirror need normalised
// coordinates (clamp takes their place otherwise). The level counts for images with levels only.
Texel sample(const TextureData& texture, int dimensions, const TexturePlace& place);

// tex with s32 coordinates: texels by their number, without filtering.
Texel fetch(const TextureData& texture, int dimensions, const std::array<std::int32_t, 3>& at,
            std::uint32_t layer, int level);

// tld4: one channel of the four texels that linear filtering would weigh, from the lower left one
// on against the clock.
Texel gather(const TextureData& texture, const TexturePlace& place, int channel);

// The level at which a step to the neighbouring pixel in x, or in y, is one texel of the level's:
// the larger one of both steps counts.
double level_of_gradients(const TextureData& texture, const std::array<float, 3>& x_step,
                          const std::array<float, 3>& y_step);

// Is told of every texel that this thread reads through a texture while it exists; one at a time.
class TexelListener {
public:
    TexelListener();
    virtual ~TexelListener();
    TexelListener(const TexelListener&) = delete;
    TexelListener& operator=(const TexelListener&) = delete;
    // Bytes [x, x + bytes) of row y in slice z of what begins at `plane`, which is `offset` among
    // the image's bytes.
    virtual void read(std::uint64_t plane, std::int64_t x, std::int64_t y, std::int64_t z,
                      int bytes, std::size_t offset) = 0;
};

// Where the texels begin among the image's bytes, in the order in which they are read.
class TexelReads : public TexelListener {
public:
    void read(std::uint64_t, std::int64_t, std::int64_t, std::int64_t, int,
              std::size_t offset) override
    {
        offsets.push_back(offset);
    }
    std::vector<std::size_t> offsets;
};

// Which 32-byte sectors hold the texels that are read or written. How CUDA arrays lie in memory is
// not documented; here a sector holds 16 bytes of each of two neighbouring rows, as in the
// block-linear layout that NVIDIA's open drivers describe.
class TexelSectors : public TexelListener {
public:
    void read(std::uint64_t plane, std::int64_t x, std::int64_t y, std::int64_t z, int bytes,
              std::size_t) override
    {
        touch(plane, x, y, z, bytes);
    }
    // Bytes [x, x + bytes) of row y in slice z of what begins at `plane`.
    void touch(std::uint64_t plane, std::int64_t x, std::int64_t y, std::int64_t z, int bytes);
    std::uint32_t count(); // distinct ones so far

private:
    struct Sector {
        std::uint64_t plane;
        std::int64_t x, y, z;
        auto operator<=>(const Sector&) const = default;
    };
    // x, y and z in one number, of the first plane; sectors that do not fit stand by themselves.
    static bool pack(const Sector& sector, std::uint64_t& packed);
    std::uint64_t plane_ = 0;
    std::vector<std::uint64_t> packed_;
    std::vector<Sector> others_;
};

// What a surface access does beyond the edge: fault, take the nearest element, or read zero and
// write nothing.
enum class SurfaceEdge : std::uint8_t { trap, clamp, zero };

// Where in the texels an access of `width_bytes` goes; x counts bytes, y and z rows and slices.
// Nullopt where the access is outside and is not clamped.
std::optional<std::size_t> surface_offset(const ImageData& image, int dimensions,
                                          const std::array<std::int32_t, 3>& at, std::int32_t layer,
                                          int width_bytes, SurfaceEdge edge);

} // namespace lanescope::simt
