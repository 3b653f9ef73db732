// Memory that host and device call by the same address: managed and pinned memory. While the device
// may still be at work on it, its pages are closed to the host, and the host's touching one is
// noticed and let through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lanescope::runtime {

enum class Access : std::uint8_t { open, read_only, closed };

// Whole pages at addresses that depend only on the order of calls. Empty when there is no room.
std::span<std::byte> map_host_memory(std::size_t bytes);
void unmap_host_memory(std::span<std::byte> memory);
void set_access(std::span<std::byte> memory, Access access);

// Who is asked when a thread of the host touches memory that it must not: true when the access can
// be tried again.
using TouchHandler = bool (*)(std::uintptr_t address, bool writing);
void watch_touches(TouchHandler handler);

} // namespace lanescope::runtime
