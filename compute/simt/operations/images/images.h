// Textures and surfaces that kernels access by handle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "compute/device/shaped_image.h"

namespace lanescope::simt {

// Texels in row order, tightly packed. The memory belongs to the image object of the handle, or to
// the host.
struct ImageData {
    std::span<std::byte> texels;
    int width = 0;
    int height = 0; // 0: one-dimensional
    int depth = 0;  // 0: at most two-dimensional
    device::Format format = device::Format::r8;
    int layers = 0; // 0: not layered; for a cube, the number of faces
    bool cube = false;
    int levels = 1;              // stored one after another, each with all its layers
    std::size_t pitch_bytes = 0; // between rows of a two-dimensional image; 0: tightly packed

    device::ImageShape shape() const { return {width, height, depth, layers, cube, levels}; }
};

struct TextureData {
    ImageData image;
    device::Sampling sampling;
    device::Filter between_levels = device::Filter::point;
};

class Images {
public:
    std::uint64_t add(const ImageData& surface);
    std::uint64_t add(const TextureData& texture);
    void remove(std::uint64_t handle);
    // Null if the handle is unknown or belongs to a texture.
    const ImageData* surface(std::uint64_t handle) const;
    const TextureData* texture(std::uint64_t handle) const;
    // Handle of the surface with the same texels; 0 if there is none.
    std::uint64_t surface_of(const ImageData& image) const;
    // All live images, ordered by handle.
    std::vector<ImageData> surfaces() const;

private:
    std::map<std::uint64_t, ImageData> surfaces_;
    std::map<std::uint64_t, TextureData> textures_;
    std::uint64_t next_ = std::uint64_t{6} << 32; // outside the range of memory addresses
};

} // namespace lanescope::simt
