// Memory shared with OpenGL for a thread that has no context: what it asks for is made, and what it
// drops is destroyed, by the thread that has one.
#pragma once

#include <memory>

#include "compute/device/device.h"
#include "render/shared/gl_tasks.h"

namespace lanescope::render {

class Sharing;

class RemoteAllocator : public device::Allocator {
public:
    // `gl_tasks` are those of the thread whose context is current. The memory given out must be
    // destroyed before the Sharing.
    RemoteAllocator(Sharing& sharing, std::shared_ptr<GlTaskQueue> gl_tasks);

    // From any thread. On another one than the owner's it waits until the task is done, and
    // throws what the making threw.
    std::unique_ptr<device::Buffer> buffer(std::size_t bytes) override;
    std::unique_ptr<device::Image> image(int width, int height, device::Format format) override;

private:
    Sharing& sharing_;
    std::shared_ptr<GlTaskQueue> gl_tasks_;
};

} // namespace lanescope::render
