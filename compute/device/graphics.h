// OpenGL as the steps of a lab use it: memory that a device maps, drawing from it, and the times of
// both. Where a device and OpenGL cannot share, steps only count these calls.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compute/device/device.h"

namespace lanescope::device {

// A buffer or image of OpenGL's. All calls need the context to be current (GraphicsScope).
class GraphicsResource {
public:
    virtual ~GraphicsResource() = default;
    virtual void register_it() = 0;
    virtual void unregister() = 0;
    // Queued on the device's current stream: kernels that follow wait for OpenGL, and after unmap()
    // OpenGL waits for the kernels.
    virtual void map() = 0;
    virtual void unmap() = 0;
    virtual void update(std::span<const std::byte> bytes) = 0; // copies host memory into it
    virtual void draw() = 0;
};

struct GraphicsBuffer {
    std::unique_ptr<Buffer> memory; // has an address while mapped
    GraphicsResource* resource = nullptr;
};
struct GraphicsImage {
    std::unique_ptr<Image> memory; // has a surface while mapped
    GraphicsResource* resource = nullptr;
};

// Timestamps in OpenGL's queue of commands.
class GraphicsClock {
public:
    virtual ~GraphicsClock() = default;
    virtual void start() = 0; // discards earlier marks
    virtual void mark() = 0;  // records when OpenGL has executed all commands so far
    // Waits for all marks, and returns their times in milliseconds after start() by the host's
    // clock.
    virtual std::vector<double> read_ms() = 0;
};

// An OpenGL context of its own, without a window. Used by one thread at a time.
class Graphics {
public:
    virtual ~Graphics() = default;
    virtual void make_current() = 0;
    virtual void release() noexcept = 0; // makes the thread's earlier context current again
    // New memory is registered, and not mapped.
    virtual GraphicsBuffer buffer(std::size_t bytes) = 0;
    virtual GraphicsImage image(int width, int height, Format format) = 0;
    virtual void present() = 0; // hands the frame's commands to the GPU, as swapping buffers does
    virtual void finish() = 0;  // waits until OpenGL has executed everything
    virtual GraphicsClock& clock() = 0;
};

// The context is current for the duration of a scope; null: there is none.
class GraphicsScope {
public:
    explicit GraphicsScope(Graphics* graphics) : graphics_(graphics)
    {
        if (graphics_) graphics_->make_current();
    }
    ~GraphicsScope()
    {
        if (graphics_) graphics_->release();
    }
    GraphicsScope(const GraphicsScope&) = delete;
    GraphicsScope& operator=(const GraphicsScope&) = delete;

private:
    Graphics* graphics_;
};

struct GraphicsChoice {
    std::shared_ptr<Graphics> graphics; // null: the device and OpenGL cannot share
    std::string reason;                 // then: why, and what to do
};
using GraphicsMaker = std::function<GraphicsChoice(Device&)>;

// Sets how a device gets its Graphics. Call once, before the first lab starts.
void make_graphics_with(GraphicsMaker maker);
// Throws nothing: a failure becomes the reason.
GraphicsChoice graphics_of(Device& device);

} // namespace lanescope::device
