// Memory that host and device access at the same address: managed and pinned memory. While device
// work may still use the memory, its pages are protected, so that a host access faults; the access
// is then reported and repeated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lanescope::runtime {

enum class Access : std::uint8_t { open, read_only, closed };

// Maps whole pages at addresses that depend only on the order of calls. Empty if out of memory.
std::span<std::byte> map_host_memory(std::size_t bytes);
void unmap_host_memory(std::span<std::byte> memory);
void set_access(std::span<std::byte> memory, Access access);

// Called when a host thread touches protected memory; returns true if the access can be retried.
using TouchHandler = bool (*)(std::uintptr_t address, bool writing);
void set_touch_handler(TouchHandler handler);

} // namespace lanescope::runtime
