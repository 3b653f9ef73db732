// Interface of the three sharing paths. Each creates memory that has an OpenGL name, and switches
// all its memory between OpenGL and the device at once.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "render/gl/objects.h"
#include "render/shared/sharing.h"

namespace lanescope::render {

// Every buffer or image created by a Sharing is also a Backing.
class Backing {
public:
    virtual ~Backing() = default;
    virtual GLuint gl_name() const = 0;
    virtual std::size_t backing_bytes() const = 0;
};

class Sharing::Backend {
public:
    virtual ~Backend() = default;
    virtual std::unique_ptr<device::Buffer> buffer(std::size_t bytes) = 0;
    virtual std::unique_ptr<device::Image> image(int width, int height, device::Format format) = 0;
    // True if OpenGL has finished the drawing that was submitted before the first call since the
    // last map(). Waits for at most the given time.
    virtual bool drawn(std::chrono::nanoseconds) { return true; }
    virtual void map() = 0;
    virtual void finish() {}
    virtual void unmap() = 0;
    virtual std::size_t bytes() const = 0;
};

std::unique_ptr<Sharing::Backend> make_cuda_mapped(device::Device& device);
std::unique_ptr<Sharing::Backend> make_staged(device::Device& device);
std::unique_ptr<Sharing::Backend> make_simt_mapped(device::Device& device);

// Live resources in creation order. Shared by the back end and its resources.
template <class Resource>
class Alive {
public:
    void add(Resource* resource) { all_.push_back(resource); }
    void remove(Resource* resource) { std::erase(all_, resource); }
    const std::vector<Resource*>& all() const { return all_; }
    std::size_t bytes() const
    {
        std::size_t sum = 0;
        for (const Resource* resource : all_) sum += resource->backing_bytes();
        return sum;
    }
    bool mapped = false;

private:
    std::vector<Resource*> all_;
};

// OpenGL's formats for a device's texel format.
struct TexelFormat {
    GLenum internal;
    GLenum format;
    GLenum type;
};
TexelFormat texel_format(device::Format format);

} // namespace lanescope::render
