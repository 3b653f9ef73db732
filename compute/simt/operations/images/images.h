// The textures and surfaces that kernels can name by handle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "compute/device/shaped_image.h"

namespace lanescope::simt {

// Texels in row order, tightly packed; the memory belongs to the image object behind the handle, or
// to the host.
struct ImageData {
    std::span<std::byte> texels;
    int width = 0;
    int height = 0; // 0: one-dimensional
    int depth = 0;  // 0: at most two-dimensional
    device::Format format = device::Format::r8;
    int layers = 0; // 0: not layered; of a cube, its faces
    bool cube = false;
    int levels = 1; // one behind the other, each with all its layers

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
    // Null when there is none, or it is of the other kind.
    const ImageData* surface(std::uint64_t handle) const;
    const TextureData* texture(std::uint64_t handle) const;
    // The handle of the surface that has the same texels; 0: there is none.
    std::uint64_t surface_of(const ImageData& image) const;
    // All live images, in the order of their handles.
    std::vector<ImageData> surfaces() const;

private:
    std::map<std::uint64_t, ImageData> surfaces_;
    std::map<std::uint64_t, TextureData> textures_;
    std::uint64_t next_ = std::uint64_t{6} << 32; // no address that memory has
};

} // namespace lanescope::simt
