// Textures and surfaces of the program, with their texels, for kept launches.
#pragma once

#include <map>
#include <mutex>
#include <optional>

#include <cuda_runtime_api.h>

#include "compute/runtime/reporting/keeping.h"

namespace lanescope::runtime::passing {

class Images {
public:
    struct Made {
        Made(const cudaResourceDesc& of, const cudaTextureDesc* read_as, bool through_view)
            : resource(of), is_surface(read_as == nullptr), has_view(through_view)
        {
            if (read_as != nullptr) texture = *read_as;
        }
        cudaResourceDesc resource{};
        cudaTextureDesc texture{};
        bool is_surface = false, has_view = false;
    };
    static Images& instance();

    void made(std::uint64_t handle, const Made& image);
    void destroyed(std::uint64_t handle, bool is_surface);
    // Copies the image from the device. Throws Error for a kind that labs do not support.
    std::optional<ImageBehind> behind(std::uint64_t handle, bool is_surface);

private:
    std::mutex mutex_;
    std::map<std::pair<std::uint64_t, bool>, Made> made_; // handles of both kinds may be equal
};

} // namespace lanescope::runtime::passing
