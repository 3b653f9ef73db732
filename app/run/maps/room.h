// A buffer that grows.
#pragma once

#include <memory>

#include "compute/device/device.h"

namespace lanescope::app {

// Room for so many bytes, its contents lost where it had to grow.
inline void make_room(std::unique_ptr<device::Buffer>& buffer, std::size_t bytes,
                      device::Allocator& allocator)
{
    if (buffer && buffer->bytes() >= bytes) return;
    buffer.reset(); // its memory makes room first
    buffer = allocator.buffer(bytes);
}

} // namespace lanescope::app
