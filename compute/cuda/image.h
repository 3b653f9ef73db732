// Images on the GPU: CUDA arrays with a surface for writing, and textures that read them.
#pragma once

#include <vector>

#include <cuda_runtime_api.h>

#include "compute/cuda/handles.h"
#include "compute/device/shaped_image.h"

namespace lanescope::cuda {

// An image that a CudaDevice can copy to or bind as a texture: its own, or one shared with OpenGL
// (whose array is only known while mapped and null otherwise).
class ArrayImage : public device::Image {
public:
    virtual void* array() const = 0; // a cudaArray_t; for an image with levels, the first level's
    virtual void* levels() const { return nullptr; } // a cudaMipmappedArray_t, or null
};

// Owns its array, or borrows one owned by OpenGL.
class CudaImage : public ArrayImage, public device::HasShape {
public:
    CudaImage(const device::ImageShape& shape, device::Format format); // allocates
    CudaImage(cudaArray_t borrowed, const device::ImageShape& shape,
              device::Format format); // wraps

    int width() const override { return shape_.width; }
    int height() const override { return shape_.height; }
    int depth() const override { return shape_.depth; }
    device::ImageShape shape() const override { return shape_; }
    device::Format format() const override { return format_; }
    std::uint64_t surface() const override { return surface_.get(); }
    void* array() const override { return array_; }
    void* levels() const override { return levels_.get(); }

private:
    device::ImageShape shape_;
    device::Format format_;
    Array owned_;
    Levels levels_;
    cudaArray_t array_ = nullptr;
    Surface surface_;
};

class CudaTexture : public device::Texture {
public:
    // Throws LaunchError for unsupported sampling, or for an image that is not mapped.
    CudaTexture(const device::Image& image, const device::Sampling& sampling,
                device::Filter between_levels = device::Filter::point);
    std::uint64_t handle() const override { return object_.get(); }

private:
    TextureObject object_;
};

// Returns the array behind an image of this engine. Throws LaunchError if it belongs to another
// engine or is not mapped.
cudaArray_t array_of(const device::Image& image);

// Describes the copies between linear memory, in tightly packed rows, and a whole image: one per
// level.
std::vector<cudaMemcpy3DParms> linear_to_image(const void* from, const device::Image& to);
std::vector<cudaMemcpy3DParms> image_to_linear(const device::Image& from, void* to);

} // namespace lanescope::cuda
