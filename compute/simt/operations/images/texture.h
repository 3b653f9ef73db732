// Texture fetches and surface addresses of one lane, as the GPU computes them. Linear filter
// weights are rounded to nearest 1/256. Supports 1 to 3 dimensions, layers, cube faces and mip
// levels; coordinates that the image doesn't have are ignored.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compute/simt/operations/images/images.h"

namespace lanescope::simt {

// Four channels in register format: f32 bits for float formats and normalised reads, otherwise
// integers. Missing channels are 0.
using Texel = std::array<std::uint32_t, 4>;

// Coordinates of a lane's sample.
struct TexturePlace {
    std::array<float, 3> at{}; // cube: the direction
    std::uint32_t layer = 0;   // clamped to the last layer
    double level = 0;          // fractional between levels; clamped at both ends
};

// tex with f32 coordinates, in texels or in [0, 1] depending on the sampling state. Linear
// filtering requires float texels or normalised reads; wrap and mirror require normalised
// coordinates (clamp is used otherwise). The level only applies to images with mip levels.
Texel sample(const TextureData& texture, int dimensions, const TexturePlace& place);

// tex with s32 coordinates: fetches by texel index, unfiltered.
Texel fetch(const TextureData& texture, int dimensions, const std::array<std::int32_t, 3>& at,
            std::uint32_t layer, int level);

// tld4: one channel of the four texels used by linear filtering, counter-clockwise from the lower
// left.
Texel gather(const TextureData& texture, const TexturePlace& place, int channel);

// Mip level at which the larger of the two steps to the next pixel (in x and in y) is one texel.
double level_of_gradients(const TextureData& texture, const std::array<float, 3>& x_step,
                          const std::array<float, 3>& y_step);

// While it exists, receives every texel that this thread reads through a texture. At most one per
// thread.
class TexelListener {
public:
    TexelListener();
    virtual ~TexelListener();
    TexelListener(const TexelListener&) = delete;
    TexelListener& operator=(const TexelListener&) = delete;
    // Bytes [x, x + bytes) of row y in slice z of the plane at address `plane`, which starts at
    // `offset` in the image.
    virtual void read(std::uint64_t plane, std::int64_t x, std::int64_t y, std::int64_t z,
                      int bytes, std::size_t offset) = 0;
};

// Records the offset of each texel in the image, in order of the reads.
class TexelReads : public TexelListener {
public:
    void read(std::uint64_t, std::int64_t, std::int64_t, std::int64_t, int,
              std::size_t offset) override
    {
        offsets.push_back(offset);
    }
    std::vector<std::size_t> offsets;
};

// Counts 32-byte sectors of texels read or written. The memory layout of CUDA arrays is
// undocumented; this model assumes that a sector holds 16 bytes of each of two adjacent rows, as in
// the block-linear layout that NVIDIA's open drivers describe.
class TexelSectors : public TexelListener {
public:
    void read(std::uint64_t plane, std::int64_t x, std::int64_t y, std::int64_t z, int bytes,
              std::size_t) override
    {
        touch(plane, x, y, z, bytes);
    }
    // Bytes [x, x + bytes) of row y in slice z of the plane at `plane`.
    void touch(std::uint64_t plane, std::int64_t x, std::int64_t y, std::int64_t z, int bytes);
    std::uint32_t count(); // distinct sectors so far

private:
    struct Sector {
        std::uint64_t plane;
        std::int64_t x, y, z;
        auto operator<=>(const Sector&) const = default;
    };
    // Packs x, y and z of the first plane into one number; sectors that don't fit are stored
    // separately.
    static bool pack(const Sector& sector, std::uint64_t& packed);
    std::uint64_t plane_ = 0;
    std::vector<std::uint64_t> packed_;
    std::vector<Sector> others_;
};

// Out-of-bounds surface accesses: fault, clamp to the nearest element, or read zero and drop
// writes.
enum class SurfaceEdge : std::uint8_t { trap, clamp, zero };

// Offset of an access of `width_bytes` in the texels; x counts bytes, y and z count rows and
// slices. nullopt if it is out of bounds and not clamped.
std::optional<std::size_t> surface_offset(const ImageData& image, int dimensions,
                                          const std::array<std::int32_t, 3>& at, std::int32_t layer,
                                          int width_bytes, SurfaceEdge edge);

} // namespace lanescope::simt
