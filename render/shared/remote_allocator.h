// Shared memory for a thread without an OpenGL context: the thread that has one creates and
// destroys it on request.
#pragma once

#include <memory>

#include "compute/device/device.h"
#include "render/shared/gl_tasks.h"

namespace lanescope::render {

class Sharing;

class RemoteAllocator : public device::Allocator {
public:
    // `gl_tasks` belongs to the thread whose context is current. Memory handed out must be
    // destroyed before the Sharing.
    RemoteAllocator(Sharing& sharing, std::shared_ptr<GlTaskQueue> gl_tasks);

    // Callable from any thread. Any thread but the owner waits for the task and receives its
    // exception.
    std::unique_ptr<device::Buffer> buffer(std::size_t bytes) override;
    std::unique_ptr<device::Image> image(int width, int height, device::Format format) override;

private:
    Sharing& sharing_;
    std::shared_ptr<GlTaskQueue> gl_tasks_;
};

} // namespace lanescope::render
