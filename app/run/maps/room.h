// A growable device buffer.
#pragma once

#include <memory>

#include "compute/device/device.h"

namespace lanescope::app {

// Ensures capacity; growing discards the contents.
inline void make_room(std::unique_ptr<device::Buffer>& buffer, std::size_t bytes,
                      device::Allocator& allocator)
{
    if (buffer && buffer->bytes() >= bytes) return;
    buffer.reset(); // frees its memory first
    buffer = allocator.buffer(bytes);
}

} // namespace lanescope::app
