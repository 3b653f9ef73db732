// A buffer that grows.
#pragma once

#include <memory>

#include "compute/device/device.h"

namespace lanescope::app {

template <class Pointer> // unique or shared
bool has_room(const Pointer& buffer, std::size_t bytes)
{
    return buffer && buffer->bytes() >= bytes;
}

// Room for so many bytes, its contents lost where it had to grow. There is no buffer when it
// throws.
template <class Pointer>
void make_room(Pointer& buffer, std::size_t bytes, device::Allocator& allocator)
{
    if (has_room(buffer, bytes)) return;
    buffer.reset(); // its memory makes room first
    buffer = allocator.buffer(bytes);
}

} // namespace lanescope::app
