// Texture fetches and surface addresses of one lane, as the GPU does them. Linear filtering weighs
// in steps of 1/256, rounded to nearest. Textures have 1 to 3 dimensions; coordinates beyond them
// are not looked at.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "compute/simt/operations/images.h"

namespace lanescope::simt {

// Four channels as the registers receive them: f32 bits for float formats and normalised reads,
// else integers. Channels that the format lacks are 0.
using Texel = std::array<std::uint32_t, 4>;

// tex with f32 coordinates: in texels, or in [0, 1] across the image when the sampling says so.
// Linear filtering needs float texels or normalised reads, wrap and mirror need normalised
// coordinates (clamp takes their place otherwise).
Texel sample(const TextureData& texture, int dimensions, const std::array<float, 3>& at);

// tex with s32 coordinates: texels by their number, without filtering.
Texel fetch(const TextureData& texture, int dimensions, const std::array<std::int32_t, 3>& at);

// What a surface access does beyond the edge: fault, take the nearest element, or read zero and
// write nothing.
enum class SurfaceEdge : std::uint8_t { trap, clamp, zero };

// Where in the texels an access of `width_bytes` goes; x counts bytes, y and z rows and slices.
// Nullopt where the access is outside and is not clamped.
std::optional<std::size_t> surface_offset(const ImageData& image, int dimensions,
                                          const std::array<std::int32_t, 3>& at, int width_bytes,
                                          SurfaceEdge edge);

} // namespace lanescope::simt
