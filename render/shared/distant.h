// Memory shared with OpenGL for a thread that has no context: what it asks for is made, and what it
// drops is destroyed, by the thread that has one.
#pragma once

#include <memory>

#include "compute/device/device.h"

namespace lanescope::render {

class Sharing;

// Made, served and destroyed by the thread whose context is current. The memory given out must be
// destroyed before the Sharing.
class DistantAllocator : public device::Allocator {
public:
    explicit DistantAllocator(Sharing& sharing);
    ~DistantAllocator() override;

    // From any thread. On another one than the owner's it waits until serve() is called, and throws
    // what the making threw.
    std::unique_ptr<device::Buffer> buffer(std::size_t bytes) override;
    std::unique_ptr<device::Image> image(int width, int height, device::Format format) override;

    // The owner, from time to time while another thread may ask: makes and destroys what is due.
    void serve();

private:
    class Home;
    std::shared_ptr<Home> home_;
};

} // namespace lanescope::render
