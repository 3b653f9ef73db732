// Images on the GPU: CUDA arrays with a surface to write through, and textures that read them.
#pragma once

#include <cuda_runtime_api.h>

#include "compute/cuda/handles.h"
#include "compute/device/device.h"

namespace lanescope::cuda {

// Any image that a CudaDevice copies to or makes textures of: its own, and those shared with OpenGL
// (whose array is known only while they are mapped, null otherwise).
class ArrayImage : public device::Image {
public:
    virtual void* array() const = 0; // a cudaArray_t
};

// width × height × depth texels; a depth or height of 0 means one dimension less.
struct Extent {
    int width = 0;
    int height = 0;
    int depth = 0;
};

// Owns its array, or borrows one that OpenGL owns.
class CudaImage : public ArrayImage {
public:
    CudaImage(Extent extent, device::Format format);                       // allocates
    CudaImage(cudaArray_t borrowed, Extent extent, device::Format format); // wraps

    int width() const override { return extent_.width; }
    int height() const override { return extent_.height; }
    int depth() const override { return extent_.depth; }
    device::Format format() const override { return format_; }
    std::uint64_t surface() const override { return surface_.get(); }
    void* array() const override { return array_; }

private:
    Extent extent_;
    device::Format format_;
    Array owned_;
    cudaArray_t array_ = nullptr;
    Surface surface_;
};

class CudaTexture : public device::Texture {
public:
    // Throws LaunchError for samplings that textures cannot do, or an image that is not mapped.
    CudaTexture(const device::Image& image, const device::Sampling& sampling);
    std::uint64_t handle() const override { return object_.get(); }

private:
    TextureObject object_;
};

// The array behind an image of this engine. Throws LaunchError: another engine's image, or not
// mapped.
cudaArray_t array_of(const device::Image& image);

// How CUDA describes a copy between linear memory, in tightly packed rows, and a whole image.
cudaMemcpy3DParms linear_to_image(const void* from, const device::Image& to);
cudaMemcpy3DParms image_to_linear(const device::Image& from, void* to);

} // namespace lanescope::cuda
