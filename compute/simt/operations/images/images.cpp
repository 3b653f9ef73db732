// Registers textures and surfaces and looks them up by handle; handles are never reused.
#include "compute/simt/operations/images/images.h"

namespace lanescope::simt {

std::uint64_t Images::add(const ImageData& surface)
{
    surfaces_[++next_] = surface;
    return next_;
}

std::uint64_t Images::add(const TextureData& texture)
{
    textures_[++next_] = texture;
    return next_;
}

void Images::remove(std::uint64_t handle)
{
    surfaces_.erase(handle);
    textures_.erase(handle);
}

const ImageData* Images::surface(std::uint64_t handle) const
{
    const auto found = surfaces_.find(handle);
    return found == surfaces_.end() ? nullptr : &found->second;
}

const TextureData* Images::texture(std::uint64_t handle) const
{
    const auto found = textures_.find(handle);
    return found == textures_.end() ? nullptr : &found->second;
}

std::uint64_t Images::surface_of(const ImageData& image) const
{
    for (const auto& [handle, surface] : surfaces_)
        if (surface.texels.data() == image.texels.data()) return handle;
    return 0;
}

std::vector<ImageData> Images::surfaces() const
{
    std::vector<ImageData> all;
    for (const auto& [handle, image] : surfaces_) all.push_back(image);
    return all;
}

} // namespace lanescope::simt
