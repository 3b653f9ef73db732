// A growable device buffer.
#pragma once

#include <memory>

#include "compute/device/device.h"

namespace lanescope::app {

template <class Pointer> // unique_ptr or shared_ptr
bool has_room(const Pointer& buffer, std::size_t bytes)
{
    return buffer && buffer->bytes() >= bytes;
}

// Ensures room for this many bytes; growing discards the contents. If it throws, there is no
// buffer.
template <class Pointer>
void make_room(Pointer& buffer, std::size_t bytes, device::Allocator& allocator)
{
    if (has_room(buffer, bytes)) return;
    buffer.reset(); // frees its memory first
    buffer = allocator.buffer(bytes);
}

} // namespace lanescope::app
